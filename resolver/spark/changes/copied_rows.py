"""Rows that only move from one file to another: they keep the ids that row tracking gave them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from deltaresolver.model.facts.keys import ROW_TRACKING
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import quoted
from deltaresolver.spark.reading.scan import MATERIALIZED
from deltaresolver.spark.writing.row_plan import stored

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KEEPS_ROW_IDS: Mapping[str, str] = {"delta.rowTracking.preserved": "true"}
"""What a commit is tagged with whose moved rows keep their ids."""


def is_tracked(metadata: Metadata) -> bool:
    """Whether rows have ids to keep."""
    return metadata.is_on(ROW_TRACKING)


def copied(rows: DataFrame, metadata: Metadata) -> DataFrame:
    """Rows scanned with row tracking, where the table has it, as data files of a table of this metadata hold them."""
    from pyspark.sql import functions

    kept = kept_ids(metadata)
    named = [functions.col(quoted(column)).alias(name) for column, name in kept.items()]
    columns = [functions.col(quoted(field.name)) for field in metadata.schema.fields]
    return stored(rows.select(*columns, *named), metadata, more=tuple(kept.values()))


def kept_ids(metadata: Metadata) -> Mapping[str, str]:
    """What a scan calls the ids, and the columns of data files that hold them."""
    if not is_tracked(metadata):
        return {}
    configuration = metadata.configuration
    return {column: configuration[key] for column, key in MATERIALIZED.items() if key in configuration}
