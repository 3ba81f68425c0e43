"""Sqlglot's nodes as nodes of our own: what evaluators know, and everything else as something unknown."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.compare import UNKNOWABLE
from deltaresolver.expressions.parser.calls import ARITHMETIC, CALLS, COMPARISONS, NAMED, TRIMS, TYPES
from deltaresolver.expressions.parser.pieces import call_pieces, column_pieces
from deltaresolver.expressions.parser.read import UNREADABLE
from deltaresolver.model.schema import quoted

_PRECISION = 38
_MAX_INTEGER = (1 << 31) - 1
_DAYS = frozenset({"DAY", "DAYS"})


def converted(node: sql.Expr) -> nodes.Node:
    """The node, and all below it, as a tree of ours."""
    rule = _RULES.get(type(node))
    found = None if rule is None else rule(node)
    return _unknown(node) if found is None else found


def _unknown(node: sql.Expr) -> nodes.Unknown:
    columns = list(node.find_all(sql.Column))
    called = list(node.find_all(sql.Func))
    is_unread = isinstance(node, sql.Anonymous) and node.name.lower() == UNREADABLE
    return nodes.Unknown(
        "it is not read" if is_unread else f"{type(node).__name__} is not evaluated",
        tuple(map(_column, columns)),
        column_pieces(node, columns),
        frozenset(name for each in called for name in (type(each).sql_name(), each.name.upper())),
        frozenset(name.name.lower() for each in node.find_all(sql.Lambda) for name in each.expressions),
        has_query=node.find(sql.Query) is not None,
        has_aggregate=node.find(sql.AggFunc) is not None,
    )


def _column(node: sql.Column) -> nodes.NamedColumn:
    spelt = [quoted(part.name) if part.args.get("quoted") else part.name for part in node.parts]
    return nodes.NamedColumn(tuple(part.name for part in node.parts), tuple(spelt))


def _literal(node: sql.Literal) -> nodes.Literal:
    text = node.this
    if node.is_string:
        return nodes.Literal.of_text(text)
    value: Any = UNKNOWABLE
    if text.isascii() and text.isdecimal():
        if len(text) > _PRECISION:
            return nodes.Literal(value, "long", text)
        value = int(text)
        return nodes.Literal(value, "integer" if value <= _MAX_INTEGER else "long", text)
    if re.fullmatch(r"(\d+\.\d*|\.\d+)", text, re.ASCII):
        value = decimal.Decimal(text) if len(text) <= _PRECISION else UNKNOWABLE
    elif re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)[eE][+-]?\d+", text, re.ASCII) and math.isfinite(float(text)):
        value = float(text)
    return nodes.Literal(value, "double" if "e" in text.lower() else "decimal", text)


def _compare(node: sql.Binary) -> nodes.Node:
    return nodes.Compared(COMPARISONS[type(node)], converted(node.this), converted(node.expression))


def _between(node: sql.Between) -> nodes.Node:
    value = converted(node.this)
    low = nodes.Compared(">=", value, converted(node.args["low"]))
    return nodes.Conjunction(low, nodes.Compared("<=", value, converted(node.args["high"])), is_between=True)


def _is(node: sql.Is) -> nodes.Node | None:
    target = node.expression
    if isinstance(target, sql.Null):
        return nodes.NullCheck(converted(node.this))
    return nodes.TruthCheck(converted(node.this), bool(target.this)) if isinstance(target, sql.Boolean) else None


def _in(node: sql.In) -> nodes.Node | None:
    if node.args.get("query") is not None or node.args.get("unnest") is not None:
        return None
    return nodes.In(converted(node.this), tuple(map(converted, node.expressions)))


def _like(node: sql.Binary, escape: str = "\\") -> nodes.Node | None:
    patterns, is_any = [node.expression], isinstance(node.expression, sql.Any)
    if is_any:
        listed = node.expression.this
        patterns = listed.expressions if isinstance(listed, sql.Tuple) else [listed.unnest()]
    elif isinstance(node.expression, sql.All):
        return None
    value, found = converted(node.this), tuple(map(converted, patterns))
    return nodes.Like(value, found, escape, ignores_case=isinstance(node, sql.ILike), is_any=is_any)


def _escape(node: sql.Escape) -> nodes.Node | None:
    by = node.expression
    is_known = isinstance(by, sql.Literal) and by.is_string and len(by.this) == 1
    return _like(node.this, by.this) if is_known and isinstance(node.this, (sql.Like, sql.ILike)) else None


def _case(node: sql.Case) -> nodes.Node:
    subject = None if node.this is None else converted(node.this)
    conditions = [converted(branch.this) for branch in node.args.get("ifs", [])]
    if subject is not None:
        conditions = [nodes.Compared("=", subject, each) for each in conditions]
    results = [converted(branch.args["true"]) for branch in node.args.get("ifs", [])]
    default = node.args.get("default")
    return nodes.Case(tuple(conditions), tuple(results), None if default is None else converted(default))


def _if(node: sql.If) -> nodes.Node | None:
    result, default = node.args.get("true"), node.args.get("false")
    if result is None:
        return None
    default = None if default is None else converted(default)
    return nodes.Case((converted(node.this),), (converted(result),), default)


def _cast(node: sql.Cast) -> nodes.Node | None:
    target = _delta_type(node.to)
    return None if target is None else nodes.Cast(converted(node.this), target, bool(node.args.get("safe")))


def _delta_type(target: sql.DataType) -> str | None:
    if target.this is not sql.DataType.Type.DECIMAL:
        return TYPES.get(target.this)
    sizes = [each.name for each in target.expressions] or ["10"]
    if not all(size.isdecimal() and len(size) < 3 for size in sizes):
        return None
    precision, scale = (*sizes, "0")[:2]
    return f"decimal({int(precision)},{int(scale)})"


def _arithmetic(node: sql.Binary) -> nodes.Node | None:
    if isinstance(node.expression, sql.Interval):
        return _moved(node, node.expression)
    return nodes.Arithmetic(ARITHMETIC[type(node)], converted(node.this), converted(node.expression))


def _moved(node: sql.Binary, by: sql.Interval) -> nodes.Node | None:
    """A date or timestamp and a number of days."""
    unit, count = by.args.get("unit"), by.this
    is_days = isinstance(unit, sql.Var) and unit.name.upper() in _DAYS and isinstance(count, sql.Literal)
    if not is_days or not re.fullmatch(r"-?\d{1,9}", str(count.this), re.ASCII) or isinstance(node, sql.Mul):
        return None
    days = int(count.this) if isinstance(node, sql.Add) else -int(count.this)
    return nodes.Call("moved", (converted(node.this), _constant(days)), call_pieces(node, [node.this]))


def _constant(value: int | str) -> nodes.Literal:
    """What is a part of a function's name here."""
    return nodes.Literal(value, "string" if isinstance(value, str) else "integer", str(value))


