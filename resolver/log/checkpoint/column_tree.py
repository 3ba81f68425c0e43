"""Which columns statistics speak of, by their names in the files, and as which types they are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from deltaresolver.expressions.stored_column import decimal_shape
from deltaresolver.log.checkpoint.indexed_leaves import Leaf, indexed_leaves
from deltaresolver.model.facts.column_mapping import mapping_mode, physical_name
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import DataType, base_type

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


def arrow_leaf_type(kind: DataType) -> pa.DataType | None:
    """The Arrow type of a leaf column's values; None where this library keeps none in typed form."""
    if not isinstance(kind, str):
        return None
    if base_type(kind) == "decimal":
        return pa.decimal128(*decimal_shape(kind))
    return _ARROW.get(kind)


def stats_type(metadata: Metadata, protocol: Protocol) -> pa.StructType | None:
    """The type of `stats_parsed`. None for a table without columns to keep statistics of."""
    leaves = indexed_leaves(metadata)
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
            fields.append(pa.field(physical_name(field, mapping_mode(metadata)), kind))
    return pa.struct(fields) if fields else None


def _bound_type(leaf: Leaf) -> pa.DataType | None:
    kind = arrow_leaf_type(leaf.type)
    return None if kind in _WITHOUT_BOUNDS else kind


def _grow(
    leaves: Sequence[Leaf], type_of: Callable[[Leaf], pa.DataType | None], depth: int = 0
) -> pa.StructType | None:
    """The struct of those leaves that have a type, nested as their paths are from `depth` on."""
    groups: dict[str, list[Leaf]] = {}
    for leaf in leaves:
        groups.setdefault(leaf.physical[depth], []).append(leaf)
    fields = []
    for name, below in groups.items():
        kind = type_of(below[0]) if len(below[0].physical) == depth + 1 else _grow(below, type_of, depth + 1)
        if kind is not None:
            fields.append(pa.field(name, kind))
    return pa.struct(fields) if fields else None
