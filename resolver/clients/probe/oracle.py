"""The rows of a local table, read from its log and its files one value at a time.

Slow and simple on purpose: it shares no code with any client, since clients are judged by it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.clients.probe.values import from_partition, same_form, stored_name
from deltaresolver.log.deletion_vectors import read_deletion_vectors
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile
from deltaresolver.model.schema import StructField


@attrs.frozen(eq=False)
class Rows:
    """Rows in a form that can be compared, how often each occurs, and one of them as it was read."""

    columns: tuple[StructField, ...]
    counted: Counter[str]
    example: Mapping[str, Any] | None

    def __len__(self) -> int:
        return self.counted.total()


def rows_of_table(snapshot: Snapshot, store: LogStore, table: Path) -> Rows:
    """Every row of the version. Raises `LogError`, and what pyarrow raises for a file that it cannot read."""
    columns = tuple(snapshot.metadata.schema.fields)
    counted: Counter[str] = Counter()
    example: dict[str, Any] | None = None
    for file in snapshot.add_actions():
        for raw in _rows_of_file(file, store, table, columns, frozenset(snapshot.metadata.partition_columns)):
            counted[_line({name: same_form(raw[name], kind, physical=True) for name, kind in _typed(columns)})] += 1
            if example is None or _nulls(raw) < _nulls(example):
                example = raw
    return Rows(columns, counted, example)


def rows_of_client(columns: tuple[StructField, ...], found: pa.Table) -> Counter[str]:
    """The rows that a client returned, in the same form. Raises `KeyError` where a column is missing."""
    lines: Counter[str] = Counter()
    names = [field.name for field in columns if field.name in found.column_names or _is_plain(field)]
    table = _with_whole_microseconds(found.select(names))
    kinds = {field.name: field.type for field in columns}
    for raw in table.to_pylist(maps_as_pydicts=None):
        lines[_line({name: same_form(raw[name], kinds[name], physical=False) for name in names})] += 1
    return lines


def without_column(lines: Counter[str], names: frozenset[str]) -> Counter[str]:
    """The same rows without some columns."""
    found: Counter[str] = Counter()
    for line, many in lines.items():
        found[_line({name: value for name, value in json.loads(line).items() if name not in names})] += many
    return found


def _is_plain(field: StructField) -> bool:
    """Whether a client must return this field: some leave out a VARIANT, which cannot be compared anyway."""
    return field.type != "variant"


def _typed(columns: tuple[StructField, ...]) -> Iterator[tuple[str, Any]]:
    return ((field.name, field.type) for field in columns)


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, sort_keys=True)


def _nulls(row: Mapping[str, Any]) -> int:
    return sum(value is None for value in row.values())


def _rows_of_file(
    file: AddFile, store: LogStore, table: Path, columns: tuple[StructField, ...], partitions: frozenset[str]
) -> Iterator[dict[str, Any]]:
    read = pq.ParquetFile(table / unquote(file.path), coerce_int96_timestamp_unit="us").read()
    held = _with_whole_microseconds(read)
    vector = file.deletion_vector
    deleted = (
        frozenset()
        if vector is None
        else frozenset(int(row) for rows in read_deletion_vectors(store, [vector]).values() for row in rows)
    )
    values = {
        stored_name(field): from_partition(file.partition_values.get(stored_name(field)), str(field.type))
        for field in columns
        if field.name in partitions
    }
    for position, raw in enumerate(held.to_pylist()):
        if position not in deleted:
            yield {
                field.name: values[stored_name(field)] if field.name in partitions else raw.get(stored_name(field))
                for field in columns
            }


def _with_whole_microseconds(table: pa.Table) -> pa.Table:
    """Without nanoseconds, which Python's moments do not have."""
    fields = []
    for field in table.schema:
        kind = field.type
        if pa.types.is_timestamp(kind) and kind.unit == "ns":
            kind = pa.timestamp("us", kind.tz)
        fields.append(field.with_type(kind))
    return table.cast(pa.schema(fields), safe=False) if fields != list(table.schema) else table
