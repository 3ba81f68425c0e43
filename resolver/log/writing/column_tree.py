"""Which columns statistics speak of, by their names in the files, and as which types they are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs
import pyarrow as pa

from deltaresolver.log.stored_column import decimal_shape
from deltaresolver.log.writing.table_settings import EVERY_COLUMN, STATS_COLUMNS, indexed_column_limit
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import DataType, StructField, StructType, base_type

_MODE = "delta.columnMapping.mode"
_PHYSICAL_NAME = "delta.columnMapping.physicalName"

_ARROW = {
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_WITHOUT_BOUNDS = (pa.bool_(), pa.binary())


@attrs.frozen(slots=True)
class _Leaf:
    physical: tuple[str, ...]
    logical: tuple[str, ...]
    type: DataType


def arrow_leaf_type(kind: DataType) -> pa.DataType | None:
    """The Arrow type of a leaf column's values; None where this library keeps none in typed form."""
    if not isinstance(kind, str):
        return None
    if base_type(kind) == "decimal":
        return pa.decimal128(*decimal_shape(kind))
    return _ARROW.get(kind)


def stats_type(metadata: Metadata, protocol: Protocol) -> pa.StructType | None:
    """The type of `stats_parsed`. None for a table without columns to keep statistics of."""
    leaves = _indexed(metadata)
    if not leaves:
        return None
    bounds = _grow(leaves, _bound_type)
    counts = _grow(leaves, lambda _: pa.int64())
    fields = [pa.field("numRecords", pa.int64())]
    if bounds is not None:
        fields += [pa.field("minValues", bounds), pa.field("maxValues", bounds)]
    fields.append(pa.field("nullCount", counts))
    if "deletionVectors" in (protocol.writer_features or ()):
        fields.append(pa.field("tightBounds", pa.bool_()))
    return pa.struct(fields)


def partition_type(metadata: Metadata) -> pa.StructType | None:
    """The type of `partitionValues_parsed`. None for a table without partition columns."""
    folded = {field.name.lower(): field for field in metadata.schema.fields}
    fields = []
    for name in metadata.partition_columns:
        field = folded.get(name.lower())
        kind = None if field is None else arrow_leaf_type(field.type)
        if field is not None and kind is not None:
            fields.append(pa.field(_physical_name(field, _is_mapped(metadata)), kind))
    return pa.struct(fields) if fields else None


def _indexed(metadata: Metadata) -> list[_Leaf]:
    """The leaves that the table keeps statistics of: those it names, else the first ones."""
    partitions = {name.lower() for name in metadata.partition_columns}
    data = StructType(tuple(field for field in metadata.schema.fields if field.name.lower() not in partitions))
    leaves = list(_leaves(data, _is_mapped(metadata)))
    named = metadata.configuration.get(STATS_COLUMNS)
    if named is not None:
        chosen = [_split(name) for name in named.split(",") if name.strip()]
        return [leaf for leaf in leaves if any(_folded(leaf.logical)[: len(path)] == path for path in chosen)]
    limit = indexed_column_limit(metadata)
    return leaves if limit == EVERY_COLUMN else leaves[: max(limit, 0)]


def _split(name: str) -> tuple[str, ...]:
    return _folded(part.strip("`") for part in name.strip().split("."))


def _folded(names: Iterator[str] | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


def _leaves(
    struct: StructType, mapped: bool, physical: tuple[str, ...] = (), logical: tuple[str, ...] = ()
) -> Iterator[_Leaf]:
    for field in struct.fields:
        stored, shown = (*physical, _physical_name(field, mapped)), (*logical, field.name)
        if isinstance(field.type, StructType):
            yield from _leaves(field.type, mapped, stored, shown)
        else:
            yield _Leaf(stored, shown, field.type)


def _is_mapped(metadata: Metadata) -> bool:
    return metadata.configuration.get(_MODE, "none").lower() in ("name", "id")


def _physical_name(field: StructField, mapped: bool) -> str:
    return str((field.metadata or {}).get(_PHYSICAL_NAME, field.name)) if mapped else field.name


def _bound_type(leaf: _Leaf) -> pa.DataType | None:
    kind = arrow_leaf_type(leaf.type)
    return None if kind in _WITHOUT_BOUNDS else kind


def _grow(leaves: list[_Leaf], type_of: Callable[[_Leaf], pa.DataType | None], depth: int = 0) -> pa.StructType | None:
    """The struct of those leaves that have a type, nested as their paths are from `depth` on."""
    groups: dict[str, list[_Leaf]] = {}
    for leaf in leaves:
        groups.setdefault(leaf.physical[depth], []).append(leaf)
    fields = []
    for name, below in groups.items():
        kind = type_of(below[0]) if len(below[0].physical) == depth + 1 else _grow(below, type_of, depth + 1)
        if kind is not None:
            fields.append(pa.field(name, kind))
    return pa.struct(fields) if fields else None
