"""Conditions given as Spark SQL: parsed, split, and judged against a file's partition values.

What cannot be judged is taken to hold anywhere, in whichever position it stands: a conflict too many
costs a retry, one too few costs correctness.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import attrs
import sqlglot
from sqlglot import expressions as sql

from deltaresolver.errors import PredicateUnreadableError
from deltaresolver.log.pruning.literals import stored_value
from deltaresolver.log.pruning.stored_column import StoredColumn, find_column
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.predicate_compare import UNKNOWABLE
from deltaresolver.transaction.predicate_value import evaluate
from deltaresolver.transaction.written_moment import in_utc


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

    def looks_only_at(self, names: frozenset[str]) -> bool:
        """Whether it needs nothing but these columns (lowered)."""
        return self.columns <= names and not any(self.tree.find_all(sql.Query))

    def parts(self) -> Iterator[SqlPredicate]:
        """The conditions that must all hold, from splitting at AND."""
        tree = self.tree.unnest()
        if isinstance(tree, sql.And):
            for side in (tree.left, tree.right):
                yield from SqlPredicate(side.sql(dialect="spark"), side).parts()
        else:
            yield self


def parse_predicate(text: str) -> SqlPredicate:
    """The predicate in `text`. Raises `PredicateUnreadableError`."""
    return SqlPredicate(text, _parse(text))


@lru_cache(maxsize=256)
def _parse(text: str) -> sql.Expr:
    try:
        return sqlglot.parse_one(text, dialect="spark")
    except sqlglot.errors.SqlglotError as error:
        reason = str(error).splitlines()[0]
        raise PredicateUnreadableError(
            f"{text!r} cannot be read as a condition: {reason}",
            fix="Write it as Spark SQL writes a WHERE clause.",
            details={"predicate": text, "reason": reason},
            delta_condition="PARSE_SYNTAX_ERROR",
        ) from None


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
        answer = evaluate(predicate.tree, lambda name: self._value(name, partition_values))
        return answer is True or answer is UNKNOWABLE

    def surely_holds(self, predicate: SqlPredicate, partition_values: Mapping[str, str | None]) -> bool:
        """Whether every row of a file with these partition values matches."""
        return evaluate(predicate.tree, lambda name: self._value(name, partition_values)) is True

    def _value(self, name: str, partition_values: Mapping[str, str | None]) -> tuple[Any, str]:
        column = self.columns.get(name.lower())
        if column is None:
            return UNKNOWABLE, ""
        text = partition_values.get(column.physical_path[0])
        if text is None or text == "":
            return None, column.type
        return _typed(column, text, self.zone), column.type


def _typed(column: StoredColumn, text: str, zone: datetime.tzinfo) -> Any:
    if column.type == "timestamp" and zone is not datetime.UTC:
        found = in_utc(text, zone)
        if found is None:
            return UNKNOWABLE
        text = found
    if column.type.startswith("timestamp"):
        text = text.replace("Z", "+00:00")
        # Partition timestamps without a zone are taken as UTC, the session zone of the recorded answers.
        if column.type == "timestamp" and "+" not in text:
            text += "+00:00"
    value = stored_value(column, text)
    return UNKNOWABLE if value is None else value
