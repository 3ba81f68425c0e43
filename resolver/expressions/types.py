"""The Delta types of SQL expressions, as far as they can be read off them without evaluating anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.expressions.compare import UNKNOWABLE

Lookup = Callable[[str], tuple[Any, str]]
"""A column's value (None is null, UNKNOWABLE is not known) and Delta type."""

_Kind = sql.DataType.Type
_CASTS: Mapping[Any, str] = {
    _Kind.TINYINT: "byte",
    _Kind.SMALLINT: "short",
    _Kind.INT: "integer",
    _Kind.BIGINT: "long",
    _Kind.FLOAT: "float",
    _Kind.DOUBLE: "double",
    _Kind.BOOLEAN: "boolean",
    _Kind.TEXT: "string",
    _Kind.DATE: "date",
    _Kind.TIMESTAMP: "timestamp",
    _Kind.TIMESTAMPTZ: "timestamp",
    _Kind.TIMESTAMPLTZ: "timestamp",
    _Kind.TIMESTAMPNTZ: "timestamp_ntz",
}
_TRUTHS = (
    *(sql.And, sql.Or, sql.Not, sql.Boolean, sql.In, sql.Between, sql.Is, sql.Like, sql.ILike, sql.RegexpLike),
    *(sql.EQ, sql.NEQ, sql.LT, sql.LTE, sql.GT, sql.GTE, sql.NullSafeEQ, sql.NullSafeNEQ, sql.Escape),
    *(sql.StartsWith, sql.EndsWith, sql.Contains),
)
_TEXTS = (sql.Upper, sql.Lower, sql.Trim, sql.Concat, sql.DPipe, sql.Substring)
_MOST_INTEGER = (1 << 31) - 1


def static_type(tree: sql.Expr, lookup: Lookup) -> str:
    """The Delta type of the expression's values, without the parameters of a decimal; empty where it is not known."""
    tree = tree.unnest()
    if isinstance(tree, sql.Column):
        return lookup(tree.name)[1].partition("(")[0] if len(tree.parts) == 1 else ""
    if isinstance(tree, sql.Literal):
        return _of_literal(tree)
    if isinstance(tree, sql.Neg):
        return static_type(tree.this, lookup)
    if isinstance(tree, sql.Cast):
        return "decimal" if tree.to.this is _Kind.DECIMAL else _CASTS.get(tree.to.this, "")
    if isinstance(tree, _TRUTHS):
        return "boolean"
    if isinstance(tree, (sql.Case, sql.If, sql.Coalesce)):
        return _shared(tree, lookup)
    if isinstance(tree, sql.Length):
        return "integer"
    if isinstance(tree, (sql.Add, sql.Sub, sql.Mul, sql.Mod)):
        return _widest(static_type(tree.this, lookup), static_type(tree.expression, lookup))
    if isinstance(tree, sql.Abs):
        return static_type(tree.this, lookup)
    return "string" if isinstance(tree, _TEXTS) else ""


WIDTHS: Mapping[str, int] = {"byte": 8, "short": 16, "integer": 32, "long": 64}
_LONGEST = 18


def _widest(left: str, right: str) -> str:
    known = left in WIDTHS and right in WIDTHS
    return max(left, right, key=lambda kind: WIDTHS[kind]) if known else ""


def in_range(value: Any, kind: str) -> Any:
    """The number, if it is one of the type; sessions differ in what they do with one that is not.

    Where the type is not known it must be one of the smallest.
    """
    half = 1 << (WIDTHS.get(kind, 8) - 1)
    return value if type(value) is not int or -half <= value < half else UNKNOWABLE


def has_long_decimals(tree: sql.Expr, lookup: Lookup) -> bool:
    """Whether it calculates with a decimal so long that its results may be rounded."""
    kinds = [lookup(column.name)[1] for column in tree.find_all(sql.Column) if len(column.parts) == 1]
    shapes = [kind.partition("(")[2].partition(",")[0] for kind in kinds if kind.startswith("decimal")]
    casts = [str(size.name) for cast in tree.find_all(sql.Cast) for size in cast.to.expressions[:1]]
    return any(not size.strip().isdecimal() or int(size) > _LONGEST for size in (*shapes, *casts))


def _shared(tree: sql.Expr, lookup: Lookup) -> str:
    """The one type of all results, nulls aside."""
    if isinstance(tree, sql.Case):
        results = [branch.args["true"] for branch in tree.args["ifs"]] + [tree.args.get("default")]
    elif isinstance(tree, sql.If):
        results = [tree.args.get("true"), tree.args.get("false")]
    else:
        results = [tree.this, *tree.expressions]
    kinds = {
        static_type(each, lookup) for each in results if each is not None and not isinstance(each.unnest(), sql.Null)
    }
    return kinds.pop() if len(kinds) == 1 else ""


def _of_literal(tree: sql.Literal) -> str:
    if tree.is_string:
        return "string"
    if tree.this.isdecimal():
        return "integer" if int(tree.this) <= _MOST_INTEGER else "long"
    return "double" if "e" in tree.this.lower() else "decimal"


_FAMILIES: Mapping[str, str] = dict.fromkeys(("byte", "short", "integer", "long"), "whole")


def family(kind: str) -> str:
    """Types whose values mean the same in the widest of them have one family."""
    return _FAMILIES.get(kind, kind)