def _call(node: sql.Expr) -> nodes.Node | None:
    name, wanted = CALLS[type(node)]
    return _called(name, node, [node.args.get(each) for each in wanted])


def _called(name: str, node: sql.Expr, operands: Sequence[Any], *more: nodes.Literal) -> nodes.Node | None:
    flat = [each for operand in operands if operand is not None for each in
            (operand if isinstance(operand, list) else [operand])]  # fmt: skip
    known = {id(each) for each in flat}
    given = [each for value in node.args.values() for each in (value if isinstance(value, list) else [value])]
    if any(isinstance(each, sql.Expr) and id(each) not in known and not isinstance(each, sql.Var) for each in given):
        return None
    return nodes.Call(name, (*map(converted, flat), *more), call_pieces(node, flat))


def _named(node: sql.Anonymous) -> nodes.Node | None:
    name, operands = str(node.this).lower(), node.expressions
    if name in ("isnull", "isnotnull") and len(operands) == 1:
        found = nodes.NullCheck(converted(operands[0]))
        return found if name == "isnull" else nodes.Negated(found)
    if name in ("trunc", "date_trunc") and len(operands) == 2:
        return _truncated(name, node)
    return _called(name, node, operands) if NAMED.get(name) == len(operands) else None


def _capitalised(node: sql.Initcap) -> nodes.Node | None:
    """The parser adds the blank that Spark parts words at."""
    by = node.expression
    is_plain = by is None or (isinstance(by, sql.Literal) and by.this == " ")
    return nodes.Call("initcap", (converted(node.this),), ("INITCAP(", 0, ")")) if is_plain else None


