"""What an object store client's exception means for a table, and what to do about it.

The client has few exception classes and puts the rest into text. Wherever text is read, an unexpected wording falls on
the careful side: a put counts as perhaps arrived, a failure as temporary.
"""

from __future__ import annotations

import re

from deltaresolver.errors import (
    LocationInvalidError,
    LogError,
    StorageAccessDeniedError,
    StorageOptionError,
    StorageUnavailableError,
    StorageUnsupportedError,
    StoredFileMissingError,
)

_NO_BUCKET = re.compile(r"NoSuchBucket|ContainerNotFound|FilesystemNotFound|specified bucket does not exist")
_NO_CREDENTIALS = re.compile(
    r"169\.254\.169\.254|latest/api/token|latest/meta-data|token request|[Cc]redential error|CredentialsNotLoaded"
    r"|Missing(?:SecretAccessKey|AccessKeyId| \w*AccessKey\w*)|Unable to open service account"
    r"|failed to decode (?:account )?key"
)
_PLAIN_HTTP = re.compile(r"BadScheme|scheme is not allowed")
_WRONG_REGION = re.compile(r"redirect without LOCATION|PermanentRedirect|AuthorizationHeaderMalformed")
_DENIED = re.compile(r"\b(?:401 Unauthorized|403 Forbidden)\b")
_NEVER_SENT = re.compile(r"kind: Connect\b|BadScheme|dns error")
_QUERY = re.compile(r"(https?://[^\s?]+)\?[^\s,]*")
_LONGEST_REASON = 300


def may_have_arrived(error: Exception) -> bool:
    """Whether a failed put could have reached the store: true unless it is certain that it did not."""
    return not _NEVER_SENT.search(str(error))


def is_already_exists(error: Exception) -> bool:
    """Whether a conditional put was turned away because the object is there (or S3 could not decide, see below)."""
    return type(error).__name__ == "AlreadyExistsError"


def lost_a_race(error: Exception) -> bool:
    """Whether S3 turned a conditional put away because another was under way, which does not say who will win."""
    return "ConditionalRequestConflict" in str(error)


def is_range_refusal(error: Exception) -> bool:
    """Whether the store refused a range because it lies outside the object."""
    text = str(error)
    # The last is what the client itself says to a server that answers with nothing.
    return any(sign in text for sign in ("416 ", "NotPartial", "non-partial", "Wanted range starting at"))


def from_object_error(error: Exception, action: str, path: str, location: str) -> LogError:
    """The `LogError` for a client exception met while doing `action` to `path` in the table at `location`."""
    text = str(error)
    reason = _reason(text)
    full = f"{location}/{path}" if path else location
    kind, problem, fix = _judge(error, text, location)
    details = {"path": path, "location": location, "action": action, "reason": reason}
    if kind is StoredFileMissingError:
        return kind(f"{full} does not exist.", fix=fix, details=details)
    return kind(f"Could not {action} {full}: {problem or reason}.", fix=fix, details=details)


def _judge(error: Exception, text: str, location: str) -> tuple[type[LogError], str, str]:
    """The class, a short sentence where the client's own message does not help, and the fix."""
    if _NO_BUCKET.search(text):
        return LocationInvalidError, "its bucket or container does not exist", "Create it, or correct its name."
    if isinstance(error, FileNotFoundError):
        return StoredFileMissingError, "", "Check the table's location, or whether the file was cleaned up."
    if _PLAIN_HTTP.search(text):
        return (
            StorageOptionError,
            "the endpoint is http, which is not allowed unless asked for",
            'Use an https endpoint, or set the storage option "AWS_ALLOW_HTTP" to "true".',
        )
    if _WRONG_REGION.search(text):
        return StorageOptionError, "", 'Set the storage option "AWS_REGION" to the region of the bucket.'
    if _NO_CREDENTIALS.search(text):
        return StorageAccessDeniedError, "", "Give credentials as storage options or in the environment."
    if type(error).__name__ in {"PermissionDeniedError", "UnauthenticatedError"} or _DENIED.search(text):
        return (
            StorageAccessDeniedError,
            "",
            f"Check the credentials, and that they may list, read and write {location}.",
        )
    if isinstance(error, NotImplementedError):
        return (
            StorageUnsupportedError,
            "conditional puts are switched off, and without them one commit can overwrite another",
            'Leave the storage option "AWS_CONDITIONAL_PUT" at "etag".',
        )
    if isinstance(error, ValueError):
        return LocationInvalidError, "", "Use names without control characters and without empty, '.' or '..' parts."
    return StorageUnavailableError, "", "Check the endpoint and the network, then try again."


def _reason(text: str) -> str:
    """The first line, without query strings, which can hold signatures and access tokens."""
    first = text.partition("\n")[0].partition(": <?xml")[0].strip().rstrip(".:")
    return _QUERY.sub(r"\1", first)[:_LONGEST_REASON]
