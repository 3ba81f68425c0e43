"""Rows of data files as Arrow batches, in worker processes: Parquet, partition values and deletion vectors."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltaresolver.errors import DataFileMissingError, DataFileUnreadableError, StoredFileMissingError
from deltaresolver.log.deletion_vectors import Rows, read_deletion_vectors
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.stored_input import StoredInput
from deltaresolver.model.facts.columns import physical_name
from deltaresolver.model.facts.keys import COLUMN_ID
from deltaresolver.model.schema import StructField
from deltaresolver.spark.reading.file_location import FileLocation, TableRoot
from deltaresolver.spark.reading.outside import ensure_files_allowed, open_outside, read_outside
from deltaresolver.spark.source.batch.conformed import conformed
from deltaresolver.spark.source.batch.file_calendar import CalendarReading
from deltaresolver.spark.source.batch.file_tasks import FilePart, FileTask
from deltaresolver.spark.source.batch.typed_values import constant_array
from deltaresolver.spark.source.told_errors import told

_STORED_ID = b"PARQUET:field_id"
_BATCH_ROWS = 64 * 1024
ROW_ID, ROW_COMMIT_VERSION = "row_id", "row_commit_version"


@attrs.frozen(slots=True)
class _Stored:
    """How one file stores columns: under which names, by those of the query, and in which calendar if not today's."""

    names: Mapping[str, str]
    calendar: CalendarReading | None