def _trim(node: sql.Trim) -> nodes.Node | None:
    name = TRIMS.get(node.args.get("position"))
    return None if name is None else _called(name, node, [node.this, node.args.get("expression")])


def _pad(node: sql.Pad) -> nodes.Node | None:
    name = "lpad" if node.args.get("is_left") else "rpad"
    return _called(name, node, [node.this, node.expression, node.args.get("fill_pattern")])


def _days_added(node: sql.TsOrDsAdd) -> nodes.Node | None:
    unit = node.args.get("unit")
    is_days = unit is None or unit.name.upper() == "DAY"
    return _called("date_add", node, [node.this, node.expression]) if is_days else None


def _day_of(node: sql.TsOrDsToDate) -> nodes.Node | None:
    """TO_DATE; or what the parser puts around the operands of functions of days, which take it off themselves."""
    return _call(node) if node.args.get("safe") or node.args.get("format") else converted(node.this)


def _truncated(name: str, node: sql.Anonymous) -> nodes.Node | None:
    """TRUNC(value, unit) gives a date, DATE_TRUNC(unit, value) a timestamp; only a text is a unit."""
    value, unit = node.expressions if name == "trunc" else node.expressions[::-1]
    if not isinstance(unit, sql.Literal) or not unit.is_string:
        return None
    return nodes.Call(name, (converted(value), _constant(unit.this.upper())), call_pieces(node, [value]))


def _contains(node: sql.ArrayContains) -> nodes.Node | None:
    """ARRAY_CONTAINS of a written out array: the value, and the items."""
    if not isinstance(node.this, sql.Array):
        return None
    operands = [node.expression, *node.this.expressions]
    return nodes.Call("array_contains", tuple(map(converted, operands)), call_pieces(node, operands))


_RULES: Mapping[type[sql.Expr], Callable[[Any], nodes.Node | None]] = {
    **dict.fromkeys(COMPARISONS, _compare),
    **dict.fromkeys(ARITHMETIC, _arithmetic),
    **dict.fromkeys(CALLS, _call),
    sql.Paren: lambda node: converted(node.this),
    sql.Literal: _literal,
    sql.Boolean: lambda node: nodes.Literal(bool(node.this), "boolean"),
    sql.Null: lambda _: nodes.Literal(None, "void"),
    sql.Column: _column,
    sql.And: lambda node: nodes.Conjunction(converted(node.this), converted(node.expression)),
    sql.Or: lambda node: nodes.Disjunction(converted(node.this), converted(node.expression)),
    sql.Not: lambda node: nodes.Negated(converted(node.this)),
    sql.Neg: lambda node: nodes.Call("negative", (converted(node.this),), ("-", 0)),
    sql.NullSafeNEQ: lambda node: nodes.Negated(
        nodes.Compared("<=>", converted(node.this), converted(node.expression))
    ),
    sql.Between: _between,
    sql.Is: _is,
    sql.In: _in,
    sql.Like: _like,
    sql.ILike: _like,
    sql.Escape: _escape,
    sql.Case: _case,
    sql.If: _if,
    sql.Cast: _cast,
    sql.TryCast: _cast,
    sql.Anonymous: _named,
    sql.Initcap: _capitalised,
    sql.Trim: _trim,
    sql.Pad: _pad,
    sql.TsOrDsAdd: _days_added,
    sql.TsOrDsToDate: _day_of,
    sql.ArrayContains: _contains,
}
