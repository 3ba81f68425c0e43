"""Files that lie outside a table: where the options of the table, keys among them, may be taken.

Whoever may write to a log may name any bucket and account in it, and a client that asks there hands over the table's
credentials. So only the table's own bucket or account is asked, unless whoever reads allows others.
"""

from __future__ import annotations

import enum
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping

from deltaresolver.errors import OutsideLocationError, StorageOptionError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.locations import SERVICES, open_store
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.storage_options import ALLOW_OUTSIDE
from deltaresolver.model.file_key import decoded
from deltaresolver.spark.reading.file_location import FileLocation, TableRoot

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):(?://([^/]*))?(?=/|$)")


class OutsidePolicy(enum.Enum):
    """Where files outside a table's folder may be read, which its log names by absolute paths or by ways up."""

    REFUSE = "refuse"
    """Nowhere."""
    SAME_STORE = "same-store"
    """In the table's own bucket or account; for a local table, in local folders."""
    ANY = "any"
    """Wherever the log leads, with the table's storage options."""


def read_outside(store: LogStore, storage_options: Mapping[str, str] | None) -> Callable[[str, int, int], bytes]:
    """Reads parts of files at absolute, URI-encoded paths, as far as the table in `store` may name them.

    What it gives raises `OutsideLocationError`, and what the store raises.
    """

    def read(path: str, start: int, length: int) -> bytes:
        folder, name = posixpath.split(decoded(path))
        folder = folder if ":" not in folder or not folder.startswith("file:") else "/" + folder[5:].lstrip("/")
        return open_outside(store, folder, storage_options).read_range(name, start, length)

    return read


def open_outside(store: LogStore, folder: str, storage_options: Mapping[str, str] | None) -> LogStore:
    """The store at an absolute folder that the log of the table in `store` names. Raises `OutsideLocationError`."""
    ensure_allowed(store, folder, storage_options)
    return open_store(folder, storage_options)


def ensure_allowed(store: LogStore, folder: str, storage_options: Mapping[str, str] | None) -> None:
    """Raises `OutsideLocationError` for an absolute folder that `storage_options` keep from being read."""
    policy = policy_of(storage_options)
    if policy is OutsidePolicy.ANY or (policy is OutsidePolicy.SAME_STORE and _place(folder) == _home(store)):
        return
    if _is_inside(folder, store):
        return
    elsewhere = "which is outside the table's folder"
    if policy is OutsidePolicy.SAME_STORE:
        elsewhere = "another bucket or account than the table's"
    raise OutsideLocationError(
        f"The log of {store.location} names a file in {folder}, {elsewhere}.",
        fix=f'If you trust everybody who may write to the table, give the storage option "{ALLOW_OUTSIDE}" the '
        f'value "{OutsidePolicy.ANY.value}": its other options are then used there too.',
        details={"location": store.location, "folder": folder, "policy": policy.value},
    )


def ensure_files_allowed(
    store: LogStore, root: TableRoot, files: Iterable[FileLocation], storage_options: Mapping[str, str] | None
) -> None:
    """Raises `OutsideLocationError` unless the policy lets each of a table's data files be read where it is."""
    inside = root.location.rstrip("/") + "/"
    for folder in {posixpath.dirname(file.path) for file in files if not file.path.startswith(inside)}:
        ensure_allowed(store, folder, storage_options)


def may_lead_outside(logged_path: str) -> bool:
    """Whether a path as the log has it is worth a closer look: nearly none is."""
    return logged_path.startswith("/") or ":" in logged_path or "%" in logged_path or ".." in logged_path


def policy_of(storage_options: Mapping[str, str] | None) -> OutsidePolicy:
    """What the storage option says, by default `same-store`. Raises `StorageOptionError` for another value."""
    given = {key.lower(): value for key, value in (storage_options or {}).items()}.get(ALLOW_OUTSIDE)
    named = {policy.value: policy for policy in OutsidePolicy}
    named |= {"true": OutsidePolicy.ANY, "false": OutsidePolicy.SAME_STORE}
    if given is None:
        return OutsidePolicy.SAME_STORE
    if given.strip().lower() in named:
        return named[given.strip().lower()]
    raise StorageOptionError(
        f'The storage option "{ALLOW_OUTSIDE}" is none of {", ".join(policy.value for policy in OutsidePolicy)}.',
        fix="Give one of these values, or leave the option out.",
        details={"option": ALLOW_OUTSIDE},
    )


def _is_inside(folder: str, store: LogStore) -> bool:
    root = store.location.rstrip("/")
    if isinstance(store, LocalStore):
        folder = "/" + folder.removeprefix("file:").lstrip("/")
    elif _place(folder) == _place(root):
        folder, root = folder.partition("://")[2], root.partition("://")[2]
    return folder == root or folder.startswith(f"{root}/")


def _home(store: LogStore) -> tuple[str, str]:
    return ("file", "") if isinstance(store, LocalStore) else _place(store.location)


def _place(location: str) -> tuple[str, str]:
    """What credentials belong to: the service, with the bucket, or with the account where the location has one."""
    match = _SCHEME.match(location)
    if match is None:
        return "file", ""
    # With one slash as well: Spark takes the scheme, and what its own settings say of the rest.
    service, authority = SERVICES.get(match[1].lower(), match[1].lower()), match[2] or ""
    if service == "azure" and "@" in authority:
        return service, authority.partition("@")[2].lower().replace(".dfs.", ".blob.")
    return service, authority
