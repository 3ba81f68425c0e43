"""Parquet files that one task writes: one at a time for each partition, with their statistics."""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.errors import LogError, WriteJobFailedError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile
from deltaresolver.model.schema import FieldPath, StructField
from deltaresolver.spark.parquet_calendar import marked_as_todays
from deltaresolver.spark.source.batch.conformed import conformed
from deltaresolver.spark.source.batch.nan_columns import bounded_in_footer, fraction_leaves, with_nan
from deltaresolver.spark.source.batch.parquet_types import arrow_fields
from deltaresolver.spark.source.batch.partition_texts import folder_name, partition_text
from deltaresolver.spark.writing.data_folder import WrittenFile
from deltaresolver.spark.writing.statistics.file_statistics import StatisticsShape, file_statistics
from deltaresolver.spark.writing.written_data import FileLayout

_GROUP_ROWS = 1 << 20
_GROUP_BYTES = 128 << 20
_MAX_OPEN = 64
_MAX_CODES = 1 << 62
"""As many partitions as a number can tell apart."""
_COMPRESSIONS = {"uncompressed": "none", "lz4_raw": "lz4"}


@attrs.frozen(slots=True)
class FileShape:
    """How the files of a write look: picklable.

    fields     the table's columns, partition columns included
    options    compression and most rows of a file
    """

    store: LogStore
    folder: str
    fields: tuple[StructField, ...]
    partition_columns: tuple[str, ...]
    mode: str
    layout: FileLayout
    compression: str = "snappy"
    most_rows: int = 0
    data_change: bool = True


class TaskFiles:
    """Takes batches and gives the files; after `abandon` none are left."""

    def __init__(self, shape: FileShape, task: str) -> None:
        self._shape = shape
        self._task = task
        self._open: dict[tuple[str | None, ...], _OpenFile] = {}
        self._done: list[AddFile] = []
        self._paths: list[str] = []
        self._partitioned = {name.lower() for name in shape.partition_columns}
        data = tuple(field for field in shape.fields if field.name.lower() not in self._partitioned)
        self._data = data
        self._schema = arrow_fields(data, shape.mode)
        self._fractions = fraction_leaves(self._schema)

    def write(self, rows: pa.RecordBatch) -> None:
        """Rows with the table's columns by their users' names. Raises `WriteJobFailedError`."""
        if not rows.num_rows:
            return
        try:
            if not self._partitioned:
                self._add((), rows)
            else:
                for values, part in self._by_partition(rows):
                    self._add(values, part)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _failed(self._shape, error) from error

    def finish(self) -> list[AddFile]:
        """Close everything; the files as the log will name them. Raises `WriteJobFailedError`."""
        try:
            for values in list(self._open):
                self._close(values)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _failed(self._shape, error) from error
        return self._done

    def abandon(self) -> None:
        """Delete what this task has written."""
        for file in self._open.values():
            file.give_up()
        for path in self._paths:
            try:
                self._shape.store.delete(path)
            except LogError:  # VACUUM finds what is left
                continue

    def _by_partition(self, rows: pa.RecordBatch) -> list[tuple[tuple[str | None, ...], pa.RecordBatch]]:
        codes, most = np.zeros(rows.num_rows, np.int64), 1
        columns = [rows.column(self._name(rows, name)) for name in self._shape.partition_columns]
        for column in columns:
            encoded = column.dictionary_encode(null_encoding="encode")
            count = len(encoded.dictionary) + 1
            if most * count > _MAX_CODES:
                codes, most = np.unique(codes, return_inverse=True)[1], rows.num_rows
            codes = codes * count + encoded.indices.to_numpy(zero_copy_only=False)
            most *= count
        parts = []
        for code in np.unique(codes):
            places = np.flatnonzero(codes == code)
            first = int(places[0])
            values = tuple(partition_text(column[first]) for column in columns)
            parts.append((values, rows if len(places) == rows.num_rows else rows.take(pa.array(places))))
        return parts

    def _name(self, rows: pa.RecordBatch, wanted: str) -> str:
        names: list[str] = rows.schema.names
        return next(name for name in names if name.lower() == wanted.lower())

    def _add(self, values: tuple[str | None, ...], rows: pa.RecordBatch) -> None:
        columns = [
            conformed(rows.column(field.name), field.type, self._schema.field(place).type, "none")
            for place, field in enumerate(self._data)
        ]
        batch = pa.RecordBatch.from_arrays(columns, schema=self._schema)
        limit = self._shape.most_rows
        while batch.num_rows:
            file = self._file(values)
            room = batch.num_rows if not limit else min(batch.num_rows, limit - file.rows)
            part = batch.slice(0, room)
            unbounded = with_nan(part, self._fractions)
            if not file.takes(unbounded):
                self._close(values)
                continue
            file.write(part, unbounded)
            batch = batch.slice(room)
            if limit and file.rows >= limit:
                self._close(values)

    def _file(self, values: tuple[str | None, ...]) -> _OpenFile:
        file = self._open.pop(values, None)
        if file is None:
            if len(self._open) >= _MAX_OPEN:
                self._close(next(iter(self._open)))
            names = [name for name, _ in self._shape.layout.partition_columns]
            folders = [folder_name(name, text) for name, text in zip(names, values, strict=True)]
            name = f"part-{self._task}-{uuid.uuid4()}.c000.parquet"
            path = "/".join([self._shape.folder, *folders, name])
            self._paths.append(path)
            file = _OpenFile(self._shape, path, self._schema)
        self._open[values] = file
        return file

    def _close(self, values: tuple[str | None, ...]) -> None:
        file = self._open.pop(values)
        stored = file.close()
        names = [name for name, _ in self._shape.layout.partition_columns]
        self._done.append(
            AddFile(
                path=stored.encoded_path,
                partition_values=dict(zip(names, values, strict=True)),
                size=stored.size,
                modification_time=stored.modified_ms,
                data_change=self._shape.data_change,
                stats=file.statistics,
                tags=self._shape.layout.tags,
            )
        )


