"""A column's type becomes another, without a file being rewritten."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from deltaresolver.errors import ColumnChangeRefusedError
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.columns import is_identity
from deltaresolver.model.facts.keys import GENERATION_EXPRESSION, TYPE_WIDENING
from deltaresolver.model.facts.leaf_types import digits_for
from deltaresolver.model.schema import ArrayType, DataType, FieldPath, MapType, StructField, StructType, quote_path
from deltaresolver.transaction.alter.dependants import ensure_independent
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.ddl.data_types import sql_name
from deltaresolver.transaction.metadata.schema_edit import find_field, type_at, with_field, with_type

_LENGTH = re.compile(r"(var)?char\((\d+)\)")


def retyped(
    table: TableState, schema: StructType, path: FieldPath, wanted: DataType, catalog: FeatureCatalog
) -> StructType:
    """The schema, as declared, with one type changed and noted as the feature that allows it does.

    Raises `ColumnChangeRefusedError`.
    """
    before = type_at(schema, path)
    if not (isinstance(before, str) and isinstance(wanted, str)):
        raise _not_a_leaf(path, before, wanted)
    if is_text(before) and not _takes_every_text(before, wanted):
        raise _refused(path, before, wanted, "NOT_SUPPORTED_CHANGE_COLUMN")
    changed = with_type(schema, path, lambda _: wanted)
    if before == wanted or (is_text(before) and is_text(wanted)):
        return changed
    if not casts_up(before, wanted):
        raise _refused(path, before, wanted, "NOT_SUPPORTED_CHANGE_COLUMN")
    if before == "void":
        return changed  # no file holds the column yet
    field = find_field(schema, path)
    ensure_no_identity(path, field)
    holder, around = _holder(schema, path)
    noted = note_type_change(table, around, (before, wanted, path[len(holder) :]), catalog)
    if noted is None:
        raise _refused(path, before, wanted, "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP")
    _ensure_not_generated(path, field)
    ensure_independent(table, path, catalog)
    return with_field(changed, holder, lambda one: msgspec.structs.replace(one, metadata=dict(noted)))


def ensure_no_identity(path: FieldPath, field: StructField | None) -> None:
    """The column does not count by itself. Raises `ColumnChangeRefusedError`."""
    if field is not None and is_identity(field):
        raise ColumnChangeRefusedError(
            f"Column {quote_path(path)} is an identity column, which keeps its type and has no default.",
            fix="Leave the column as it is.",
            details={"column": list(path)},
            delta_condition="DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED",
        )


def _ensure_not_generated(path: FieldPath, field: StructField | None) -> None:
    """A generated column has the type of its expression."""
    if field is not None and GENERATION_EXPRESSION in (field.metadata or {}):
        raise ColumnChangeRefusedError(
            f"Column {quote_path(path)} is generated, and its expression keeps the old type.",
            fix="Drop the column and write it anew.",
            details={"column": list(path)},
            delta_condition="DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
        )


def note_type_change(
    table: TableState, field: StructField, change: tuple[str, str, FieldPath], catalog: FeatureCatalog
) -> Mapping[str, Any] | None:
    """The field's metadata after a change from one type to another at some place in it; empty for the field itself.

    By the feature that allows the change; None if none does.
    """
    for behaviour in behaviours_of(catalog).supported_with("note_type_change", table.supported):
        noted = behaviour.note_type_change(table, field, *change)
        if noted is not None:
            return noted
    return None


def _holder(schema: StructType, path: FieldPath) -> tuple[FieldPath, StructField]:
    """The nearest field that the path leads through."""
    while (found := find_field(schema, path)) is None:
        path = path[:-1]
    return path, found


def is_text(data_type: DataType) -> bool:
    """Whether it is STRING, CHAR or VARCHAR."""
    return isinstance(data_type, str) and (data_type == "string" or _LENGTH.fullmatch(data_type) is not None)


def _takes_every_text(before: str, wanted: str) -> bool:
    """Whether each value of one type of text is a value of the other."""
    if wanted in ("string", before):
        return True
    old, new = _LENGTH.fullmatch(before), _LENGTH.fullmatch(wanted)
    if old is None or new is None or not new[1]:
        return False
    return int(new[2]) >= int(old[2])


def _not_a_leaf(path: FieldPath, before: DataType, wanted: DataType) -> ColumnChangeRefusedError:
    kinds = ((StructType, "STRUCT", "fields"), (ArrayType, "ARRAY", "element"), (MapType, "MAP", "key or value"))
    for kind, name, parts in kinds:
        if isinstance(wanted, kind):
            return ColumnChangeRefusedError(
                f"Column {quote_path(path)} cannot become {sql_name(wanted)}: nested types change part by part.",
                fix=f"Change or add the {parts} one by one, or add a new column.",
                details={"column": list(path), "type": sql_name(before)},
                delta_class="AnalysisException",
                delta_condition=f"CANNOT_UPDATE_FIELD.{name}_TYPE",
            )
    return _refused(path, before, wanted, "NOT_SUPPORTED_CHANGE_COLUMN")


def _refused(path: FieldPath, before: DataType, wanted: DataType, condition: str) -> ColumnChangeRefusedError:
    old, new = sql_name(before).upper(), sql_name(wanted).upper()
    loses = condition == "NOT_SUPPORTED_CHANGE_COLUMN"
    return ColumnChangeRefusedError(
        f"Column {quote_path(path)} cannot change from {old} to {new}"
        + (": values would be lost." if loses else " as the table is: its files hold the old type."),
        fix="Write the rows into a new column of that type."
        if loses
        else f"Set {TYPE_WIDENING} to true, where the new type is a wider one; else write a new column.",
        details={"column": list(path), "before": old, "after": new},
        delta_class="AnalysisException" if loses else None,
        delta_condition=condition,
    )


_ORDER = ("byte", "short", "integer", "long", "float", "double")
_MOMENTS = {
    "date": ("timestamp", "timestamp_ntz"),
    "long": ("timestamp",),
    "timestamp": ("timestamp_ntz", "long"),
    "timestamp_ntz": ("timestamp",),
}


def casts_up(before: str, after: str) -> bool:
    """Whether every value of one leaf type has a value of the other."""
    if after in (before, "string") or before == "void":
        return True
    if before in _ORDER and after in _ORDER:
        return _ORDER.index(before) < _ORDER.index(after)
    old, new = digits_for(before), digits_for(after)
    if old is not None and new is not None:
        return new[0] >= old[0] and new[1] >= old[1]
    return after in _MOMENTS.get(before, ())
