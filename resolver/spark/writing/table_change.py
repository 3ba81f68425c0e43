"""What a write does to the table's metadata: creates it, adds columns, replaces the schema, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import attrs

from deltaresolver.errors import UnknownColumnError, WriteSchemaMismatchError
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.model.actions import Action
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.keys import TYPE_WIDENING
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, StructField, StructType
from deltaresolver.spark.schema import visible_schema
from deltaresolver.spark.writing.schema_merge import VOID, MergePolicy, merge_schemas, nullable_field
from deltaresolver.spark.writing.void_columns import storable
from deltaresolver.spark.writing.write_options import WriteOptions
from deltaresolver.transaction.alter.change_type import note_type_change
from deltaresolver.transaction.alter.cluster_by import clustering_change
from deltaresolver.transaction.create.schema_input import schema_text
from deltaresolver.transaction.metadata.partition_columns import ensure_partitionable
from deltaresolver.transaction.metadata.properties import COMMENT, ensure_settable, normalized_changes
from deltaresolver.transaction.transaction import OptimisticTransaction

MERGE_BY_SESSION = "spark.databricks.delta.schema.autoMerge.enabled"


def stage_table(
    transaction: OptimisticTransaction,
    rows: StructType,
    asked: WriteOptions,
    session: Mapping[str, str],
    catalog: FeatureCatalog,
) -> Metadata:
    """The metadata that the rows are written under, staged in the transaction where it changes.

    Raises `WriteSchemaMismatchError`, and what staging metadata raises.
    """
    if transaction.read_version < 0:
        transaction.update_metadata_for_new_table(_new_table(rows, asked, catalog))
        return storable(transaction.metadata)
    before = transaction.metadata
    after = _overwritten(before, rows, asked) if asked.overwrite_schema and asked.replaces else None
    if after is None:
        _ensure_partitioning(before, asked)
        merges = merges_by_session(session) if asked.merge_schema is None else asked.merge_schema
        schema = merge_schemas(before.schema, rows, merge_policy(transaction, merges=merges))
        after = before if schema == before.schema else before.with_schema(schema)
    if after is not before:
        transaction.update_metadata(after)
    return storable(transaction.metadata)


def clustering_ended(
    transaction: OptimisticTransaction, asked: WriteOptions, catalog: FeatureCatalog
) -> Sequence[Action]:
    """The actions that end clustering: a write with overwriteSchema takes the layout of its rows, which have none.

    Other overwrites leave the layout alone.
    """
    if transaction.read_version < 0 or not (asked.overwrite_schema and asked.replaces):
        return ()
    known = clustering_change(transaction.state, (), catalog)
    return known.change.actions if known is not None and known.change.before.columns else ()


def ensure_condition(metadata: Metadata, asked: WriteOptions) -> None:
    """Raises `PredicateUnreadableError` and `UnknownColumnError` for what replaceWhere cannot mean in this table."""
    if asked.replace_where is None:
        return
    known = {field.name.lower(): field.name for field in metadata.schema.fields}
    unknown = sorted(parse_predicate(asked.replace_where).columns - known.keys())
    if unknown:
        raise UnknownColumnError(
            f"replaceWhere {asked.replace_where} asks for {', '.join(unknown)}, which the table does not have.",
            fix=f"Use some of: {', '.join(known.values())}.",
            details={"unknown": unknown, "known": list(known.values()), "condition": asked.replace_where},
        )


def table_schema(rows: StructType) -> StructType:
    """The schema of rows as that of a table: everything may be null, and notes of other tables are gone."""
    return StructType(tuple(nullable_field(field) for field in visible_schema(rows).fields))


def _new_table(rows: StructType, asked: WriteOptions, catalog: FeatureCatalog) -> Metadata:
    properties = normalized_changes(asked.properties, catalog)
    ensure_settable(properties, catalog, is_new_table=True)
    metadata = Metadata(
        id=str(uuid4()),
        description=properties.pop(COMMENT, None),
        schema_string=schema_text(table_schema(rows)),
        partition_columns=_partition_columns(rows, asked.partition_by),
        configuration=properties,
        created_time=milliseconds_now(),
    )
    ensure_partitionable(metadata)
    return metadata


def _overwritten(before: Metadata, rows: StructType, asked: WriteOptions) -> Metadata:
    """The metadata with the schema and partitioning of the rows; `before` itself where they are the same."""
    columns = _partition_columns(rows, asked.partition_by)
    try:
        same = merge_schemas(before.schema, rows, MergePolicy()) == before.schema
    except WriteSchemaMismatchError:
        same = False
    if same and len(rows.fields) == len(before.schema.fields) and columns == before.partition_columns:
        return before
    metadata = attrs.evolve(before, schema_string=schema_text(table_schema(rows)), partition_columns=columns)
    ensure_partitionable(metadata)
    return metadata


def merges_by_session(session: Mapping[str, str]) -> bool:
    """Whether the session lets every write add columns."""
    return session.get(MERGE_BY_SESSION, "false").lower() == "true"


def merge_policy(transaction: OptimisticTransaction, *, merges: bool, converts: bool = False) -> MergePolicy:
    """What a write that may or may not add columns may change about the schema."""
    widens = merges and transaction.metadata.is_on(TYPE_WIDENING)

    def note(field: StructField, before: str, after: str, place: FieldPath) -> Mapping[str, Any] | None:
        return note_type_change(transaction.state, field, (before, after, place), transaction.catalog)

    return MergePolicy(merges, note if widens else None, converts)


def _partition_columns(rows: StructType, asked: tuple[str, ...]) -> tuple[str, ...]:
    """The columns in the rows' own spelling; unknown ones as asked, for the checks of metadata to refuse."""
    known = {field.name.lower(): field.name for field in rows.fields}
    if asked and known.keys() <= {name.lower() for name in asked}:
        raise WriteSchemaMismatchError(
            f"All columns of the rows are partition columns: {', '.join(asked)}.",
            fix="Leave at least one column for the data files.",
            details={"columns": list(asked)},
            delta_condition="DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION",
        )
    return tuple(known.get(name.lower(), name) for name in asked)


def _ensure_partitioning(before: Metadata, asked: WriteOptions) -> None:
    given = tuple(name.lower() for name in asked.partition_by)
    if not given or given == tuple(name.lower() for name in before.partition_columns):
        return
    known = ", ".join(before.partition_columns) or "nothing"
    raise WriteSchemaMismatchError(
        f"The write is partitioned by {', '.join(asked.partition_by)}, but the table by {known}.",
        fix="Leave partitionBy out, or overwrite the table with the option overwriteSchema set to true.",
        details={"asked": list(asked.partition_by), "table": list(before.partition_columns)},
    )


def ensure_typed(rows: StructType, metadata: Metadata) -> None:
    """No column of the rows is null alone and stays so in the table. Raises `WriteSchemaMismatchError`."""
    given = {field.name.lower() for field in rows.fields if field.type in VOID}
    untyped = [field.name for field in metadata.schema.fields if field.type in VOID and field.name.lower() in given]
    if untyped:
        raise WriteSchemaMismatchError(
            f"Columns {', '.join(untyped)} of the rows have no type, only null.",
            fix="Cast them to the type that the table is to have.",
            details={"columns": untyped},
            delta_condition="DELTA_NULL_SCHEMA_IN_STREAMING_WRITE",
        )
