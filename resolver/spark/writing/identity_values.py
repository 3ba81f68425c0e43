"""Numbers for identity columns: unique without tasks talking to each other, counted on from the table's mark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from deltaresolver.model.actions import AddFile
from deltaresolver.model.facts.columns import (
    identity_mark,
    identity_step,
    mapping_mode,
    next_identity,
    physical_name,
)
from deltaresolver.model.facts.keys import IDENTITY_HIGH_WATER_MARK
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, StructType

if TYPE_CHECKING:
    from pyspark.sql import Column

MAX_PARTITIONS = 1000
"""Rows are numbered in turn over so many tasks: numbers of different tasks never meet, and gaps stay small."""
_ROW_BITS = (1 << 33) - 1
_LAST_PLACE = _ROW_BITS * MAX_PARTITIONS + MAX_PARTITIONS - 1
_LARGEST = 2**63 - 1


def identity_value(field: StructField) -> Column:
    """The number of a row. The rows must be in no more than `MAX_PARTITIONS` partitions.

    The job fails where 64 bits do not hold a number, with and without ANSI. Raises `SchemaMalformedError` where the
    column cannot count on at all.
    """
    from pyspark.sql import functions

    step, first = identity_step(field), next_identity(field)
    row = functions.monotonically_increasing_id().bitwiseAND(functions.lit(_ROW_BITS))
    place = row * functions.lit(MAX_PARTITIONS) + functions.spark_partition_id()
    value = functions.lit(first).cast("bigint") + place.cast("bigint") * functions.lit(step)
    furthest = (_LARGEST - first) // step if step > 0 else (first + _LARGEST + 1) // -step
    if furthest >= _LAST_PLACE:
        return value
    # Without ANSI, Spark's arithmetic would wrap around and give the same numbers twice.
    text = f"Column {field.name} cannot count on: its next number does not fit in 64 bits."
    return functions.when(place > furthest, functions.raise_error(functions.lit(text))).otherwise(value)


def with_marks(metadata: Metadata, counted: Sequence[str], adds: Iterable[AddFile]) -> Metadata:
    """The metadata that notes how far these identity columns have counted, by the statistics of new files."""
    files = [msgspec.json.decode(add.stats) for add in adds if add.stats]
    mode = mapping_mode(metadata)
    fields = [
        _marked(field, physical_name(field, mode), files) if field.name in counted else field
        for field in metadata.schema.fields
    ]
    return metadata.with_schema(StructType(tuple(fields)))


def _marked(field: StructField, stored: str, files: Sequence[Any]) -> StructField:
    notes, mark = dict(field.metadata or {}), identity_mark(field)
    side, furthest = ("maxValues", max) if identity_step(field) > 0 else ("minValues", min)
    reached = [file[side][stored] for file in files if stored in file.get(side, {})]
    if not reached:
        return field
    # Rows that were there before, as an update leaves them, do not take the mark back.
    reached += [] if mark is None else [mark]
    return msgspec.structs.replace(field, metadata={**notes, IDENTITY_HIGH_WATER_MARK: furthest(reached)})
