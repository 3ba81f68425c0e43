"""The statistics of many files, parsed at once and only for the columns asked for."""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from typing import Any

import attrs
import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.expressions.stored_column import StoredColumn, kind_of
from deltaresolver.expressions.stored_values import FRACTIONAL, WHOLE, arrow_type, stored_value
from deltaresolver.log.columnar.json_objects import read_texts

_COUNT, _NULLS, _LEAST, _GREATEST = "numRecords", "nullCount", "minValues", "maxValues"
_decode = msgspec.json.Decoder(float_hook=decimal.Decimal).decode


@attrs.frozen(slots=True, eq=False)
class ParsedStats:
    """One row per file; what a file has no usable statistic for is null."""

    record_count: pa.Array
    null_counts: dict[tuple[str, ...], pa.Array]
    least: dict[tuple[str, ...], pa.Array]
    greatest: dict[tuple[str, ...], pa.Array]


def parse_stats(texts: pa.StringArray, columns: Sequence[StoredColumn]) -> ParsedStats:
    """The statistics of `columns` in the files' JSON texts; a text that cannot be read counts as no statistics."""
    leaves = [column for column in columns if column.type]
    parsed = _parse_together(texts, leaves)
    return _parse_one_by_one(texts, leaves) if parsed is None else parsed


def _parse_together(texts: pa.StringArray, columns: Sequence[StoredColumn]) -> ParsedStats | None:
    """All texts by pyarrow's reader, or None where one of them is not as expected."""
    table = read_texts(texts, _reader_schema(columns))
    if table is None:
        return None
    found = ParsedStats(table.column(_COUNT).combine_chunks(), {}, {}, {})
    for column in columns:
        path = column.physical_path
        found.null_counts[path] = _leaf(table, (_NULLS, *path))
        if _has_order(column):
            found.least[path] = _typed(column, _leaf(table, (_LEAST, *path)))
            found.greatest[path] = _typed(column, _leaf(table, (_GREATEST, *path)))
    return found


def _has_order(column: StoredColumn) -> bool:
    kind = arrow_type(column)
    return kind is not None and kind != pa.bool_()


def _reader_schema(columns: Sequence[StoredColumn]) -> pa.Schema:
    counts: dict[str, Any] = {}
    bounds: dict[str, Any] = {}
    for column in columns:
        _plant(counts, column.physical_path, pa.int64())
        if _has_order(column):
            _plant(bounds, column.physical_path, _json_type(column))
    trees = {_COUNT: pa.int64(), _NULLS: _grown(counts), _LEAST: _grown(bounds), _GREATEST: _grown(bounds)}
    return pa.schema(trees.items())


def _json_type(column: StoredColumn) -> pa.DataType:
    kind = kind_of(column)
    if kind in WHOLE:
        return pa.int64()
    if kind in FRACTIONAL:
        return pa.float64()
    return arrow_type(column) if kind == "decimal" else pa.string()


def _plant(tree: dict[str, Any], path: tuple[str, ...], leaf: pa.DataType) -> None:
    for name in path[:-1]:
        tree = tree.setdefault(name, {})
    tree[path[-1]] = leaf


def _grown(tree: Any) -> pa.DataType:
    return pa.struct([(name, _grown(below)) for name, below in tree.items()]) if isinstance(tree, dict) else tree


def _leaf(table: pa.Table, path: tuple[str, ...]) -> pa.Array:
    return pc.struct_field(table.column(path[0]).combine_chunks(), list(path[1:]))


def _typed(column: StoredColumn, values: pa.Array) -> pa.Array:
    """Statistics as the column's own type; what does not read as one is null."""
    wanted = arrow_type(column)
    if kind_of(column) == "float":
        return values.cast(pa.float32()).cast(wanted)
    if values.type.equals(wanted):
        return values
    try:
        return values.cast(wanted)
    except pa.ArrowInvalid:
        return _array(column, values.to_pylist())


def _array(column: StoredColumn, values: Sequence[Any]) -> pa.Array:
    return pa.array([None if value is None else stored_value(column, value) for value in values], arrow_type(column))


def _parse_one_by_one(texts: pa.StringArray, columns: Sequence[StoredColumn]) -> ParsedStats:
    rows = [_decode_one(text) for text in texts.to_pylist()]
    found = ParsedStats(_counts(rows, (_COUNT,)), {}, {}, {})
    for column in columns:
        path = column.physical_path
        found.null_counts[path] = _counts(rows, (_NULLS, *path))
        if _has_order(column):
            found.least[path] = _array(column, [_dig(row, (_LEAST, *path)) for row in rows])
            found.greatest[path] = _array(column, [_dig(row, (_GREATEST, *path)) for row in rows])
    return found


def _counts(rows: Sequence[Any], path: tuple[str, ...]) -> pa.Array:
    found = [_dig(row, path) for row in rows]
    return pa.array([n if type(n) is int and 0 <= n < 2**63 else None for n in found], pa.int64())


def _decode_one(text: str | None) -> Any:
    try:
        return {} if text is None else _decode(text)
    except (msgspec.DecodeError, RecursionError, ArithmeticError):
        return {}


def _dig(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
