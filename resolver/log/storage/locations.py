"""From what a user writes to a store: plain paths, `file:` URIs and object store URLs.

Plain paths and object store URLs are taken literally (S3 keys may hold `%` and `#`); only `file:` URIs are
percent-decoded. Nothing takes a query string: settings go into the storage options.
"""
# A location stays text: a Path would fold `s3://` and hide an empty one.
# ruff: noqa: PTH100, PTH111, PTH112, PTH113, PTH118, PTH119, PTH120

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from deltaresolver.errors import LocationInvalidError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore

if TYPE_CHECKING:
    from deltaresolver.log.storage.object_store import ObjectStore

LOG_FOLDER = "_delta_log"
SERVICES = {
    "s3": "aws",
    "s3a": "aws",
    "gs": "google",
    "gcs": "google",
    "abfs": "azure",
    "abfss": "azure",
    "az": "azure",
    "azure": "azure",
    "adl": "azure",
}
KNOWN_SCHEMES = ("file", *SERVICES)
_ELSEWHERE = {
    "dbfs": "On a Databricks cluster give the path below /dbfs; elsewhere the bucket that is mounted there.",
    "http": "Give the bucket's own URL, such as s3://bucket/table; an endpoint of your own is a storage option.",
    "https": "Give the bucket's own URL, such as s3://bucket/table; an endpoint of your own is a storage option.",
    "wasb": "Write abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH, which is the same storage.",
    "wasbs": "Write abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH, which is the same storage.",
}
"""Schemes of other programs, and how the same place is reached from here."""

# `x:/` with one letter is a drive, and `name:part` without a slash a folder's name.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+):(?=/)")
_CLOUD_WITHOUT_SLASHES = re.compile(rf"({'|'.join(SERVICES)}|file):(?!//)", re.IGNORECASE)
_AUTHORITY = re.compile(r"//([^/?]*)/?(.*)", re.DOTALL)
_PARTITION_FOLDER = re.compile(r"[^/=]+=[^/]*")


def open_store(location: str | os.PathLike[str], storage_options: Mapping[str, str] | None = None) -> LogStore:
    """The store for a table's location. Looks at a local path, but connects to nothing.

    `storage_options` are for object stores (see the module of that name) and ignored for local paths. Raises
    `LocationInvalidError`, `StorageOptionError`, and `StorageUnsupportedError` without the `cloud` extra.
    """
    text = _as_text(location)
    scheme = _SCHEME.match(text)
    without_slashes = _CLOUD_WITHOUT_SLASHES.match(text)
    if isinstance(location, os.PathLike):
        return _open_local(text, text)
    if text[:5].lower() == "file:":
        return _open_local(_path_of_file_uri(text), text)
    if without_slashes is not None:
        raise _invalid(
            text,
            f"{without_slashes[1]}: is not followed by two slashes",
            f"Write {without_slashes[1]}://{text[without_slashes.end() :].lstrip('/')}.",
        )
    if scheme is None:
        return _open_local(os.path.expanduser(text), text)
    if scheme[1].lower() not in SERVICES:
        raise _unknown_scheme(text, scheme[1])
    return _open_object_store(text, scheme[1].lower(), text[scheme.end() :], storage_options or {})


def _as_text(location: str | os.PathLike[str]) -> str:
    text = os.fspath(location)
    if not isinstance(text, str):
        raise _invalid(str(text), f"it is {type(text).__name__}, not text", "Give the location as text.")
    if not text.strip():
        raise _invalid(text, "it is empty", "Give the folder or URL of the table.")
    if "\0" in text:
        raise _invalid(text, "it holds a NUL character", "Give the folder or URL of the table.")
    return text


def _path_of_file_uri(text: str) -> str:
    rest = text[len("file:") :]
    if "?" in rest or "#" in rest:
        raise _invalid(text, "a file URI takes no query or fragment", "Write ? as %3F and # as %23.")
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        if host.lower() not in {"", "localhost"}:
            # Without what follows a colon: it may be a password.
            raise _invalid(
                text,
                f"it names the host {host.partition(':')[0]!r}",
                f"Write file:///{host}/{path} for a local folder.",
            )
        rest = slash + path
    if not rest.startswith("/"):
        raise _invalid(text, "a file URI needs an absolute path", "Write file:///folder/table, or the plain path.")
    if re.search(r"%(?![0-9A-Fa-f]{2})", rest):
        raise _invalid(
            text, "it holds a % that does not begin an escape", "Write % as %25 in a file URI, or give the plain path."
        )
    import urllib.parse

    path = os.fsdecode(urllib.parse.unquote_to_bytes(rest))
    if "\0" in path:
        raise _invalid(text, "it holds a NUL character", "Give the folder of the table.")
    return path


