"""Arguments of changes, checked before anything is read: None never means "every row" or "every column".

The conditions of `DeltaTable.delete` and `update` are the exception, as in `delta.tables`: None is their default.

Messages are those of `delta.tables`, since people search for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import cast

from deltaresolver.errors import ArgumentInvalidError, ArgumentTypeError
from deltaresolver.spark.changes.conditions import Given


class LeftOut(Enum):
    """What an argument is that nobody gave: None is one that somebody gave without meaning to."""

    CONDITION = "every row"


def checked_condition(condition: object) -> Given | None:
    """The condition, None where it was left out.

    Raises `ArgumentInvalidError` for None, and `ArgumentTypeError` for what is neither text nor a Column.
    """
    if condition is LeftOut.CONDITION:
        return None
    if condition is None:
        raise _missing("'condition'", "a condition, or leave it out to mean every row")
    ensure_condition(condition)
    return cast("Given", condition)


def ensure_condition(condition: object) -> None:
    """Raises `ArgumentTypeError` for what is neither text nor a Column nor left out."""
    if condition is None or _is_expression(condition):
        return
    raise ArgumentTypeError(
        "'condition' must be a Spark SQL Column or a string (expression in SQL syntax), "
        f"found to be of type {type(condition)}",
        fix="Give the condition as Spark SQL or as a Column.",
        details={"argument": "condition", "type": type(condition).__name__},
    )


def ensure_merge(source: object, condition: object) -> None:
    """Raises `ArgumentInvalidError` and `ArgumentTypeError` for what cannot be merged."""
    from pyspark.sql import DataFrame

    if source is None:
        raise _missing("'source' in merge", "the DataFrame to merge")
    if not isinstance(source, DataFrame):
        raise ArgumentTypeError(
            "Type of 'source' in merge must be DataFrame.",
            fix="Give the rows to merge as a DataFrame.",
            details={"argument": "source", "type": type(source).__name__},
        )
    if condition is None:
        raise _missing(
            "'condition' in merge", 'the condition by which rows match; "true" to match every row with every other'
        )
    ensure_condition(condition)


def checked_values(values: object, name: str) -> Mapping[str, Given]:
    """A copy of the values assigned to columns; `name` is how messages call the argument.

    Raises `ArgumentInvalidError` and `ArgumentTypeError`.
    """
    if values is None:
        raise _missing(name, "a dict of columns and their values")
    if not isinstance(values, Mapping):
        raise ArgumentTypeError(
            f"{name} must be a dict, found to be {type(values)}",
            fix='Give a dict, for instance {"column": "value + 1"}.',
            details={"argument": name, "type": type(values).__name__},
        )
    found: dict[str, Given] = {}
    for column, value in values.items():
        if not isinstance(column, str):
            raise ArgumentTypeError(
                f"Keys of dict in {name} must contain only strings with column names, "
                f"found '{column}' of type '{type(column)}'",
                fix="Give the columns by their names.",
                details={"argument": name, "key": str(column), "type": type(column).__name__},
            )
        if not _is_expression(value):
            raise ArgumentTypeError(
                f"Values of dict in {name} must contain only Spark SQL Columns or strings (expressions in SQL syntax) "
                f"as values, found '{value}' of type '{type(value)}'",
                fix=f'Write a constant as SQL ("NULL", "5", "\'text\'") or as functions.lit(...) for column {column}.',
                details={"argument": name, "column": column, "type": type(value).__name__},
            )
        found[column] = value
    return found


def ensure_text(value: object, name: str) -> None:
    """Raises `ArgumentInvalidError` for what is not a string."""
    if not isinstance(value, str):
        raise ArgumentInvalidError(
            f"{name} needs to be a string but got '{type(value)}'.",
            fix=f"Give {name} as a string.",
            details={"argument": name, "type": type(value).__name__},
        )


def ensure_whole(value: object, name: str) -> None:
    """Raises `ArgumentInvalidError` for what is not a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ArgumentInvalidError(
            f"{name} needs to be an int but got '{type(value)}'.",
            fix=f"Give {name} as a whole number.",
            details={"argument": name, "type": type(value).__name__},
        )


def ensure_flag(value: object, name: str) -> None:
    """Raises `ArgumentInvalidError` for what is neither True nor False."""
    if not isinstance(value, bool):
        raise ArgumentInvalidError(
            f"{name} needs to be a boolean but got '{type(value)}'.",
            fix=f"Give {name} as True or False.",
            details={"argument": name, "type": type(value).__name__},
        )


def ensure_texts(values: Iterable[object], what: str) -> None:
    """Raises `ArgumentTypeError` naming the first of the values that is not a string."""
    for value in values:
        if type(value) is not str:
            raise ArgumentTypeError(
                f"{what} must be str. Found {value} with type {type(value)}",
                fix="Give it as a string.",
                details={"argument": what, "type": type(value).__name__},
            )


def _is_expression(value: object) -> bool:
    from pyspark.sql import Column

    return isinstance(value, str | Column)


def _missing(name: str, wanted: str) -> ArgumentInvalidError:
    return ArgumentInvalidError(f"{name} cannot be None", fix=f"Give {wanted}.", details={"argument": name})
