"""Which conditions surely give the same answers whenever they are evaluated over the same rows."""

from __future__ import annotations

from collections.abc import Collection

from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.conditions import parse_predicate

_REPEATABLE = (
    *(nodes.Conjunction, nodes.Disjunction, nodes.Negated, nodes.NullCheck, nodes.TruthCheck, nodes.In, nodes.Like),
    *(nodes.Compared, nodes.Arithmetic, nodes.NamedColumn, nodes.Literal),
)
_MOVING = ("now", "today", "tomorrow", "yesterday")
"""Texts that Spark takes for a moment which depends on when it reads them."""


def has_fixed_answers(condition: str, columns: Collection[str]) -> bool:
    """Whether a condition consists of comparisons of columns, which are given lowered, and constants alone.

    A function may name the time, a name that is not a column's may stand for one, and a subquery may read something
    that changes. Raises `PredicateUnreadableError`.
    """
    for node in nodes.walk(parse_predicate(condition).tree):
        if not isinstance(node, _REPEATABLE) and not (isinstance(node, nodes.Call) and node.name == "negative"):
            return False
        if isinstance(node, nodes.NamedColumn) and len(node.path) == 1 and node.path[0].lower() not in columns:
            return False
        text = node.value if isinstance(node, nodes.Literal) else None
        if isinstance(text, str) and text.strip().lower().startswith(_MOVING):
            return False
    return True