def _open_local(path: str, text: str) -> LocalStore:
    root = os.path.abspath(path)
    _refuse_log_folder(text, root)
    if os.path.isfile(root):
        table = _table_above(root)
        from deltaresolver.log.found_instead import file_instead

        found = file_instead(root)
        raise _invalid(text, found.what, f"Give {table}." if table else found.fix, table=table, found=found.kind)
    if _PARTITION_FOLDER.fullmatch(os.path.basename(root)) and not os.path.isdir(os.path.join(root, LOG_FOLDER)):
        table = _table_above(root)
        if table:
            raise _invalid(text, f"it is a partition folder of the table {table}", f"Give {table}.", table=table)
    return LocalStore(root)


def _table_above(path: str) -> str | None:
    """The nearest folder above that holds a log."""
    folder = os.path.dirname(path)
    while not os.path.isdir(os.path.join(folder, LOG_FOLDER)):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder


def _open_object_store(text: str, scheme: str, rest: str, storage_options: Mapping[str, str]) -> ObjectStore:
    from deltaresolver.log.storage.object_connection import ObjectConnection
    from deltaresolver.log.storage.object_store import ObjectStore
    from deltaresolver.log.storage.storage_options import check_storage_options

    if "?" in rest:
        raise _invalid(text, "it has a query string", "Give settings as storage options, and the URL without them.")
    match = _AUTHORITY.fullmatch(rest)
    authority = match[1] if match else ""
    key_prefix = match[2].rstrip("/") if match else ""
    service = SERVICES[scheme]
    if ":" in authority:
        raise _invalid(text, "it holds a user, a password or a port", "Give keys and endpoints as storage options.")
    if not authority or (service == "azure") < ("@" in authority):
        example = (
            "abfss://container@account.dfs.core.windows.net/table" if service == "azure" else f"{scheme}://lake/table"
        )
        raise _invalid(text, "it names no bucket or container", f"Write it like {example}.")
    _refuse_log_folder(text, key_prefix)
    if not {"", ".", ".."}.isdisjoint(key_prefix.split("/")) and key_prefix:
        raise _invalid(text, "it has an empty, '.' or '..' part", "Write the path without such parts.")
    # The client knows s3 and s3a alike, but only one name of the others.
    url_scheme = {"gcs": "gs", "azure": "az"}.get(scheme, scheme)
    store = ObjectStore(
        ObjectConnection(f"{url_scheme}://{authority}", check_storage_options(service, storage_options)), key_prefix
    )
    store.ensure_usable()
    return store


def _refuse_log_folder(text: str, path: str) -> None:
    parts = path.split("/")
    if LOG_FOLDER in parts:
        table = text.partition(f"/{LOG_FOLDER}")[0] if f"/{LOG_FOLDER}" in text else "."
        raise _invalid(text, f"it points into {LOG_FOLDER}", f"Give the table's own location: {table}", table=table)


def _unknown_scheme(text: str, scheme: str) -> LocationInvalidError:
    import difflib

    elsewhere = _ELSEWHERE.get(scheme.lower())
    known = ", ".join(f"{one}://" for one in KNOWN_SCHEMES)
    nearest = [] if elsewhere else difflib.get_close_matches(scheme.lower(), KNOWN_SCHEMES, n=1)
    hint = f" (did you mean {nearest[0]}?)" if nearest else ""
    return _invalid(
        text,
        f"{scheme}:// is not a known kind of storage{hint}",
        f"{elsewhere} Known are plain paths and {known}." if elsewhere else f"Use a plain path or one of {known}.",
        scheme=scheme,
        known=list(KNOWN_SCHEMES),
    )


def _invalid(text: str, problem: str, fix: str, **details: object) -> LocationInvalidError:
    return LocationInvalidError(
        f"{text!r} cannot be a table's location: {problem}.", fix=fix, details={"location": text, **details}
    )