@attrs.frozen(slots=True)
class RowSource:
    """A table's rows as one query wants them: picklable.

    fields      the columns to give, in order; those named in a part's constants come from there
    target      the same columns as Spark wants them in Arrow
    row_columns where row ids and row commit versions are materialized, by the name of the column given
    calendar_modes  the session's settings for files whose calendar is not known
    """

    store: LogStore
    root: TableRoot
    fields: tuple[StructField, ...]
    target: pa.Schema
    mode: str
    partition_columns: frozenset[str]
    zone: str = "UTC"
    storage: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    row_columns: Mapping[str, str | None] = attrs.field(factory=dict, hash=False)
    calendar_modes: Mapping[str, str] = attrs.field(factory=dict, hash=False)

    def rows(self, task: FileTask, keep: pc.Expression | None = None) -> Iterator[pa.RecordBatch]:
        """The rows of a task, those for which `keep` is not true left out.

        Raises `DataFileMissingError`, `DataFileUnreadableError`, `DeletionVectorUnreadableError`.
        """
        with told():
            for part in task.parts:
                for batch in self._part(part):
                    kept = batch if keep is None else _kept(batch, keep)
                    if kept.num_rows:
                        yield kept

    def _part(self, part: FilePart) -> Iterator[pa.RecordBatch]:
        try:
            with _opened(self, part) as file:
                yield from self._file(part, file)
        except (FileNotFoundError, StoredFileMissingError) as error:
            raise _missing(part, error) from error
        except (pa.ArrowException, OSError, UnicodeDecodeError, LookupError) as error:
            raise _unreadable(part, error) from error

    def _file(self, part: FilePart, file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
        stored = _Stored(self._stored_names(file), CalendarReading.of(file, self.calendar_modes))
        wanted = sorted(set(stored.names.values()))
        marked = self._marked(part)
        first = 0
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            if part.start <= _begins_at(group) < part.end or (part.start == 0 and _begins_at(group) >= part.size):
                position = first
                for batch in file.iter_batches(_BATCH_ROWS, row_groups=[number], columns=wanted):
                    positions = (position, position + batch.num_rows)
                    position = positions[1]
                    yield self._shaped(batch, stored, part, positions, marked)
            first += group.num_rows

    def _shaped(
        self,
        batch: pa.RecordBatch,
        stored: _Stored,
        part: FilePart,
        positions: tuple[int, int],
        marked: Rows | None,
    ) -> pa.RecordBatch:
        columns = [
            self._column(batch, stored, part, field, self.target.field(place).type, positions[0])
            for place, field in enumerate(self.fields)
        ]
        shaped = pa.RecordBatch.from_arrays(columns, schema=self.target)
        if marked is None:
            return shaped
        inside = marked[np.searchsorted(marked, positions[0]) : np.searchsorted(marked, positions[1])]
        if part.only is None and not len(inside):
            return shaped
        chosen = np.full(shaped.num_rows, part.only is None)
        chosen[inside - positions[0]] = part.only is not None
        return shaped.filter(pa.array(chosen))

    def _column(
        self,
        batch: pa.RecordBatch,
        stored: _Stored,
        part: FilePart,
        field: StructField,
        target: pa.DataType,
        first: int,
    ) -> pa.Array:
        rows = batch.num_rows
        if field.name in part.constants:
            return constant_array(part.constants[field.name], field.type, target, rows, "UTC")
        if field.name in self.row_columns:
            return self._row_column(batch, part, field.name, first)
        if field.name.lower() in self.partition_columns:
            text = part.partition_values.get(physical_name(field, self.mode))
            return constant_array(text, field.type, target, rows, self.zone)
        name = stored.names.get(field.name)
        if name is None:
            return pa.nulls(rows, target)
        found = conformed(batch.column(name), field.type, target, self.mode)
        return found if stored.calendar is None else stored.calendar.gregorian(found, field.type, name)

    def _row_column(self, batch: pa.RecordBatch, part: FilePart, name: str, first: int) -> pa.Array:
        """Row ids and row commit versions: as the file holds them, else by the file."""
        if name == ROW_ID:
            start = part.base_row_id
            by_file: Any = pa.nulls(batch.num_rows, pa.int64())
            if start is not None:
                by_file = pa.array(np.arange(start + first, start + first + batch.num_rows, dtype=np.int64))
        else:
            by_file = pa.repeat(pa.scalar(part.default_row_commit_version, pa.int64()), batch.num_rows)
        stored = self.row_columns[name]
        if stored is None or stored not in batch.schema.names:
            return by_file
        return pc.coalesce(batch.column(stored).cast(pa.int64()), by_file)

    def _stored_names(self, file: pq.ParquetFile) -> dict[str, str]:
        """Where each column is in the file: by its id where the table is mapped so, else by name in any case."""
        schema = file.schema_arrow
        by_id = {
            field.metadata[_STORED_ID].decode(): field.name
            for field in schema
            if self.mode == "id" and _STORED_ID in (field.metadata or {})
        }
        lowered = {name.lower(): name for name in reversed(schema.names)}
        found: dict[str, str] = {}
        for field in self.fields:
            if field.name.lower() in self.partition_columns:
                continue
            wanted = physical_name(field, self.mode)
            number = str((field.metadata or {}).get(COLUMN_ID, ""))
            name = by_id.get(number) or (wanted if wanted in schema.names else lowered.get(wanted.lower()))
            if name is not None:
                found[field.name] = name
        stored = {column: name for column, name in self.row_columns.items() if name is not None}
        return found | {column: name for column, name in stored.items() if name in schema.names}

    def _marked(self, part: FilePart) -> Rows | None:
        if part.only is not None:
            return np.frombuffer(part.only, np.int64)
        vector = part.deletion_vector
        if vector is None:
            return None
        return read_deletion_vectors(self.store, [vector], read_outside(self.store, self.storage))[vector.unique_id]


def _kept(batch: pa.RecordBatch, keep: pc.Expression) -> pa.RecordBatch:
    found = pa.Table.from_batches([batch]).filter(keep).combine_chunks().to_batches()
    return found[0] if found else batch.slice(0, 0)


def _begins_at(group: pq.RowGroupMetaData) -> int:
    column = group.column(0) if group.num_columns else None
    if column is None:
        return 0
    return int(column.dictionary_page_offset or column.data_page_offset)


def _opened(source: RowSource, part: FilePart) -> pq.ParquetFile:
    location = source.root.file(part.path).path
    ensure_files_allowed(source.store, source.root, [FileLocation(location)], source.storage)
    if location.startswith("file:"):
        place: Any = "/" + location[5:].lstrip("/")
    else:
        place = _stored(source, location, part.size)
    return pq.ParquetFile(place, coerce_int96_timestamp_unit="us", memory_map=isinstance(place, str))


def _stored(source: RowSource, location: str, size: int) -> StoredInput:
    inside = source.root.location + "/"
    if location.startswith(inside):
        return StoredInput(source.store, location[len(inside) :], size)
    folder, _, name = location.rpartition("/")
    return StoredInput(open_outside(source.store, folder, source.storage), name, size)


def _missing(part: FilePart, error: Exception) -> DataFileMissingError:
    path = urllib.parse.unquote(part.path)
    return DataFileMissingError(
        f"The data file {path} is in the table's log but is not there.",
        fix="Restore the file, read a table version that does not need it, or remove it from the log.",
        details={"path": path, "reason": str(error)},
    )


def _unreadable(part: FilePart, error: Exception) -> DataFileUnreadableError:
    path = urllib.parse.unquote(part.path)
    return DataFileUnreadableError(
        f"The data file {path} cannot be read: {error}.",
        fix="Restore the file, read a table version that does not need it, or remove it from the log.",
        details={"path": path, "reason": str(error)},
    )
