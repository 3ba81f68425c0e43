"""The columns that have statistics, by their names in the files, with the types in which the statistics are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from deltaresolver.log.checkpoint.indexed_leaves import Leaf, indexed_leaves
from deltaresolver.model.facts.arrow_types import arrow_leaf_type
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import DataType

_WITHOUT_BOUNDS = (pa.bool_(), pa.binary())


def _value_type(kind: DataType) -> pa.DataType | None:
    """The Arrow type of a leaf column's values; None where this library keeps none in typed form."""
    return arrow_leaf_type(kind) if isinstance(kind, str) else None


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
        kind = None if field is None else _value_type(field.type)
        if field is not None and kind is not None:
            fields.append(pa.field(physical_name(field, mapping_mode(metadata)), kind))
    return pa.struct(fields) if fields else None


def _bound_type(leaf: Leaf) -> pa.DataType | None:
    kind = _value_type(leaf.type)
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
