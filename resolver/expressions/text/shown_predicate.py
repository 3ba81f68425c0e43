"""Conditions on partitions as delta-spark's history shows them: Spark's own way to print what it has only parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.expressions.parse import parse_tree
from deltaresolver.expressions.text.spelling import Unreadable

_BETWEEN: Mapping[type[sql.Expr], str] = {
    sql.EQ: "=",
    sql.NullSafeEQ: "<=>",
    sql.LT: "<",
    sql.LTE: "<=",
    sql.GT: ">",
    sql.GTE: ">=",
    sql.And: "AND",
    sql.Or: "OR",
}


class _OtherwiseError(Exception):
    """A part that is not printed here."""


def shown_predicate(text: str) -> str:
    """The condition as Spark prints it; as it was written where it holds more than comparisons, IN and IS NULL."""
    try:
        return _shown(parse_tree(text))
    except (_OtherwiseError, Unreadable):
        return text


def _shown(node: sql.Expr) -> str:
    sign = _BETWEEN.get(type(node))
    if sign is not None:
        return f"({_shown(node.this)} {sign} {_shown(node.args['expression'])})"
    show = _OTHERS.get(type(node))
    if show is None:
        raise _OtherwiseError
    return show(node)


def _column(node: Any) -> str:
    if set(node.args) - {"this"} and any(node.args.get(part) for part in ("table", "db", "catalog")):
        raise _OtherwiseError
    return f"'{node.name}"


def _literal(node: Any) -> str:
    if not node.is_string and not node.name.isdigit():
        raise _OtherwiseError
    return str(node.name)


def _listed(node: Any) -> str:
    if not node.expressions or node.args.get("query") or node.args.get("unnest"):
        raise _OtherwiseError
    return f"{_shown(node.this)} IN ({','.join(_shown(each) for each in node.expressions)})"


def _is(node: Any) -> str:
    if not isinstance(node.args["expression"], sql.Null):
        raise _OtherwiseError
    return f"isnull({_shown(node.this)})"


def _not(node: Any) -> str:
    inner = node.this.unnest()
    if isinstance(inner, sql.Is) and isinstance(inner.args["expression"], sql.Null):
        return f"isnotnull({_shown(inner.this)})"
    return f"NOT {_shown(inner)}"


_OTHERS: Mapping[type[sql.Expr], Callable[[Any], str]] = {
    sql.Paren: lambda node: _shown(node.this),
    sql.Column: _column,
    sql.Literal: _literal,
    sql.Boolean: lambda node: "true" if node.this else "false",
    sql.In: _listed,
    sql.Is: _is,
    sql.Not: _not,
    sql.NEQ: lambda node: f"NOT ({_shown(node.this)} = {_shown(node.args['expression'])})",
}
