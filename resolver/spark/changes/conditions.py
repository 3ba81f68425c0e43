"""Conditions and values as users give them: SQL text, which can be read here, or a Column, which only Spark can."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Self, TypeAlias

from deltaresolver.expressions.names import EVERYTHING, TargetCondition, TargetNames, about_target
from deltaresolver.expressions.repeatable import has_fixed_answers

if TYPE_CHECKING:
    from pyspark.sql import Column

Given: TypeAlias = "str | Column"
"""Text in Spark SQL, or a Column."""


def as_column(given: Given) -> Column:
    """What Spark evaluates."""
    from pyspark.sql import functions

    return functions.expr(given) if isinstance(given, str) else given


class Rewritten(str):
    """Text in place of what a user wrote, which history and messages show."""

    __slots__ = ("written",)
    written: str

    def __new__(cls, text: str, written: str) -> Self:
        """`text` for Spark, `written` for people."""
        made = super().__new__(cls, text)
        made.written = written
        return made


def shown(given: Given) -> str:
    """What history and messages show."""
    if isinstance(given, Rewritten):
        return given.written
    return given if isinstance(given, str) else str(given).removeprefix("Column<'").removesuffix("'>")


def target_condition(condition: Given | None, names: TargetNames) -> TargetCondition:
    """The part of a condition that looks at the table only; of a Column nothing. Raises `PredicateUnreadableError`."""
    if condition is None:
        return TargetCondition(EVERYTHING, is_all=True)
    if not isinstance(condition, str):
        return TargetCondition(EVERYTHING, is_all=False)
    return about_target(condition, names)


def is_repeatable(condition: Given | None, columns: Collection[str]) -> bool:
    """Whether evaluating a condition once more surely gives the same answers; `columns` are lowered.

    Nothing is known of a Column. Raises `PredicateUnreadableError`.
    """
    return condition is None or (isinstance(condition, str) and has_fixed_answers(condition, columns))
