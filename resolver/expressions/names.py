"""What a condition over a table and other rows says of the table alone, or of its columns against the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs
from sqlglot import expressions as sql

from deltaresolver.expressions.conditions import SqlPredicate, parse_predicate, standard_text
from deltaresolver.expressions.text.reading import STANDARD, SqlReading
from deltaresolver.expressions.text.spelling import quoted_text, written
from deltaresolver.model.metadata import Metadata

EVERYTHING = "true"


@attrs.frozen(slots=True)
class TargetNames:
    """How conditions name a table's columns: after its alias, or by names that nothing else has."""

    columns: frozenset[str]
    """Lowered."""
    alias: str | None = None
    others: frozenset[str] | None = None
    """Columns of the other rows, lowered; None where there are no other rows."""
    reading: SqlReading = STANDARD
    """How the session reads literals."""

    @classmethod
    def of(
        cls,
        metadata: Metadata,
        alias: str | None = None,
        others: Iterable[str] | None = None,
        reading: SqlReading = STANDARD,
    ) -> TargetNames:
        """The names of a table with this metadata, beside columns `others`."""
        names = frozenset(field.name.lower() for field in metadata.schema.fields)
        lowered = None if others is None else frozenset(name.lower() for name in others)
        return cls(names, alias, lowered, reading)

    def own(self, column: sql.Column) -> sql.Column | None:
        """The column as the table alone would be asked for it; None if it is not surely the table's."""
        parts: list[sql.Expr] = column.parts
        first = parts[0].name.lower()
        if self.alias is not None and first == self.alias.lower() and len(parts) > 1:
            # Innermost first, as sqlglot names the parts of a column.
            inner = [part.copy() for part in reversed(parts[1:])]
            return sql.Column(**dict(zip(("this", "table", "db", "catalog"), inner, strict=False)))
        if self.others is None:
            return column if first in self.columns else None
        # What stands before a dot may be what the other rows are called, which is not known here.
        return column if len(parts) == 1 and first in self.columns - self.others else None

    def may_be_own(self, column: sql.Column) -> bool:
        """Whether it may be one of the table's columns."""
        first = column.parts[0].name.lower()
        is_aliased = self.alias is not None and first == self.alias.lower()
        return is_aliased or first in self.columns


@attrs.frozen(slots=True)
class TargetCondition:
    """What a condition says of the table alone, in Spark SQL without aliases."""

    text: str
    is_all: bool
    """Whether that is all it says; else rows for which the text is true may not satisfy it."""


def about_target(condition: str, names: TargetNames) -> TargetCondition:
    """The part of a condition that looks at the table only. Raises `PredicateUnreadableError`."""
    condition = standard_text(condition, names.reading)
    parts = [_on_target(part, names) for part in parse_predicate(condition).parts()]
    if names.alias is None and None not in parts:
        return TargetCondition(condition, is_all=True)
    text = " AND ".join(f"({part})" for part in parts if part is not None) or EVERYTHING
    return TargetCondition(text, is_all=None not in parts)


def _on_target(part: SqlPredicate, names: TargetNames) -> str | None:
    if any(part.tree.find_all(sql.Query)):
        return None
    tree = part.tree.copy()
    for column in list(tree.find_all(sql.Column)):
        own = names.own(column)
        if own is None:
            return None
        if own is column:
            continue
        if column is tree:
            tree = own
        else:
            column.replace(own)
    return written(tree)


def equalities(condition: str, names: TargetNames) -> Iterator[tuple[str, str]]:
    """Columns of the table, and columns of the other rows that they must equal, as Spark SQL names them.

    Raises `PredicateUnreadableError`.
    """
    for part in parse_predicate(condition, names.reading).parts():
        tree = part.tree.unnest()
        if not isinstance(tree, sql.EQ):
            continue
        for mine, other in ((tree.left, tree.right), (tree.right, tree.left)):
            if not isinstance(mine, sql.Column) or not isinstance(other, sql.Column) or names.may_be_own(other):
                continue
            own = names.own(mine)
            if own is not None and len(own.parts) == 1:
                yield own.name, written(other)


def literal(value: str) -> str:
    """A text as Spark SQL writes it, and as conditions here are read."""
    return quoted_text(value)
