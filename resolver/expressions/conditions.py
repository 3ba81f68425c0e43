"""Conditions given as Spark SQL: parsed, split, and judged against a file's partition values.

What cannot be judged is taken to hold anywhere, in whichever position it stands: a conflict too many
costs a retry, one too few costs correctness.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

import attrs
from sqlglot import expressions as sql

from deltaresolver.errors import PredicateUnreadableError
from deltaresolver.expressions.compare import UNKNOWABLE, Single, read_day, read_moment
from deltaresolver.expressions.moments import in_utc
from deltaresolver.expressions.parse import parse_tree
from deltaresolver.expressions.scalar import evaluate, reaches
from deltaresolver.expressions.stored_column import StoredColumn, find_column
from deltaresolver.expressions.stored_values import stored_value
from deltaresolver.expressions.text.reading import STANDARD, SqlReading
from deltaresolver.expressions.text.spelling import respelt, written
from deltaresolver.expressions.types import Lookup
from deltaresolver.model.metadata import Metadata


@attrs.frozen(slots=True, eq=False)
class SqlPredicate:
    """One condition, as text and as a tree. Columns are named as the table's schema names them."""

    text: str
    tree: sql.Expr

    def __str__(self) -> str:
        return self.text

    @property
    def columns(self) -> frozenset[str]:
        """The columns it looks at, lowered; a nested field by its top column."""
        return frozenset(_top_name(column).lower() for column in self.tree.find_all(sql.Column))

    @property
    def column_paths(self) -> frozenset[tuple[str, ...]]:
        """The columns it looks at, lowered, each by its names from the top one down."""
        return frozenset(tuple(part.name.lower() for part in column.parts) for column in self.tree.find_all(sql.Column))

    def looks_only_at(self, names: frozenset[str]) -> bool:
        """Whether it needs nothing but these columns (lowered)."""
        return self.columns <= names and not any(self.tree.find_all(sql.Query))

    def parts(self) -> Iterator[SqlPredicate]:
        """The conditions that must all hold, from splitting at AND."""
        tree = self.tree.unnest()
        if isinstance(tree, sql.And):
            for side in (tree.left, tree.right):
                yield from SqlPredicate(written(side), side).parts()
        else:
            yield self


def parse_predicate(text: str, reading: SqlReading = STANDARD) -> SqlPredicate:
    """The predicate in `text`. Raises `PredicateUnreadableError`."""
    return SqlPredicate(text, _parse(text, reading))


def standard_text(text: str, reading: SqlReading) -> str:
    """The condition as a session with default settings writes it. Raises `PredicateUnreadableError`."""
    try:
        return respelt(text, reading)
    except ValueError as error:
        raise _unreadable(text, str(error)) from None


@lru_cache(maxsize=256)
def _parse(text: str, reading: SqlReading) -> sql.Expr:
    try:
        return parse_tree(text, reading)
    except ValueError as error:
        raise _unreadable(text, str(error)) from None


def _unreadable(text: str, reason: str) -> PredicateUnreadableError:
    return PredicateUnreadableError(
        f"{text!r} cannot be read as a condition: {reason}",
        fix="Write it as Spark SQL writes a WHERE clause.",
        details={"predicate": text, "reason": reason},
        delta_condition="PARSE_SYNTAX_ERROR",
    )


def _top_name(column: sql.Column) -> str:
    return column.parts[0].name


@attrs.frozen(slots=True, eq=False)
class PartitionJudge:
    """Judges predicates against partition values of one table."""

    names: tuple[str, ...]
    columns: Mapping[str, StoredColumn]
    """Partition columns by lowered name, in the order of `names`."""
    zone: datetime.tzinfo = datetime.UTC
    """In which partition timestamps without an offset are understood; predicates are said in UTC all the same."""

    @classmethod
    def of(cls, metadata: Metadata, zone: datetime.tzinfo = datetime.UTC) -> PartitionJudge:
        """The judge for the table's partition columns."""
        names = metadata.partition_columns
        return cls(names, {name.lower(): find_column(metadata, (name,)) for name in names}, zone)

    def may_hold(self, predicate: SqlPredicate, partition_values: Mapping[str, str | None]) -> bool:
        """Whether some row of a file with these partition values may match."""
        return _may_hold(predicate.tree, self._lookup(partition_values))

    def surely_holds(self, predicate: SqlPredicate, partition_values: Mapping[str, str | None]) -> bool:
        """Whether every row of a file with these partition values matches."""
        return evaluate(predicate.tree, self._lookup(partition_values)) is True

    def _lookup(self, partition_values: Mapping[str, str | None]) -> Lookup:
        return cache(lambda name: self._value(name, partition_values))

    def _value(self, name: str, partition_values: Mapping[str, str | None]) -> tuple[Any, str]:
        column = self.columns.get(name.lower())
        if column is None:
            return UNKNOWABLE, ""
        text = partition_values.get(column.physical_path[0])
        if text is None or (text == "" and column.type != "string"):
            return (None if column.type or text is None else UNKNOWABLE), column.type
        return _typed(column, text, self.zone), column.type


def _may_hold(tree: sql.Expr, lookup: Lookup) -> bool:
    """As `evaluate`, but where one side is known never to hold the other does not matter."""
    tree = tree.unnest()
    if isinstance(tree, sql.And):
        return _may_hold(tree.left, lookup) and _may_hold(tree.right, lookup)
    if isinstance(tree, sql.Or):
        return _may_hold(tree.left, lookup) or _may_hold(tree.right, lookup)
    if isinstance(tree, sql.Between) and False in reaches(tree, lookup):
        return False
    answer = evaluate(tree, lookup)
    return answer is True or answer is UNKNOWABLE


def _typed(column: StoredColumn, text: str, zone: datetime.tzinfo) -> Any:
    try:
        if column.type == "date":
            return read_day(text)
        if column.type.startswith("timestamp"):
            written = in_utc(text, zone) if column.type == "timestamp" and zone is not datetime.UTC else text
            value = UNKNOWABLE if written is None else read_moment(written)
            return value if column.type == "timestamp" or value is UNKNOWABLE else value.replace(tzinfo=None)
    except ValueError:
        return UNKNOWABLE
    if column.type in _FRACTIONS and text.lower() in _SPECIAL:
        found: Any = _SPECIAL[text.lower()]
    else:
        found = stored_value(column, text)
    if found is None:
        return UNKNOWABLE
    return Single(found) if column.type == "float" else found


_FRACTIONS = frozenset({"float", "double"})
_SPECIAL = {"nan": math.nan, **dict.fromkeys(("infinity", "inf", "+infinity", "+inf"), math.inf),
            **dict.fromkeys(("-infinity", "-inf"), -math.inf)}  # fmt: skip
