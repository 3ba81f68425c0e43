"""Files that a log names by absolute paths: where the options of the table, keys among them, may be taken.

Whoever may write to a log may name any bucket and account in it, and a client that asks there hands over the table's
credentials. So only the table's own bucket or account is asked, unless whoever reads allows others.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping

from deltaresolver.errors import OutsideLocationError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.locations import SERVICES, open_store
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.storage_options import ALLOW_OUTSIDE
from deltaresolver.model.file_key import decoded


def read_outside(store: LogStore, options: Mapping[str, str] | None) -> Callable[[str, int, int], bytes]:
    """Reads parts of files at absolute, URI-encoded paths, as far as the table in `store` may name them.

    What it gives raises `OutsideLocationError`, and what the store raises.
    """

    def read(path: str, start: int, length: int) -> bytes:
        folder, name = posixpath.split(decoded(path))
        folder = folder if ":" not in folder or not folder.startswith("file:") else "/" + folder[5:].lstrip("/")
        return open_outside(store, folder, options).read_range(name, start, length)

    return read


def open_outside(store: LogStore, folder: str, options: Mapping[str, str] | None) -> LogStore:
    """The store at an absolute folder that the log of the table in `store` names. Raises `OutsideLocationError`."""
    ensure_allowed(store, folder, options)
    return open_store(folder, options)


def ensure_allowed(store: LogStore, folder: str, options: Mapping[str, str] | None) -> None:
    """Raises `OutsideLocationError` for a folder elsewhere than the table, unless the options allow that."""
    allowed = {key.lower(): value for key, value in (options or {}).items()}.get(ALLOW_OUTSIDE, "").lower() == "true"
    if allowed or _place(folder) == _home(store):
        return
    raise OutsideLocationError(
        f"The log of {store.location} names a file in {folder}, another bucket or account than the table's.",
        fix=f'If you trust everybody who may write to the table, give the storage option "{ALLOW_OUTSIDE}" the '
        'value "true": its other options are then used there too.',
        details={"location": store.location, "folder": folder},
    )


def _home(store: LogStore) -> tuple[str, str]:
    return ("file", "") if isinstance(store, LocalStore) else _place(store.location)


def _place(location: str) -> tuple[str, str]:
    """What credentials belong to: the service, with the bucket, or with the account where the location has one."""
    scheme, mark, rest = location.partition("://")
    if not mark:
        return "file", ""
    service = SERVICES.get(scheme.lower(), scheme.lower())
    authority = rest.partition("/")[0]
    if service == "azure" and "@" in authority:
        return service, authority.partition("@")[2].lower().replace(".dfs.", ".blob.")
    return service, authority
