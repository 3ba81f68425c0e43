"""What the writers of the several kinds of checkpoint have done, and how they put a file that may be there already."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from deltaresolver.errors import StoredFileExistsError
from deltaresolver.log.checkpoint.write_last_checkpoint import LastCheckpoint
from deltaresolver.log.listing import list_log
from deltaresolver.log.names import listing_prefix
from deltaresolver.log.segment import CheckpointFiles
from deltaresolver.log.storage.log_store import LogStore, StoredFile


@attrs.frozen(slots=True)
class WrittenCheckpoint:
    """A checkpoint's own files, and what tells readers about it."""

    files: CheckpointFiles
    hint: LastCheckpoint


def put_unless_good(store: LogStore, path: str, data: bytes, is_good: Callable[[], bool]) -> None:
    """Create the file; one that is there already is replaced only if it is not good.

    Every writer of a checkpoint's file writes the same state, but readers may be in the middle of the one there.
    """
    try:
        store.put_if_absent(path, data)
    except StoredFileExistsError:
        if not is_good():
            store.put(path, data)


def find_checkpoint(store: LogStore, table_version: int, paths: tuple[str, ...]) -> CheckpointFiles | None:
    """The complete checkpoint made of exactly these files."""
    found = list_log(store, table_version, table_version).checkpoints
    return next((each for each in found if each.paths == paths), None)


def find_file(store: LogStore, table_version: int, path: str) -> StoredFile | None:
    """The file of this version at `path`."""
    for file in store.list_from(listing_prefix(table_version)):
        if file.path >= path:
            return file if file.path == path else None
    return None
