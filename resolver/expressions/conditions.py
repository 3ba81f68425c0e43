"""Conditions given as Spark SQL: parsed and split."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import attrs

from deltaresolver.errors import PredicateUnreadableError
from deltaresolver.expressions.parse import parse_tree
from deltaresolver.expressions.partition_values import PartitionJudge
from deltaresolver.expressions.text.reading import STANDARD, SqlReading
from deltaresolver.expressions.text.spelling import respelt
from deltaresolver.expressions.text.written import written
from deltaresolver.expressions.tree import Conjunction, Node, columns, has_query

__all__ = ["PartitionJudge", "SqlPredicate", "parse_predicate", "standard_text"]


@attrs.frozen(slots=True, eq=False)
class SqlPredicate:
    """One condition, as text and as a tree. Columns are named as the table's schema names them."""

    text: str
    tree: Node

    def __str__(self) -> str:
        return self.text

    @property
    def columns(self) -> frozenset[str]:
        """The columns it looks at, lowered; a nested field by its top column."""
        return frozenset(column.path[0].lower() for column in columns(self.tree))

    @property
    def column_paths(self) -> frozenset[tuple[str, ...]]:
        """The columns it looks at, lowered, each by its names from the top one down."""
        return frozenset(tuple(name.lower() for name in column.path) for column in columns(self.tree))

    def looks_only_at(self, names: frozenset[str]) -> bool:
        """Whether it needs nothing but these columns (lowered)."""
        return self.columns <= names and not has_query(self.tree)

    def parts(self) -> Iterator[SqlPredicate]:
        """The conditions that must all hold, from splitting at AND."""
        if not _is_split(self.tree):
            yield self
            return
        waiting = [self.tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Conjunction) and _is_split(node):
                waiting += [node.right, node.left]
            else:
                yield SqlPredicate(written(node), node)


def _is_split(node: Node) -> bool:
    return isinstance(node, Conjunction) and not node.is_between


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
def _parse(text: str, reading: SqlReading) -> Node:
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
