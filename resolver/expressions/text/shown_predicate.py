"""Conditions on partitions as delta-spark's history shows them: Spark's own way to print what it has only parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from deltaresolver.expressions.parse import parse_tree
from deltaresolver.expressions.text.spelling import Unreadable
from deltaresolver.expressions.tree import (
    BOOLEAN,
    STRING,
    Compared,
    Conjunction,
    Disjunction,
    In,
    Literal,
    NamedColumn,
    Negated,
    Node,
    NullCheck,
)


class _OtherwiseError(Exception):
    """A part that is not printed here."""


def shown_predicate(text: str) -> str:
    """The condition as Spark prints it; as it was written where it holds more than comparisons, IN and IS NULL."""
    try:
        return _shown(parse_tree(text))
    except (_OtherwiseError, Unreadable):
        return text


def _shown(node: Node) -> str:
    show = _SHOWN.get(type(node))
    if show is None:
        raise _OtherwiseError
    return show(node)


def _column(node: NamedColumn) -> str:
    if len(node.spelt) != 1:
        raise _OtherwiseError
    return f"'{node.spelt[0]}"


def _literal(node: Literal) -> str:
    if node.kind == STRING:
        return str(node.value)
    if node.kind == BOOLEAN:
        return "true" if node.value else "false"
    if not node.text.isdigit():
        raise _OtherwiseError
    return node.text


def _compared(node: Compared) -> str:
    operator = "=" if node.operator == "<>" else node.operator
    shown = f"({_shown(node.left)} {operator} {_shown(node.right)})"
    return f"NOT {shown}" if node.operator == "<>" else shown


def _conjunction(node: Conjunction) -> str:
    if node.is_between:
        raise _OtherwiseError
    return f"({_shown(node.left)} AND {_shown(node.right)})"


def _negated(node: Negated) -> str:
    if isinstance(node.operand, NullCheck):
        return f"isnotnull({_shown(node.operand.operand)})"
    return f"NOT {_shown(node.operand)}"


_SHOWN: Mapping[type[Node], Callable[[Any], str]] = {
    NamedColumn: _column,
    Literal: _literal,
    Compared: _compared,
    Conjunction: _conjunction,
    Disjunction: lambda node: f"({_shown(node.left)} OR {_shown(node.right)})",
    Negated: _negated,
    NullCheck: lambda node: f"isnull({_shown(node.operand)})",
    In: lambda node: f"{_shown(node.value)} IN ({','.join(_shown(each) for each in node.members)})",
}
