"""Check a table's live data files: each exists, and its size and row count are those of the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.audit.scan.deep_reading import is_damage
from deltaresolver.audit.verify.problem import FileProblem, ProblemKind
from deltaresolver.errors import (
    DeltaResolverError,
    LogError,
    OutsideLocationError,
    StorageUnsupportedError,
    StoredFileMissingError,
)
from deltaresolver.log.deletion_vectors import read_deletion_vectors
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.log.storage.stored_input import StoredInput
from deltaresolver.model.actions import AddFile
from deltaresolver.spark.reading.file_location import TableRoot
from deltaresolver.spark.reading.outside import open_outside, read_outside

_ROWS = 1 << 14
_UNKNOWN_TYPE = "Logical type "
"""The start of pyarrow's error for a type that it does not know yet, such as VARIANT."""


class _Counted(msgspec.Struct, rename="camel"):
    num_records: int | None = None


_stats = msgspec.json.Decoder(_Counted)


@attrs.frozen(slots=True, eq=False)
class FileCheck:
    """Checks one file at a time; safe to use from several threads.

    listed   files of the table's folder by path, where one listing costs less than a request for each file
    """

    store: LogStore
    root: TableRoot
    storage: Mapping[str, str] = attrs.field(repr=False)
    listed: Mapping[str, StoredFile] | None = None
    reads_pages: bool = False

    def problems(self, add: AddFile) -> list[FileProblem]:
        """What is wrong with the file and its deletion vector. Raises `StorageUnavailableError`."""
        try:
            store, path = self._place(add)
            found = self._find(store, path)
        except OutsideLocationError as error:
            return [FileProblem(ProblemKind.OUTSIDE, add.path, error.message)]
        except LogError as error:
            if not is_damage(error):
                raise
            return [FileProblem(ProblemKind.FILE_MISSING, add.path, "the log names the file, and it is not there")]
        problems = []
        if found.size != add.size:
            told = f"the file has {found.size:,} bytes, but the log records {add.size:,}"
            problems.append(FileProblem(ProblemKind.FILE_SIZE, add.path, told))
        rows = self._rows(store, path, found.size)
        if isinstance(rows, str):
            return [
                *problems,
                FileProblem(ProblemKind.FILE_DAMAGED, add.path, f"it is not a complete Parquet file: {rows}"),
            ]
        stated = _records(add)
        if stated is not None and stated != rows:
            told = f"the file holds {rows:,} rows, but the log records {stated:,}"
            problems.append(FileProblem(ProblemKind.ROW_COUNT, add.path, told))
        return problems + self._problems_of_vector(add, rows)

    def _place(self, add: AddFile) -> tuple[LogStore, str]:
        location = self.root.file(add.path).path
        inside = self.root.location.rstrip("/") + "/"
        if location.startswith(inside):
            return self.store, location[len(inside) :]
        folder, _, name = location.rpartition("/")
        folder = "/" + folder[5:].lstrip("/") if folder.startswith("file:") else folder
        return open_outside(self.store, folder, self.storage), name

    def _find(self, store: LogStore, path: str) -> StoredFile:
        if store is self.store and self.listed is not None:
            if path not in self.listed:
                raise StoredFileMissingError(f"{path} does not exist.", fix="", details={"path": path})
            return self.listed[path]
        return store.look_up(path)

    def _rows(self, store: LogStore, path: str, size: int) -> int | str:
        """How many rows the file has, or why it cannot be read."""
        source: Any = StoredInput(store, path, size)
        try:
            with pq.ParquetFile(source, page_checksum_verification=self.reads_pages) as file:
                rows = int(file.metadata.num_rows)
                if not self.reads_pages:
                    return rows
                read = sum(batch.num_rows for batch in file.iter_batches(_ROWS, use_threads=False))
                return rows if read == rows else f"its footer says {rows:,} rows, and {read:,} can be read"
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            if reason.startswith(_UNKNOWN_TYPE):
                raise _too_old(path, reason) from error
            return reason
        except LogError as error:
            if not is_damage(error):
                raise
            return error.message

    def _problems_of_vector(self, add: AddFile, rows: int) -> list[FileProblem]:
        if add.deletion_vector is None:
            return []
        try:
            read = read_deletion_vectors(self.store, [add.deletion_vector], read_outside(self.store, self.storage))
        except OutsideLocationError as error:
            return [FileProblem(ProblemKind.OUTSIDE, add.path, error.message)]
        except DeltaResolverError as error:
            if isinstance(error, LogError) and not is_damage(error):
                raise
            return [FileProblem(ProblemKind.VECTOR_DAMAGED, add.path, error.message)]
        marked = read[add.deletion_vector.unique_id]
        if not len(marked) or int(marked[-1]) < rows:
            return []
        told = f"the deletion vector marks row {int(marked[-1]):,} of a file of {rows:,} rows"
        return [FileProblem(ProblemKind.VECTOR_DAMAGED, add.path, told)]


def _too_old(path: str, reason: str) -> StorageUnsupportedError:
    return StorageUnsupportedError(
        f"{path} cannot be looked at: pyarrow {pa.__version__} does not know a type in it ({reason}).",
        fix="Install a newer pyarrow. The file need not be damaged.",
        details={"path": path, "pyarrow": pa.__version__},
    )


def _records(add: AddFile) -> int | None:
    try:
        return _stats.decode(add.stats).num_records if add.stats else None
    except (msgspec.DecodeError, RecursionError):
        return None
