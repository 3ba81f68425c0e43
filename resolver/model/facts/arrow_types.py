"""Delta's types as Arrow has them. Whoever imports this loads pyarrow."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from deltaresolver.model.facts.leaf_types import find_decimal

LEAF_TYPES: Mapping[str, pa.DataType] = {
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
"""Arrow's type of each leaf type but decimals, as files hold its values."""


def arrow_leaf_type(name: str) -> pa.DataType | None:
    """The Arrow type of values of one leaf type, as files hold them; None for a type that Arrow does not have."""
    decimal = find_decimal(name)
    return LEAF_TYPES.get(name) if decimal is None else pa.decimal128(*decimal)
