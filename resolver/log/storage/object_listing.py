"""Lists one folder of an object store, which knows no folders, only keys and prefixes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from deltaresolver.errors import StorageUnsupportedError
from deltaresolver.log.storage.bounded_answers import MAX_ENTRIES, MAX_LOG_ENTRIES, bounded_pages
from deltaresolver.log.storage.log_store import StoredFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from obstore import ListStream, ObjectMeta
    from obstore.store import AzureStore, GCSStore, S3Store

    Client: TypeAlias = S3Store | GCSStore | AzureStore

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLISECOND = dt.timedelta(milliseconds=1)
_PAGE = 1000
# Sorts after every name anyone uses.
_LAST = "\U0010fffd"


def list_sorted(client: Client, prefix: str, path: str) -> Iterator[StoredFile]:
    """The files in `path`'s folder from `path` on, from a store whose listings are sorted; page by page.

    `prefix` (with its slash, or empty) is put before `path` and taken off the results. Raises what the client raises,
    `StorageUnsupportedError` if the listing is not sorted after all, and as `bounded_pages`.
    """
    folder = _folder(prefix, path)
    first = prefix + path
    offset = _just_before(first)
    seen = ""
    while True:

        def start(offset: str | None = offset) -> ListStream[Sequence[ObjectMeta]]:
            return client.list(folder or None, offset=offset, chunk_size=_PAGE)

        for page in bounded_pages(start, MAX_LOG_ENTRIES, folder):
            for found in page:
                key = found["path"]
                if key <= seen:
                    raise _unsorted(seen, key)
                seen = key
                if key >= first and "/" not in key[len(folder) :]:
                    yield _stored_file(found, prefix)
            inner = seen[len(folder) :].partition("/")
            if len(page) == _PAGE and inner[1]:
                # A sub-folder fills the page and may hold very many keys more: go on behind it.
                offset = f"{folder}{inner[0]}/{_LAST}"
                seen = offset
                break
        else:
            return


def list_unsorted(client: Client, prefix: str, path: str) -> list[StoredFile]:
    """The same, sorted, from a store whose listings come in any order and always whole. Raises as `bounded_pages`."""
    folder = _folder(prefix, path)
    return sorted(
        _stored_file(found, prefix)
        for page in bounded_pages(lambda: client.list(folder or None, chunk_size=_PAGE), MAX_LOG_ENTRIES, folder)
        for found in page
        if found["path"] >= prefix + path and "/" not in found["path"][len(folder) :]
    )


def list_below(client: Client, prefix: str, path: str) -> Iterator[StoredFile]:
    """Every file below the folder `path`, however deep. Raises as `bounded_pages`."""
    for page in bounded_pages(lambda: client.list(prefix + path, chunk_size=_PAGE), MAX_ENTRIES, prefix + path):
        for found in page:
            yield _stored_file(found, prefix)


def _just_before(key: str) -> str | None:
    """Something hardly less than `key`, because stores list what is strictly after an offset; None for the start."""
    shorter = key[:-1]
    return None if shorter.rpartition("/")[2] in {"", ".", ".."} else shorter


def _folder(prefix: str, path: str) -> str:
    return (prefix + path)[: (prefix + path).rfind("/") + 1]


def _stored_file(found: ObjectMeta, prefix: str) -> StoredFile:
    modified_ms = (found["last_modified"] - _EPOCH) // _MILLISECOND
    return StoredFile(found["path"][len(prefix) :], found["size"], modified_ms)


def _unsorted(before: str, after: str) -> StorageUnsupportedError:
    return StorageUnsupportedError(
        f"The object store listed {after!r} after {before!r}, so its listings are not sorted.",
        fix='For an S3 directory bucket set the storage option "AWS_S3_EXPRESS" to "true".',
        details={"before": before, "after": after},
    )
