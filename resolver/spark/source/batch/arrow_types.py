"""Spark's types as Spark itself wants them in Arrow."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


def arrow_schema(schema: StructType) -> pa.Schema:
    """The schema that batches must have which a data source gives to Spark."""
    from pyspark.sql.pandas.types import to_arrow_schema

    convert: Any = to_arrow_schema
    # The zone became an argument with Spark 4.1; before, it was always this one.
    zone = {"timezone": "UTC"} if "timezone" in inspect.signature(convert).parameters else {}
    found: pa.Schema = convert(schema, **zone)
    return found
