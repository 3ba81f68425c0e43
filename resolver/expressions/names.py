"""What a condition over a table and other rows says of the table alone, or of its columns against the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.expressions.conditions import SqlPredicate, parse_predicate, standard_text
from deltaresolver.expressions.parser.read import UNREADABLE
from deltaresolver.expressions.text.reading import STANDARD, SqlReading
from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.expressions.text.written import written
from deltaresolver.expressions.tree import Compared, NamedColumn, Node, Unknown, has_query, walk
from deltaresolver.model.metadata import Metadata

EVERYTHING = "true"
_STAND_IN = UNREADABLE.upper()
"""What stands for a text that only Spark reads and that is not SQL."""


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

    def own(self, column: NamedColumn) -> NamedColumn | None:
        """The column as the table alone would be asked for it; None if it is not surely the table's."""
        first = column.path[0].lower()
        if self.alias is not None and first == self.alias.lower() and len(column.path) > 1:
            return attrs.evolve(column, path=column.path[1:], spelt=column.spelt[1:])
        if self.others is None:
            return column if first in self.columns else None
        # What stands before a dot may be what the other rows are called, which is not known here.
        return column if len(column.path) == 1 and first in self.columns - self.others else None

    def may_be_own(self, column: NamedColumn) -> bool:
        """Whether it may be one of the table's columns."""
        first = column.path[0].lower()
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


class _Foreign(Exception):  # noqa: N818 - a reason, which becomes the answer None
    """Something in a condition is not surely the table's."""


def _on_target(part: SqlPredicate, names: TargetNames) -> str | None:
    if has_query(part.tree) or any(isinstance(node, Unknown) and _STAND_IN in node.calls for node in walk(part.tree)):
        return None
    try:
        return written(_without_alias(part.tree, names))
    except _Foreign:
        return None


def _without_alias(node: Node, names: TargetNames) -> Node:
    if not isinstance(node, NamedColumn):
        return node.changed(lambda operand: _without_alias(operand, names))
    own = names.own(node)
    if own is None:
        raise _Foreign
    return own


def equalities(condition: str, names: TargetNames) -> Iterator[tuple[str, str]]:
    """Columns of the table, and columns of the other rows that they must equal, as Spark SQL names them.

    Raises `PredicateUnreadableError`.
    """
    for part in parse_predicate(condition, names.reading).parts():
        tree = part.tree
        if not isinstance(tree, Compared) or tree.operator != "=":
            continue
        for mine, other in ((tree.left, tree.right), (tree.right, tree.left)):
            if not isinstance(mine, NamedColumn) or not isinstance(other, NamedColumn) or names.may_be_own(other):
                continue
            own = names.own(mine)
            if own is not None and len(own.path) == 1:
                yield own.path[0], written(other)


def literal(value: str) -> str:
    """A text as Spark SQL writes it, and as conditions here are read."""
    return quoted_text(value)
