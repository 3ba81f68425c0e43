"""What SET says: columns and fields of the table, each with the value it gets."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import attrs

from deltaresolver.errors import AssignmentInvalidError, ColumnNotWritableError
from deltaresolver.model.facts.keys import IDENTITY_ALLOWS_EXPLICIT, IDENTITY_STEP
from deltaresolver.model.schema import DataType, FieldPath, StructField, StructType, quote_path, split_name
from deltaresolver.spark.changes.conditions import Given


@attrs.frozen(slots=True, eq=False)
class Assignment:
    """A column or a field of one, spelt as the table spells it, and its value."""

    path: FieldPath
    value: Given


def parse_assignments(
    given: Mapping[str, Given], schema: StructType, alias: str | None = None, *, inserts: bool = False
) -> tuple[Assignment, ...]:
    """The assignments to columns of a table that may be called `alias`, of an INSERT or an UPDATE.

    Raises `AssignmentInvalidError` for a name that is not a column, is set twice or cannot be set, and
    `ColumnNotWritableError` for an identity column.
    """
    if not given and not inserts:
        raise AssignmentInvalidError("Nothing is assigned.", fix="Name at least one column and its value.")
    found = tuple(Assignment(target_of(name, schema, alias), value) for name, value in given.items())
    _ensure_apart([each.path for each in found], inserts=inserts)
    ensure_writable(found, schema, inserts=inserts)
    return found


def ensure_writable(found: Iterable[Assignment], schema: StructType, *, inserts: bool) -> None:
    """Raises as `parse_assignments` for columns that may not be assigned."""
    tops = {field.name: field for field in schema.fields}
    for each in found:
        if inserts and len(each.path) > 1:
            raise AssignmentInvalidError(
                f"An INSERT gives a value to {quote_path(each.path)}, which is part of a column.",
                fix=f"Give column {each.path[0]} as a whole, for instance by named_struct.",
                details={"column": list(each.path)},
                delta_condition="DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION",
            )
        notes = tops[each.path[0]].metadata or {}
        if IDENTITY_STEP in notes and not (inserts and notes.get(IDENTITY_ALLOWS_EXPLICIT)):
            kind = "EXPLICIT_INSERT" if inserts else "UPDATE"
            raise ColumnNotWritableError(
                f"Column {each.path[0]} is numbered by the table, and is assigned.",
                fix=f"Leave column {each.path[0]} out of the assignments.",
                details={"column": each.path[0]},
                delta_condition=f"DELTA_IDENTITY_COLUMNS_{kind}_NOT_SUPPORTED",
            )


def name_parts(text: str) -> FieldPath:
    """The names in a dotted path, without backticks. Raises `AssignmentInvalidError` for a text that is not a path."""
    found = split_name(text)
    if found is None:
        raise AssignmentInvalidError(
            f"{text!r} is assigned, which is not the name of a column: a dot or a backtick is out of place.",
            fix="Write names with dots between them, and backticks around a whole name that holds dots or backticks.",
            details={"column": text},
            delta_class="AnalysisException",
            delta_condition="INVALID_ATTRIBUTE_NAME_SYNTAX",
        )
    return found


def target_of(text: str, schema: StructType, alias: str | None) -> FieldPath:
    """The column or field that a dotted text names, as the schema spells it. Raises `AssignmentInvalidError`."""
    parts = name_parts(text)
    if alias is not None and len(parts) > 1 and parts[0].lower() == alias.lower():
        names = {field.name.lower() for field in schema.fields}
        # A struct may be called as the table is: the table's own column comes first, as in Spark.
        if parts[1].lower() in names or parts[0].lower() not in names:
            parts = parts[1:]
    found: list[str] = []
    fields: Sequence[StructField] = schema.fields
    inside: DataType = schema
    for part in parts:
        if not isinstance(inside, StructType):
            raise AssignmentInvalidError(
                f"{text} is assigned, but {quote_path(tuple(found))} has no fields: it is not a struct.",
                fix="Assign the whole column.",
                details={"column": text},
                delta_condition="DELTA_UNSUPPORTED_FIELD_UPDATE_NON_STRUCT",
            )
        fields = inside.fields
        field = next((each for each in fields if each.name.lower() == part.lower()), None)
        if field is None:
            raise _unknown(text, [quote_path((*found, each.name)) for each in fields])
        found.append(field.name)
        inside = field.type
    if not found:
        raise _unknown(text, [each.name for each in fields])
    return tuple(found)


def _unknown(text: str, known: Sequence[str]) -> AssignmentInvalidError:
    return AssignmentInvalidError(
        f"{text} is assigned, which the table does not have.",
        fix=f"Use some of: {', '.join(known)}.",
        details={"column": text, "known": list(known)},
        delta_condition="DELTA_MISSING_SET_COLUMN",
    )


def _ensure_apart(paths: Iterable[FieldPath], *, inserts: bool) -> None:
    """No path is another or lies in it."""
    ordered = sorted(paths)
    for one, other in itertools.pairwise(ordered):
        if other[: len(one)] == one:
            both = [quote_path(one), quote_path(other)]
            raise AssignmentInvalidError(
                f"{both[0]} and {both[1]} are both assigned, and one is part of the other."
                if one != other
                else f"{both[0]} is assigned twice.",
                fix="Assign each column or field once.",
                details={"columns": both},
                delta_condition="DELTA_DUPLICATE_COLUMNS_ON_INSERT" if inserts else "DELTA_CONFLICT_SET_COLUMN",
            )
