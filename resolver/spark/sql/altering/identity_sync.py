"""ALTER TABLE ... ALTER COLUMN ... SYNC IDENTITY: an identity column counts on behind the rows that are there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from deltaresolver.errors import SchemaRuleError, UnknownColumnError
from deltaresolver.model.facts.columns import identity_mark, identity_start, identity_step
from deltaresolver.model.facts.keys import IDENTITY_HIGH_WATER_MARK, IDENTITY_START, IDENTITY_UPDATE_TAG
from deltaresolver.model.schema import StructField, StructType, quote_path
from deltaresolver.spark.every_row import every_file
from deltaresolver.spark.reading.read import read
from deltaresolver.transaction.operation import operation

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.table import Table


def sync_identity(spark: SparkSession, table: Table, path: Sequence[str]) -> None:
    """Note the furthest value of an identity column as how far it has counted, if it is further than what is noted.

    Raises `UnknownColumnError`, `SchemaRuleError` for another kind of column, and what a read and a commit raise.
    """
    transaction = table.start_transaction()
    metadata, location = transaction.metadata, table.log.store.location
    field = _identity_column(metadata.schema, path)
    transaction.read_whole_table()
    found = read(spark, location, version=transaction.read_version, storage_options=table.storage_options)
    furthest = "max" if identity_step(field) > 0 else "min"
    with every_file(spark):
        (reached,) = found.agg({quote_path((field.name,)): furthest}).collect()[0]
    synced = field if reached is None else with_mark(field, int(reached))
    fields = tuple(synced if each is field else each for each in metadata.schema.fields)
    transaction.update_metadata(metadata.with_schema(StructType(fields)))
    shown = operation("CHANGE COLUMN", {"column": json.dumps(msgspec.to_builtins(field))})
    transaction.commit((), shown, {IDENTITY_UPDATE_TAG: "true"})


def _identity_column(schema: StructType, path: Sequence[str]) -> StructField:
    shown = quote_path(tuple(path))
    field = next((each for each in schema.fields if len(path) == 1 and each.name.lower() == path[0].lower()), None)
    if field is None and len(path) == 1:
        raise UnknownColumnError(
            f"The table has no column {shown}.",
            fix="Name an identity column of the table.",
            details={"column": list(path)},
            delta_condition="UNRESOLVED_COLUMN.WITH_SUGGESTION",
        )
    if field is None or IDENTITY_START not in (field.metadata or {}):
        raise SchemaRuleError(
            f"{shown} is not an identity column, so there is no count to sync.",
            fix="Name a column that is GENERATED ... AS IDENTITY.",
            details={"column": list(path)},
            delta_condition="DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN",
        )
    return field


def with_mark(field: StructField, reached: int) -> StructField:
    """The column counted as far as the next of its values from `reached` on; never back, and not before its start."""
    notes = dict(field.metadata or {})
    start, step, noted = identity_start(field), identity_step(field), identity_mark(field)
    steps = -((start - reached) // step)  # rounded away from the start
    mark = start + steps * step
    if (reached - start) * step < 0 or (noted is not None and (mark - noted) * step <= 0):
        return field
    return msgspec.structs.replace(field, metadata={**notes, IDENTITY_HIGH_WATER_MARK: mark})
