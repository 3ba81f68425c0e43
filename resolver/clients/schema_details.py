"""Details of a schema that have made real clients fail, although the protocol does not mention them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deltaresolver.model.facts.columns import UNMAPPED, mapping_mode
from deltaresolver.model.facts.keys import COLUMN_DEFAULT, INVARIANTS, MAX_COLUMN_ID, PHYSICAL_NAME, TYPE_CHANGES
from deltaresolver.model.schema import StructField, base_type, walk_fields
from deltaresolver.model.view import TableView

_SMALL_INTEGERS = ("byte", "short", "integer")


def features_held(view: TableView) -> Iterator[str]:
    """Features that the metadata shows in use although no trigger adds them: they must be asked for by name."""
    if view.schema_markers_present((COLUMN_DEFAULT,)) and any(
        COLUMN_DEFAULT in (field.metadata or ()) for _, field in walk_fields(view.schema)
    ):
        yield "allowColumnDefaults"


def only_by_form(view: TableView) -> frozenset[str]:
    """Features whose trigger fires for something that every client accepts: NOT NULL without an expression."""
    return frozenset() if view.schema_markers_present((INVARIANTS,)) else frozenset({"invariants"})


def schema_details(view: TableView) -> frozenset[str]:
    """The details of one table, named as in `table_needs.DETAILS`. Raises `SchemaMalformedError`."""
    found = set(_mapping_details(view))
    if view.metadata.partition_columns:
        found.add("partitioned")
    if view.schema_markers_present(("delta.", "false")):
        for _, field in walk_fields(view.schema):
            found.update(_field_details(field))
    return frozenset(found)


def _field_details(field: StructField) -> Iterator[str]:
    if not field.nullable:
        yield "not null column"
    if field.metadata is None:
        return
    if any(isinstance(value, (dict, list)) for value in field.metadata.values()):
        yield "structured field metadata"
    changes = field.metadata.get(TYPE_CHANGES)
    if isinstance(changes, list) and changes:
        yield "column widened"
        if any(_is_beyond_int(change) for change in changes):
            yield "column widened beyond int"


def _is_beyond_int(change: Any) -> bool:
    return not (isinstance(change, dict) and base_type(str(change.get("toType"))) in _SMALL_INTEGERS)


def _mapping_details(view: TableView) -> Iterator[str]:
    mode = mapping_mode(view.metadata)
    if mode == UNMAPPED:
        return
    if mode == "id":
        yield "column mapping by id"
    columns = [field.metadata or {} for _, field in walk_fields(view.schema)]
    # Columns created under mapping are named col-<uuid>; any other physical name is from before.
    if any(not str(column.get(PHYSICAL_NAME, "col-")).startswith("col-") for column in columns):
        yield "column mapping upgraded"
    highest = view.properties.get(MAX_COLUMN_ID, "")
    if highest.isdigit() and int(highest) > len(columns):
        yield "column mapping dropped column"
