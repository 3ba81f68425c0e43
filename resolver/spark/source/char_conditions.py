"""Columns declared char(n) in Arrow batches: filled up with blanks, as Spark compares them."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.declared_lengths import declared


def char_lengths(metadata: Metadata) -> Mapping[str, int]:
    """The columns declared char(n), by lowered name."""
    found = {field.name.lower(): declared(field) for field in metadata.schema.fields}
    return {name: limits.length for name, limits in found.items() if limits.is_padded}


def filled_up(batch: pa.RecordBatch, lengths: Mapping[str, int]) -> pa.RecordBatch:
    """The rows with every char(n) column filled up to n characters."""
    columns = [
        column if length is None else pc.utf8_rpad(column, length, " ")
        for column, length in zip(batch.columns, map(lengths.get, map(str.lower, batch.schema.names)), strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
