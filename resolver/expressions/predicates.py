"""Conditions on a table's rows, as values: what `snapshot.files(predicate)` prunes by.

They follow SQL's three-valued logic. A comparison with a null on either side is neither true nor false but
unknown; `~` of unknown is unknown; `a & b` is false as soon as one side is false and true only if both are
true; `a | b` is true as soon as one side is true. A row matches only where the whole condition is true.
`is_null` and `null_safe_equal` are never unknown. NaN equals itself and is greater than every other number.

    (col("day") == datetime.date(2024, 1, 1)) & ~col("address", "city").starts_with("B")
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

import attrs


class Comparison(enum.Enum):
    """How a column is compared with a value."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    NULL_SAFE_EQUAL = "<=>"


class Predicate:
    """A condition on a row. Combine with `&`, `|` and `~`; Python's `and`, `or` and `not` are refused."""

    __slots__ = ()

    def __and__(self, other: Predicate) -> Predicate:
        return And((self, other))

    def __or__(self, other: Predicate) -> Predicate:
        return Or((self, other))

    def __invert__(self) -> Predicate:
        return Negation(self)

    def __bool__(self) -> bool:
        raise TypeError("A predicate has no truth value of its own; combine predicates with &, | and ~.")


@attrs.frozen(slots=True)
class Compare(Predicate):
    """A column against a value; against `None` the answer is unknown, except for `NULL_SAFE_EQUAL`."""

    path: tuple[str, ...]
    comparison: Comparison
    value: Any


@attrs.frozen(slots=True)
class IsIn(Predicate):
    """A column equals one of the values; with a `None` among them a row that equals none is unknown."""

    path: tuple[str, ...]
    values: tuple[Any, ...]


@attrs.frozen(slots=True)
class IsNull(Predicate):
    """A column is null."""

    path: tuple[str, ...]


@attrs.frozen(slots=True)
class StartsWith(Predicate):
    """A string column begins with `prefix`."""

    path: tuple[str, ...]
    prefix: str


@attrs.frozen(slots=True)
class And(Predicate):
    """All parts; none at all is true."""

    parts: tuple[Predicate, ...]


@attrs.frozen(slots=True)
class Or(Predicate):
    """At least one part; none at all is false."""

    parts: tuple[Predicate, ...]


@attrs.frozen(slots=True)
class Negation(Predicate):
    """The opposite; of unknown, unknown."""

    part: Predicate


@attrs.frozen(slots=True, eq=False, hash=False)
class Column:
    """A column by name, or a nested field by the names from the top down. Comparing it gives a predicate."""

    path: tuple[str, ...]

    def __eq__(self, value: object) -> Predicate:  # type: ignore[override]
        return Compare(self.path, Comparison.EQUAL, value)

    def __ne__(self, value: object) -> Predicate:  # type: ignore[override]
        return Compare(self.path, Comparison.NOT_EQUAL, value)

    def __lt__(self, value: Any) -> Predicate:
        return Compare(self.path, Comparison.LESS, value)

    def __le__(self, value: Any) -> Predicate:
        return Compare(self.path, Comparison.LESS_OR_EQUAL, value)

    def __gt__(self, value: Any) -> Predicate:
        return Compare(self.path, Comparison.GREATER, value)

    def __ge__(self, value: Any) -> Predicate:
        return Compare(self.path, Comparison.GREATER_OR_EQUAL, value)

    __hash__ = None  # type: ignore[assignment]

    def null_safe_equal(self, value: Any) -> Predicate:
        """Equal, where two nulls are equal and a null equals nothing else: never unknown."""
        return Compare(self.path, Comparison.NULL_SAFE_EQUAL, value)

    def is_in(self, values: Iterable[Any]) -> Predicate:
        """Equal to one of the values."""
        return IsIn(self.path, tuple(values))

    def is_null(self) -> Predicate:
        """Null."""
        return IsNull(self.path)

    def is_not_null(self) -> Predicate:
        """Not null."""
        return Negation(IsNull(self.path))

    def starts_with(self, prefix: str) -> Predicate:
        """Text that begins with `prefix`."""
        return StartsWith(self.path, prefix)


def col(*path: str) -> Column:
    """The column called by the one name given, or the nested field by the names from the top down."""
    return Column(path)
