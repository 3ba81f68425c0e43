"""Options of a stream read, under the names Delta gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import attrs

from deltaresolver.errors import ReadOptionInvalidError

MAX_FILES = 1000
LATEST = "latest"
CONSENT = {
    "dropped": "allowSourceColumnDrop",
    "renamed": "allowSourceColumnRename",
    "retyped": "allowSourceColumnTypeChange",
}
"""What became of columns, and the option that lets a stream with `schemaTrackingLocation` go on after it."""
_LIMITS = ("maxFilesPerTrigger", "maxBytesPerTrigger")
_BYTES = re.compile(r"\s*(\d+)\s*([kmgt]?)b?\s*")
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


@attrs.frozen(slots=True)
class StreamOptions:
    """What a stream reads and how much at once.

    starting_version     a table version, or `latest` for what comes after the latest one
    most_files           of one batch; `most_bytes` likewise, but a batch has at least one file
    limits               the names of those of both that are given
    ignores_deletes      commits that only delete are passed over
    ignores_changes      rewritten files are given again, deletions passed over
    skips_changes        commits that delete or rewrite are passed over as a whole
    tracking             the folder in which the stream notes the schemas it reads with
    consent              for each change of columns, at which version a stream goes on after it, or `always`
    excluded             files whose path in the log has a match of it are left out
    """

    starting_version: int | str | None = None
    starting_timestamp: str | None = None
    most_files: int = MAX_FILES
    most_bytes: int | None = None
    limits: tuple[str, ...] = ()
    ignores_deletes: bool = False
    ignores_changes: bool = False
    skips_changes: bool = False
    reads_changes: bool = False
    fails_on_loss: bool = True
    excluded: re.Pattern[str] | None = None
    tracking: str | None = None
    consent: Mapping[str, str] = attrs.field(factory=dict, hash=False)


def parse_stream_options(options: Mapping[str, str]) -> StreamOptions:
    """Names are case-insensitive, and options of others are left alone. Raises `ReadOptionInvalidError`."""
    given = {key.lower(): value.strip() for key, value in options.items()}
    version = given.get("startingversion")
    asked = StreamOptions(
        starting_version=None if version is None else _version(version),
        starting_timestamp=given.get("startingtimestamp"),
        most_files=_count(given.get("maxfilespertrigger"), "maxFilesPerTrigger", MAX_FILES),
        most_bytes=_size(given.get("maxbytespertrigger")),
        limits=tuple(name for name in _LIMITS if name.lower() in given),
        ignores_deletes=_flag(given, "ignoreDeletes"),
        ignores_changes=_flag(given, "ignoreChanges") or _flag(given, "ignoreFileDeletion"),
        skips_changes=_flag(given, "skipChangeCommits"),
        reads_changes=_flag(given, "readChangeFeed") or _flag(given, "readChangeData"),
        fails_on_loss=_flag(given, "failOnDataLoss", otherwise="true"),
        excluded=_pattern(given.get("excluderegex")),
        tracking=given.get("schematrackinglocation") or given.get("schemalocation"),
        consent={kind: given[name.lower()] for kind, name in CONSENT.items() if name.lower() in given},
    )
    if asked.starting_version is not None and asked.starting_timestamp is not None:
        raise _invalid("startingVersion and startingTimestamp are both given.", "Give one of the two.")
    travel = sorted({"versionasof", "timestampasof"} & given.keys())
    if travel:
        raise _invalid(
            f"A stream is asked for one version of the table ({', '.join(travel)}).",
            "Give startingVersion or startingTimestamp instead.",
            "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS",
        )
    return asked


def _version(text: str) -> int | str:
    if text.lower() == LATEST:
        return LATEST
    if not text.isdecimal():
        raise _invalid(
            f"startingVersion is {text!r}.", f"Give a table version, or {LATEST}.", "DELTA_INVALID_SOURCE_VERSION"
        )
    return int(text)


def _count(text: str | None, name: str, otherwise: int) -> int:
    if text is None:
        return otherwise
    if not text.isdecimal() or int(text) < 1:
        raise _invalid(f"{name} is {text!r}.", "Give a whole number from 1.", "DELTA_UNKNOWN_READ_LIMIT")
    return int(text)


def _size(text: str | None) -> int | None:
    if text is None:
        return None
    found = _BYTES.fullmatch(text.lower())
    if found is None or int(found[1]) < 1:
        raise _invalid(f"maxBytesPerTrigger is {text!r}.", "Give a size such as 10m.", "DELTA_UNKNOWN_READ_LIMIT")
    return int(found[1]) << _UNITS[found[2]]


def _pattern(text: str | None) -> re.Pattern[str] | None:
    try:
        return None if text is None else re.compile(text)
    except re.error as error:
        raise _invalid(
            f"excludeRegex is {text!r}: {error}.",
            "Please recheck your syntax for 'excludeRegex'; it is read as one of Python's.",
            "DELTA_REGEX_OPT_SYNTAX_ERROR",
        ) from None


def _flag(given: Mapping[str, str], name: str, otherwise: str = "false") -> bool:
    text = given.get(name.lower(), otherwise).lower()
    if text not in ("true", "false"):
        raise _invalid(f"{name} is {text!r}.", "Give true or false.", "DELTA_ILLEGAL_OPTION")
    return text == "true"


def _invalid(message: str, fix: str, condition: str | None = None) -> ReadOptionInvalidError:
    return ReadOptionInvalidError(message, fix=fix, details={"problem": message}, delta_condition=condition)
