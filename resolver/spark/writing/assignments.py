"""What SET says: columns and fields of the table, each with the value it gets."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence

import attrs

from deltaresolver.errors import AssignmentInvalidError, ColumnNotWritableError
from deltaresolver.model.schema import DataType, FieldPath, StructField, StructType, quote_path
from deltaresolver.spark.writing.conditions import Given
from deltaresolver.spark.writing.identity_values import STEP

_NAME_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


@attrs.frozen(slots=True, eq=False)
class Assignment:
    """A column or a field of one, spelt as the table spells it, and its value."""

    path: FieldPath
    value: Given


def parse_assignments(
    given: Mapping[str, Given], schema: StructType, alias: str | None = None
) -> tuple[Assignment, ...]:
    """The assignments to columns of a table that may be called `alias`.

    Raises `AssignmentInvalidError` for what is no column, is set twice or lies in no struct, and
    `ColumnNotWritableError` for an identity column.
    """
    if not given:
        raise AssignmentInvalidError("Nothing is assigned.", fix="Name at least one column and its value.")
    found = tuple(Assignment(_target(name, schema, alias), value) for name, value in given.items())
    _ensure_apart([each.path for each in found])
    for each in found:
        top = next(field for field in schema.fields if field.name == each.path[0])
        if STEP in (top.metadata or {}):
            raise ColumnNotWritableError(
                f"Column {top.name} is numbered by the table, and rows may not change their number.",
                fix=f"Leave column {top.name} out of the assignments.",
                details={"column": top.name},
                delta_condition="DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED",
            )
    return found


def name_parts(text: str) -> FieldPath:
    """The names in a dotted path, back-quotes taken off."""
    return tuple(
        match[1].replace("``", "`") if match[1] is not None else match[2] for match in _NAME_PART.finditer(text.strip())
    )


def _target(text: str, schema: StructType, alias: str | None) -> FieldPath:
    parts = name_parts(text)
    if alias is not None and len(parts) > 1 and parts[0].lower() == alias.lower():
        parts = parts[1:]
    found: list[str] = []
    fields: Sequence[StructField] = schema.fields
    inside: DataType = schema
    for part in parts:
        if not isinstance(inside, StructType):
            raise AssignmentInvalidError(
                f"{text} is assigned, but {quote_path(tuple(found))} has no fields: it is no struct.",
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


def _ensure_apart(paths: Iterable[FieldPath]) -> None:
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
                delta_condition="DELTA_CONFLICT_SET_COLUMN",
            )