class _OpenFile:
    """A Parquet file being written; rows wait until they make a row group."""

    def __init__(self, shape: FileShape, path: str, schema: pa.Schema) -> None:
        self._shape = shape
        self._path = path
        self._schema = schema
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_bytes = 0
        self._waiting_rows = 0
        self.rows = 0
        self.statistics = ""
        self._unbounded: frozenset[FieldPath] = frozenset()
        self._writer: pq.ParquetWriter | None = None
        self._sink: Any = pa.BufferOutputStream()
        if isinstance(shape.store, LocalStore):
            full = Path(shape.store.location, path)
            full.parent.mkdir(parents=True, exist_ok=True)
            self._sink = str(full)

    def takes(self, unbounded: frozenset[FieldPath]) -> bool:
        """Whether rows with NaN in these columns can be added: not once bounds of them are promised in the footer."""
        return self._writer is None or unbounded <= self._unbounded

    def write(self, batch: pa.RecordBatch, unbounded: frozenset[FieldPath]) -> None:
        """Add rows which hold NaN in the columns `unbounded`, and in no others."""
        self._unbounded |= unbounded
        self._waiting.append(batch)
        self._waiting_bytes += batch.nbytes
        self._waiting_rows += batch.num_rows
        self.rows += batch.num_rows
        if self._waiting_rows >= _GROUP_ROWS or self._waiting_bytes >= _GROUP_BYTES:
            self._flush()

    def close(self) -> WrittenFile:
        self._flush()
        self._opened().close()
        if isinstance(self._sink, str):
            found = Path(self._sink).stat()
            footer = pq.read_metadata(self._sink)
            file = WrittenFile(self._path, found.st_size, found.st_mtime_ns // 1_000_000)
        else:
            data = self._sink.getvalue().to_pybytes()
            footer = pq.read_metadata(pa.BufferReader(data))
            self._shape.store.put(self._path, data)
            file = WrittenFile(self._path, len(data), time.time_ns() // 1_000_000)
        self.statistics = file_statistics(footer, _without(self._shape.layout.statistics, self._unbounded))
        return file

    def give_up(self) -> None:
        try:
            if self._writer is not None:
                self._writer.close()
        except (pa.ArrowException, OSError, UnicodeDecodeError):  # the file goes anyway
            return

    def _opened(self) -> pq.ParquetWriter:
        if self._writer is None:
            codec = self._shape.compression.lower()
            self._writer = pq.ParquetWriter(
                self._sink,
                marked_as_todays(self._schema),
                compression=_COMPRESSIONS.get(codec, codec),
                write_statistics=bounded_in_footer(self._schema, self._unbounded),
                store_decimal_as_integer=True,
            )
        return self._writer

    def _flush(self) -> None:
        if self._waiting:
            self._opened().write_table(pa.Table.from_batches(self._waiting, schema=self._schema))
        self._waiting, self._waiting_bytes, self._waiting_rows = [], 0, 0


def _without(shape: StatisticsShape, paths: frozenset[FieldPath]) -> StatisticsShape:
    return attrs.evolve(shape, columns=tuple(each for each in shape.columns if each.path not in paths))


def _failed(shape: FileShape, error: Exception) -> WriteJobFailedError:
    return WriteJobFailedError(
        f"The rows for {shape.store.location} could not be written: {error}.",
        fix="Correct what the message complains of and repeat the write; the table is unchanged.",
        details={"location": shape.store.location, "reason": str(error)},
    )
