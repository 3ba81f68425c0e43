"""CREATE TABLE and REPLACE TABLE without Spark: a commit with the table's metadata and no rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import attrs

from deltaresolver.errors import ClusteringError, TableExistsError, TableNotFoundError
from deltaresolver.model.actions import Action
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import FieldPath, quoted
from deltaresolver.transaction.alter.cluster_by import (
    asking_for,
    clustering_change,
    clustering_columns,
    named_columns,
)
from deltaresolver.transaction.commit.removed_files import removals
from deltaresolver.transaction.create.create_mode import CreateMode
from deltaresolver.transaction.create.declared_columns import ensure_declarable, ensure_generated_comparable
from deltaresolver.transaction.create.schema_input import Schema, schema_text
from deltaresolver.transaction.metadata.coordinators import ensure_new_coordinator
from deltaresolver.transaction.metadata.kept_expressions import ensure_expressions_usable
from deltaresolver.transaction.metadata.partition_columns import ensure_partitionable
from deltaresolver.transaction.metadata.properties import COMMENT, ensure_settable, normalized_changes
from deltaresolver.transaction.metadata.statistics_columns import ensure_declared_with_bounds, ensure_statistics_columns
from deltaresolver.transaction.operation import table_creation
from deltaresolver.transaction.starter import TransactionStarter
from deltaresolver.transaction.transaction import OptimisticTransaction

EMPTY: Mapping[str, str] = {}
_PLAIN = re.compile(r"[a-zA-Z0-9_]+")


@attrs.frozen(slots=True)
class NewTable:
    """A table as it is declared."""

    schema: Schema
    partition_columns: Sequence[str] = ()
    cluster_by: Sequence[FieldPath] = ()
    properties: Mapping[str, str] = EMPTY
    name: str | None = None
    description: str | None = None
    mode: CreateMode = CreateMode.CREATE
    may_be_empty: bool = False
    """It may have no column for now."""
    is_managed: bool = False
    """A catalog owns its files, as history then says."""


@attrs.frozen(slots=True)
class CreateOutcome:
    """The table after CREATE or REPLACE, or with `dry_run` as it would be."""

    table_version: int
    protocol: Protocol
    metadata: Metadata
    is_committed: bool = True
    """False for a table that was there already and stays as it is."""
    dry_run: bool = False


def create_table(starter: TransactionStarter, new: NewTable, *, dry_run: bool = False) -> CreateOutcome:
    """Commit the table, or with `dry_run` only check that it could be.

    The protocol is the lowest that its metadata takes; a replaced table keeps what it supports. Raises
    `TableExistsError`, `TableNotFoundError`, `SchemaRuleError`, `ClusteringError`, `TablePropertyRefusedError`,
    `TableExpressionRefusedError`, and what the resolver and the commit raise.
    """
    starter = starter.pretending() if dry_run else starter
    transaction = starter.start()
    exists = transaction.read_version >= 0
    if exists and new.mode is CreateMode.CREATE_IF_NOT_EXISTS:
        read = transaction.state
        return CreateOutcome(read.table_version, read.protocol, read.metadata, is_committed=False, dry_run=dry_run)
    _ensure_place(starter, new.mode, exists=exists)
    metadata = _metadata(starter, new)
    removed = removals(transaction.filter_files(), starter.clock()) if exists else []
    layout = _stage(starter, transaction, metadata, new)
    ensure_expressions_usable(transaction, starter.catalog)
    is_plain = new.mode in (CreateMode.CREATE, CreateMode.CREATE_IF_NOT_EXISTS)
    name = CreateMode.CREATE.value if is_plain else new.mode.value
    operation = _operation(transaction, metadata, new, name)
    version = transaction.commit((*removed, *layout), operation)
    return CreateOutcome(version, transaction.protocol, transaction.metadata, dry_run=dry_run)


def stage_creation(
    starter: TransactionStarter, transaction: OptimisticTransaction, new: NewTable, name: str
) -> tuple[Operation, Sequence[Action]]:
    """Stage the metadata of a table that gets rows in the same commit: the operation called `name`, and its layout.

    Raises as `create_table`.
    """
    exists = transaction.read_version >= 0
    _ensure_place(starter, new.mode, exists=exists)
    metadata = _metadata(starter, new)
    layout = _stage(starter, transaction, metadata, new)
    return _operation(transaction, metadata, new, name), layout


def _operation(transaction: OptimisticTransaction, metadata: Metadata, new: NewTable, name: str) -> Operation:
    return table_creation(
        name,
        partition_by=metadata.partition_columns,
        cluster_by=[_as_spark_shows(path) for path in new.cluster_by],
        description=metadata.description,
        properties=transaction.metadata.configuration,
        is_managed=new.is_managed,
    )


def _as_spark_shows(path: FieldPath) -> str:
    """The column as history names it: in backticks what is not letters of ASCII, digits and underscores."""
    plain = [_PLAIN.fullmatch(name) and not name.isdecimal() for name in path]
    return ".".join(name if is_plain else quoted(name) for name, is_plain in zip(path, plain, strict=True))


def _metadata(starter: TransactionStarter, new: NewTable) -> Metadata:
    asked = normalized_changes(new.properties, starter.catalog)
    ensure_settable(asked, starter.catalog, is_new_table=True)
    description = asked.pop(COMMENT, new.description)
    metadata = Metadata(
        id=starter.new_id(),
        name=new.name,
        description=description,
        schema_string=schema_text(new.schema, may_be_empty=new.may_be_empty),
        partition_columns=tuple(new.partition_columns),
        configuration=asked,
        created_time=starter.clock(),
    )
    ensure_declarable(metadata)
    ensure_partitionable(metadata)
    ensure_statistics_columns(metadata)
    ensure_declared_with_bounds(metadata)
    ensure_generated_comparable(metadata.schema)
    return metadata


def _stage(
    starter: TransactionStarter, transaction: OptimisticTransaction, metadata: Metadata, new: NewTable
) -> Sequence[Action]:
    """Stage the metadata; the actions that cluster the table, or end that it is clustered."""
    ensure_new_coordinator(metadata.configuration, starter.session, is_replaced=transaction.read_version >= 0)
    before = transaction.state
    known = clustering_change(before, (), starter.catalog)
    if known is not None and metadata.partition_columns and (new.cluster_by or known.feature in before.supported):
        _refuse_partitioning(metadata, known.feature, is_clustered_now=bool(new.cluster_by))
    if known is None or not (new.cluster_by or known.change.before.is_kept):
        transaction.update_metadata_for_new_table(metadata, keeps_column_ids=True)
        return ()
    if not new.cluster_by:
        transaction.update_metadata_for_new_table(metadata, keeps_column_ids=True)
        return known.change.actions
    named_columns(metadata, new.cluster_by)
    transaction.update_metadata_for_new_table(asking_for(metadata, known.feature), keeps_column_ids=True)
    physical = clustering_columns(transaction.metadata, new.cluster_by)
    change = clustering_change(before, physical, starter.catalog)
    assert change is not None
    return change.change.actions


def _refuse_partitioning(metadata: Metadata, feature: str, *, is_clustered_now: bool) -> None:
    columns = ", ".join(metadata.partition_columns)
    raise ClusteringError(
        f"A table cannot be clustered and partitioned at once; this one would be partitioned by {columns}."
        if is_clustered_now
        else f"A table that supports {feature} cannot be replaced by one that is partitioned, by {columns}.",
        fix="Leave out either the partition columns or the clustering columns."
        if is_clustered_now
        else f"Drop {feature} from the table first, or from the session's defaults, or create the new one elsewhere.",
        details={"partition_columns": list(metadata.partition_columns)},
        delta_condition="DELTA_CLUSTER_BY_WITH_PARTITIONED_BY"
        if is_clustered_now
        else "DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE",
    )


def _absent(starter: TransactionStarter) -> TableNotFoundError:
    location = starter.log.store.location
    return TableNotFoundError(
        f"There is no Delta table at {location} that could be replaced.",
        fix="Create it, or use CREATE OR REPLACE.",
        details={"location": location},
        delta_class="CannotReplaceMissingTableException",
        delta_condition="TABLE_OR_VIEW_NOT_FOUND",
    )


def _ensure_place(starter: TransactionStarter, mode: CreateMode, *, exists: bool) -> None:
    """Raises for a table that may not be there, one that has to be, and a place where other files lie."""
    if exists and mode is CreateMode.CREATE:
        raise _exists(starter)
    if not exists and mode is CreateMode.REPLACE:
        raise _absent(starter)
    if not exists:
        ensure_no_data(starter)


def _exists(starter: TransactionStarter) -> TableExistsError:
    location = starter.log.store.location
    return TableExistsError(
        f"There is a Delta table at {location} already.",
        fix="Alter that table, replace it with CREATE OR REPLACE TABLE, or choose another location.",
        details={"location": location},
    )


def ensure_no_data(starter: TransactionStarter) -> None:
    """Raise `TableExistsError` for a folder that holds data files of something else."""
    found = next((file.path for file in starter.log.store.list_from("") if file.path[:1] not in "._"), None)
    if found is None:
        return
    location = starter.log.store.location
    raise TableExistsError(
        f"{location} holds {found}, and no Delta table that it belongs to.",
        fix="Choose an empty location, or turn the files into a table with CONVERT TO DELTA in Spark.",
        details={"location": location, "found": found},
        delta_class="DeltaAnalysisException",
        delta_condition="DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
    )
