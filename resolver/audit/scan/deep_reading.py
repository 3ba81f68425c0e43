"""`--deep`: read every file that makes the newest version, not only those with protocol and metadata."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.audit.scan.shortcuts import totals_problem
from deltaresolver.errors import LogError, StorageUnavailableError, StoredFileMissingError
from deltaresolver.log.checkpoint.read import read_small_actions
from deltaresolver.log.columnar.distinct_names import ensure_distinct_names
from deltaresolver.log.commits import decode_line, numbered_lines
from deltaresolver.log.names import sidecar_location
from deltaresolver.log.segment import CheckpointFiles, LogSegment
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.stored_input import StoredInput
from deltaresolver.log.upkeep.checksum_totals import totals_of_version
from deltaresolver.model.actions import Sidecar

_ROWS = 1 << 14


def find_damage(store: LogStore, segment: LogSegment) -> Iterator[str]:
    """The files of this version's checkpoint, sidecars included, that cannot be read to the end."""
    if segment.checkpoint is not None:
        yield from _damage_of_checkpoint(store, segment.checkpoint)


def find_wrong_totals(store: LogStore, segment: LogSegment, checksum: bytes) -> str | None:
    """Where the checksum's counts differ from the log's, in words. Raises `LogError` if no file list can be read."""
    totals = totals_of_version(Snapshot(store, segment))
    return totals_problem(checksum, totals.file_count, totals.total_bytes)


def is_damage(error: LogError) -> bool:
    """Whether an error is a fault of the file rather than of a storage that did not answer."""
    return not isinstance(error, StorageUnavailableError) and not isinstance(error.__cause__, StorageUnavailableError)


def _damage_of_checkpoint(store: LogStore, checkpoint: CheckpointFiles) -> Iterator[str]:
    damaged = [
        path
        for path, size in zip(checkpoint.paths, checkpoint.sizes, strict=True)
        if not (_is_whole_json(store, path) if path.endswith(".json") else _is_whole_parquet(store, path, size))
    ]
    yield from damaged
    if damaged:
        return
    for action in read_small_actions(store, checkpoint, ("sidecar",)):
        if isinstance(action, Sidecar):
            path = sidecar_location(action.path)
            if not _is_whole_parquet(store, path, action.size_in_bytes):
                yield path


def _is_whole_json(store: LogStore, path: str) -> bool:
    try:
        for number, line in numbered_lines(store.read(path)):
            decode_line(line, path, number)
    except LogError as error:
        return not is_damage(error)
    return True


def _is_whole_parquet(store: LogStore, path: str, size: int) -> bool:
    """Read every page of every column, and verify checksums of pages where the writer left them."""
    try:
        with pq.ParquetFile(StoredInput(store, path, size), page_checksum_verification=True) as file:
            ensure_distinct_names(file.schema_arrow)
            for _ in file.iter_batches(_ROWS, use_threads=False):
                pass
    except StoredFileMissingError:
        return True  # another finding reports it
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return False
    except LogError as error:
        return not is_damage(error)
    return True
