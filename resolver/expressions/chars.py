"""Conditions on char(n) columns, put so that they hold for values filled up with blanks, as Spark compares them."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.conditions import SqlPredicate
from deltaresolver.expressions.text.written import written


def as_filled_up(part: SqlPredicate, lengths: Mapping[str, int]) -> SqlPredicate | None:
    """The condition for rows that are filled up; None for any but comparisons of one column with constants."""
    try:
        tree = _filled(part.tree, lengths)
    except _Unfilled:
        return None
    return SqlPredicate(written(tree), tree)


class _Unfilled(Exception):  # noqa: N818 - a reason, which becomes the answer None
    """Something else than comparisons of columns with constants."""


def _filled(tree: nodes.Node, lengths: Mapping[str, int]) -> nodes.Node:
    if isinstance(tree, (nodes.Conjunction, nodes.Disjunction, nodes.Negated)):
        return tree.changed(lambda operand: _filled(operand, lengths))
    if isinstance(tree, nodes.NullCheck) and _length(tree.operand, lengths) is not None:
        return tree
    if isinstance(tree, nodes.Compared):
        for column, constant in ((tree.left, tree.right), (tree.right, tree.left)):
            length = _length(column, lengths)
            if length is not None:
                filled = _constant(constant, length)
                return tree.changed(lambda operand: filled if operand is constant else operand)  # noqa: B023
    if isinstance(tree, nodes.In):
        length = _length(tree.value, lengths)
        if length is not None:
            return attrs.evolve(tree, members=tuple(_constant(each, length) for each in tree.members))
    raise _Unfilled


def _length(column: nodes.Node, lengths: Mapping[str, int]) -> int | None:
    if not isinstance(column, nodes.NamedColumn) or len(column.path) != 1:
        return None
    return lengths.get(column.path[0].lower())


def _constant(constant: nodes.Node, length: int) -> nodes.Node:
    text = constant.value if isinstance(constant, nodes.Literal) else None
    if not isinstance(text, str) or text[length:].strip(" "):
        raise _Unfilled
    return nodes.Literal.of_text(text[:length].ljust(length))
