"""ALTER TABLE DROP COLUMNS."""

from __future__ import annotations

import attrs

from deltaresolver.errors import ColumnChangeRefusedError
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.columns import is_mapped
from deltaresolver.model.facts.keys import MAPPING_MODE
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, StructField, StructType, quote_path
from deltaresolver.transaction.alter.column_operations import dropping
from deltaresolver.transaction.alter.dependants import ensure_independent
from deltaresolver.transaction.alter.statistics_property import is_within, with_statistics_columns
from deltaresolver.transaction.alter.table_change import PlannedChange
from deltaresolver.transaction.metadata.declared_types import declared_schema, stored_schema
from deltaresolver.transaction.metadata.schema_edit import (
    find_field,
    is_there,
    spelt_path,
    unknown_column,
    with_fields,
)


@attrs.frozen(slots=True)
class DropColumns:
    """Drop columns or fields of structs. Files keep their values, which nobody can read any more."""

    paths: tuple[FieldPath, ...]
    if_exists: bool = False

    def plan(self, table: TableState, catalog: FeatureCatalog) -> PlannedChange | None:
        """Raises `ColumnChangeRefusedError`, and `UnknownColumnError` unless `if_exists`."""
        metadata = table.metadata
        found = [path for path in self.paths if is_there(metadata.schema, path)]
        absent = next((path for path in self.paths if path not in found), None)
        if absent is not None and not self.if_exists:
            raise unknown_column(metadata.schema, absent)
        if not found:
            return None
        ensure_names_free(metadata, found[0], "dropped", "DELTA_UNSUPPORTED_DROP_COLUMN")
        paths = [spelt_path(metadata.schema, path) for path in found]
        _ensure_fields(metadata, paths)
        schema = declared_schema(metadata.schema)
        for position, path in enumerate(paths):
            if any(path[: len(gone)] == gone for gone in paths[:position]):
                raise _twice(path)
            schema = _without(schema, path)
        _ensure_no_partition_column(metadata, paths)
        for path in paths:
            ensure_independent(_as_if_without(table, paths), path, catalog)
        kept = with_statistics_columns(
            metadata, lambda listed: None if any(is_within(listed, path) for path in paths) else listed
        )
        return PlannedChange(dropping(paths), kept.with_schema(stored_schema(schema)))


def _ensure_fields(metadata: Metadata, paths: list[FieldPath]) -> None:
    part = next((path for path in paths if find_field(metadata.schema, path) is None), None)
    if part is not None:
        raise ColumnChangeRefusedError(
            f"{quote_path(part)} is not a column or a field of a struct, so it cannot be dropped.",
            fix=f"Drop {quote_path(part[:-1])}.",
            details={"column": list(part)},
            delta_condition="DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE",
        )


def ensure_names_free(metadata: Metadata, path: FieldPath, how: str, condition: str) -> None:
    """Files know columns by other names than the schema. Raises `ColumnChangeRefusedError`."""
    if not is_mapped(metadata):
        raise ColumnChangeRefusedError(
            f"Column {quote_path(path)} cannot be {how}: the table's files hold columns under their own names.",
            fix=f"First set {MAPPING_MODE} to name.",
            details={"column": list(path)},
            delta_condition=condition,
        )


def _without(schema: StructType, path: FieldPath) -> StructType:
    def remove(fields: tuple[StructField, ...]) -> tuple[StructField, ...]:
        kept = tuple(field for field in fields if field.name != path[-1])
        if len(kept) == len(fields):
            raise _twice(path)
        if not kept:
            raise _last_column(path)
        return kept

    return with_fields(schema, path[:-1], remove)


def _as_if_without(table: TableState, paths: list[FieldPath]) -> TableState:
    """The table without the columns, of the top level, that go: what they are generated from may go with them."""
    going = {path[0] for path in paths if len(path) == 1}
    fields = tuple(field for field in table.metadata.schema.fields if field.name not in going)
    return attrs.evolve(table, metadata=table.metadata.with_schema(StructType(fields)))


def _ensure_no_partition_column(metadata: Metadata, paths: list[FieldPath]) -> None:
    partitions = {name.lower() for name in metadata.partition_columns}
    found = [path[0] for path in paths if len(path) == 1 and path[0].lower() in partitions]
    if found:
        raise ColumnChangeRefusedError(
            f"The table is partitioned by {', '.join(found)}, so the column cannot be dropped.",
            fix="Write the rows into a new table that is partitioned otherwise.",
            details={"columns": found},
            delta_condition="DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
        )


def _twice(path: FieldPath) -> ColumnChangeRefusedError:
    return ColumnChangeRefusedError(
        f"Column {quote_path(path)} is to be dropped twice, or together with what it is in.",
        fix="Name it once.",
        details={"column": list(path)},
        delta_condition="DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
    )


def _last_column(path: FieldPath) -> ColumnChangeRefusedError:
    where = f"struct {quote_path(path[:-1])}" if path[1:] else "table"
    return ColumnChangeRefusedError(
        f"Column {quote_path(path)} is the last one of the {where}, which needs at least one.",
        fix=f"Drop {quote_path(path[:-1])} as a whole." if path[1:] else "Add another column first.",
        details={"column": list(path)},
        delta_condition="DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
    )
