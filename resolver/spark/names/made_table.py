"""A table made under a name: in the log first, then in the catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import TableNameError, TableNotFoundError
from deltaresolver.model.schema import StructType, parse_schema
from deltaresolver.spark.declared_values import ensure_values_fit
from deltaresolver.spark.names.entry import CatalogEntry, local_path
from deltaresolver.spark.names.identifiers import TableName, path_of, shown_name
from deltaresolver.spark.names.session_catalog import SessionCatalog, catalog_of
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.table import Table
from deltaresolver.transaction.create.create_mode import CreateMode
from deltaresolver.transaction.create.create_table import NewTable, create_table
from deltaresolver.transaction.create.schema_input import schema_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Fill = Callable[[Table, NewTable], None]
"""Makes the table with rows."""
_OPTION = "option."
_PLAIN = (CreateMode.CREATE, CreateMode.CREATE_IF_NOT_EXISTS)


def made_table(
    spark: SparkSession, name: TableName | None, new: NewTable, location: str | None = None, fill: Fill | None = None
) -> Table:
    """Make the table, by `fill` where it gets rows, note its name, and give its handle.

    Without a name the table is at the location alone. Raises `TableNameError`, and as `Table.create`.
    """
    ensure_values_fit(spark, _declared(new))
    given = None if location is None else local_path(location)
    path = given if name is None else path_of(name)
    if name is None or path is not None:
        assert path is not None, "a table has a name or a location"
        if given is not None and given != path:
            raise _elsewhere(name or (), path, given)
        return _made(spark, path, new, fill)
    catalog = catalog_of(spark)
    entry = catalog.find(name)
    _ensure_name(catalog, name, new.mode, entry)
    if entry is not None and new.mode is CreateMode.CREATE_IF_NOT_EXISTS:
        return Table(entry.path, session=partial(SessionValues, spark))
    path, is_managed = _place(catalog, name, given, entry)
    table = _made(spark, path, attrs.evolve(new, is_managed=is_managed), fill, name if entry is None else None)
    if entry is None:
        catalog.create(name, path, is_managed=is_managed, comment=new.description)
    return table


def _made(spark: SparkSession, path: str, new: NewTable, fill: Fill | None, name: TableName | None = None) -> Table:
    table = Table(path, session=partial(SessionValues, spark))
    if fill is not None:
        if not (name is None and new.mode is CreateMode.CREATE_IF_NOT_EXISTS and exists(table)):
            fill(table, new)
    elif name is not None and new.mode in _PLAIN and exists(table):
        _ensure_same(name, table, new)
    else:
        create_table(table.starter, new)
    table.update()
    return table


def exists(table: Table) -> bool:
    """Whether there is a table."""
    try:
        table.update()
    except TableNotFoundError:
        return False
    return True


def _ensure_name(catalog: SessionCatalog, name: TableName, mode: CreateMode, entry: CatalogEntry | None) -> None:
    catalog.place_for(name)
    shown = shown_name(name)
    if entry is None and mode is CreateMode.REPLACE:
        raise TableNameError(
            f"The table {shown} cannot be found, so it cannot be replaced.",
            fix="Create it, or use CREATE OR REPLACE.",
            details={"name": list(name)},
            delta_class="CannotReplaceMissingTableException",
            delta_condition="TABLE_OR_VIEW_NOT_FOUND",
        )
    if entry is not None and mode is CreateMode.CREATE:
        raise TableNameError(
            f"The table or view {shown} already exists.",
            fix="Choose another name, drop it first, or use CREATE OR REPLACE.",
            details={"name": list(name)},
            delta_class="TableAlreadyExistsException",
            delta_condition="TABLE_OR_VIEW_ALREADY_EXISTS",
        )
    if entry is not None and not entry.is_delta and mode is not CreateMode.CREATE_IF_NOT_EXISTS:
        raise TableNameError(
            f"{shown} is not a Delta table, so it is not replaced by one.",
            fix="Drop it first, or choose another name.",
            details={"name": list(name), "provider": entry.provider},
        )


def _place(catalog: SessionCatalog, name: TableName, given: str | None, entry: CatalogEntry | None) -> tuple[str, bool]:
    """Where the table is, and whether the catalog owns its files."""
    if entry is None:
        return (catalog.default_path(name), True) if given is None else (given, False)
    if given is not None and given.rstrip("/") != entry.path.rstrip("/"):
        raise _elsewhere(name, entry.path, given)
    return entry.path, entry.is_managed


def _elsewhere(name: TableName, has: str, given: str) -> TableNameError:
    return TableNameError(
        f"{shown_name(name)} is at {has}, and the location {given} is given for it.",
        fix="Leave the location out, or drop the table first.",
        details={"name": list(name), "path": has, "location": given},
        delta_condition="DELTA_CREATE_TABLE_IDENTIFIER_LOCATION_MISMATCH",
    )


_DIFFERENT = {
    "columns": "DELTA_CREATE_TABLE_SCHEME_MISMATCH",
    "partitioning": "DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING",
    "properties": "DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY",
}


def _ensure_same(name: TableName, table: Table, new: NewTable) -> None:
    """A name may be given to a table that is there, if what is declared of it is so. Raises `TableNameError`."""
    has = table.metadata
    declared = _declared(new)
    problems: list[str] = []
    if declared.fields and _shape(declared) != _shape(has.schema):
        problems.append("columns")
    asked = tuple(each.lower() for each in new.partition_columns)
    if (asked or declared.fields) and asked != tuple(each.lower() for each in has.partition_columns):
        problems.append("partitioning")
    if any(has.configuration.get(key) != value for key, value in _properties(new).items()):
        problems.append("properties")
    if problems:
        raise TableNameError(
            f"There is a Delta table at {table.log.store.location} already, with other {' and '.join(problems)} than "
            f"{shown_name(name)} is declared with.",
            fix="Give the name and the location alone, without columns, partitioning and properties; or another one.",
            details={"name": list(name), "differs": problems},
            delta_condition=_DIFFERENT[problems[0]],
        )


def _declared(new: NewTable) -> StructType:
    return (
        new.schema if isinstance(new.schema, StructType) else parse_schema(schema_text(new.schema, may_be_empty=True))
    )


def _properties(new: NewTable) -> Mapping[str, str]:
    return {key: value for key, value in new.properties.items() if not key.startswith(_OPTION)}


def _shape(schema: StructType) -> list[tuple[str, object, bool]]:
    return [(field.name.lower(), field.type, field.nullable) for field in schema.fields]
