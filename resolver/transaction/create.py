"""CREATE TABLE without Spark: the first commit of an empty table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deltaresolver.errors import TableExistsError
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.operation import table_creation
from deltaresolver.transaction.partition_columns import ensure_partitionable
from deltaresolver.transaction.schema_input import Schema, schema_text
from deltaresolver.transaction.starter import TransactionStarter
from deltaresolver.transaction.table_properties import COMMENT, ensure_settable, normalized_changes


def create_table(
    starter: TransactionStarter,
    schema: Schema,
    *,
    partition_columns: Sequence[str] = (),
    properties: Mapping[str, str] | None = None,
    name: str | None = None,
    description: str | None = None,
) -> int:
    """Commit version 0 of a table and return it. The protocol is the lowest that its metadata takes.

    Raises `TableExistsError`, `SchemaRuleError`, `TablePropertyRefusedError`, and what the resolver raises.
    """
    asked = normalized_changes(properties or {}, starter.catalog)
    ensure_settable(asked, starter.catalog, is_new_table=True)
    description = asked.pop(COMMENT, description)
    transaction = starter.start()
    if transaction.read_version >= 0:
        raise _exists(starter)
    _ensure_no_data(starter)
    metadata = Metadata(
        id=starter.new_id(),
        name=name,
        description=description,
        schema_string=schema_text(schema),
        partition_columns=tuple(partition_columns),
        configuration=asked,
        created_time=starter.clock(),
    )
    ensure_partitionable(metadata)
    transaction.update_metadata_for_new_table(metadata)
    operation = table_creation(
        partition_by=partition_columns,
        description=description,
        properties=transaction.metadata.configuration,
    )
    return transaction.commit((), operation)


def _exists(starter: TransactionStarter) -> TableExistsError:
    location = starter.log.store.location
    return TableExistsError(
        f"There is a Delta table at {location} already.",
        fix="Open it with Table(location), or choose another location.",
        details={"location": location},
    )


def _ensure_no_data(starter: TransactionStarter) -> None:
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
