"""Spark SQL conditions and expressions over Arrow batches, for tasks that have no Spark in them.

Only what can be said exactly as Spark says it is evaluated; everything else is refused before a row is written.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import sqlglot
from sqlglot import expressions as sql

from deltaresolver.errors import SourceRuleUnsupportedError

Value = Any
"""An Arrow array or scalar."""
Kind = sql.DataType.Type

_COMPARISONS: Mapping[type[sql.Expr], Callable[[Value, Value], Value]] = {
    sql.EQ: pc.equal,
    sql.NEQ: pc.not_equal,
    sql.GT: pc.greater,
    sql.GTE: pc.greater_equal,
    sql.LT: pc.less,
    sql.LTE: pc.less_equal,
}
_ARITHMETIC: Mapping[type[sql.Expr], Callable[[Value, Value], Value]] = {
    sql.Add: pc.add_checked,
    sql.Sub: pc.subtract_checked,
    sql.Mul: pc.multiply_checked,
}
_TEXT: Mapping[type[sql.Expr], Callable[[Value], Value]] = {
    sql.Upper: pc.utf8_upper,
    sql.Lower: pc.utf8_lower,
    sql.Length: pc.utf8_length,
}
_CAST: Mapping[Any, pa.DataType] = {
    Kind.TINYINT: pa.int8(),
    Kind.SMALLINT: pa.int16(),
    Kind.INT: pa.int32(),
    Kind.BIGINT: pa.int64(),
    Kind.DOUBLE: pa.float64(),
    Kind.DATE: pa.date32(),
}
# The parser has three names for Spark's one kind of moment: TIMESTAMP'...' is not spelt as CAST('...' AS TIMESTAMP).
_MOMENTS = (Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.TIMESTAMPLTZ)
_PLAIN = (sql.Column, sql.Literal, sql.Boolean, sql.Null, sql.Identifier, sql.DataType, sql.DataTypeParam, sql.Paren)
_KNOWN: tuple[type[sql.Expr], ...] = (
    *_PLAIN,
    *_COMPARISONS,
    *_ARITHMETIC,
    *_TEXT,
    sql.And,
    sql.Or,
    sql.Not,
    sql.Is,
    sql.In,
    sql.Between,
    sql.NullSafeEQ,
    sql.Coalesce,
    sql.Neg,
    sql.Cast,
)


def parse_expression(text: str, what: str) -> sql.Expr:
    """The tree of an expression that `evaluate` knows. Raises `SourceRuleUnsupportedError` for any other."""
    try:
        tree: sql.Expr = sqlglot.parse_one(text, dialect="spark")
    except sqlglot.errors.SqlglotError:
        raise unsupported(text, what) from None
    if any(not isinstance(node, _KNOWN) for node in tree.walk()) or not all(map(_is_castable, tree.find_all(sql.Cast))):
        raise unsupported(text, what)
    return tree


def _is_castable(tree: sql.Cast) -> bool:
    """Between kinds of numbers, and from texts that are written out; whatever else, Spark has rules of its own."""
    target = tree.to.this
    return target in _CAST or (target in (*_MOMENTS, Kind.TIMESTAMPNTZ) and isinstance(tree.this, sql.Literal))


def unsupported(text: str, what: str) -> SourceRuleUnsupportedError:
    """The refusal of an expression."""
    return SourceRuleUnsupportedError(
        f'{what} is {text}, which the tasks of format("deltaresolver") cannot evaluate.',
        fix="Write with deltaresolver.spark.write, in a stream from within foreachBatch.",
        details={"rule": what, "expression": text},
    )


def columns_of(tree: sql.Expr) -> Iterator[tuple[str, ...]]:
    """The columns that a tree looks at, as paths."""
    for column in tree.find_all(sql.Column):
        yield tuple(part.name for part in column.parts)


def evaluate(tree: sql.Expr, rows: pa.RecordBatch) -> Value:
    """The value of a tree that `parse_expression` let through. Raises `pyarrow.ArrowException` as Spark would fail."""
    rule = _RULES.get(type(tree))
    if rule is not None:
        return rule(tree, rows)
    if type(tree) in _COMPARISONS:
        return _compare(type(tree), evaluate(tree.this, rows), evaluate(tree.expression, rows))
    if type(tree) in _ARITHMETIC:
        return _ARITHMETIC[type(tree)](evaluate(tree.this, rows), evaluate(tree.expression, rows))
    return _TEXT[type(tree)](evaluate(tree.this, rows))


def _compare(kind: type[sql.Expr], left: Value, right: Value) -> Value:
    left, right = _alike(left, right)
    answer = _COMPARISONS[kind](left, right)
    if not (pa.types.is_floating(left.type) or pa.types.is_floating(right.type)):
        return answer
    # For Spark NaN equals itself and is greater than any number.
    nan, other = _is_nan(left), _is_nan(right)
    if kind in (sql.EQ, sql.NEQ):
        both = pc.and_(nan, other)
        return pc.or_(answer, both) if kind is sql.EQ else pc.and_(answer, pc.invert(both))
    if kind in (sql.GT, sql.GTE):
        by_nan = nan if kind is sql.GTE else pc.and_(nan, pc.invert(other))
    else:
        by_nan = other if kind is sql.LTE else pc.and_(other, pc.invert(nan))
    return pc.or_(answer, by_nan)


def _is_nan(value: Value) -> Value:
    return pc.is_nan(value) if pa.types.is_floating(value.type) else pc.not_equal(value, value)


def _alike(left: Value, right: Value) -> tuple[Value, Value]:
    """A text beside a date or moment is read as one; other kinds Arrow brings together itself."""
    if pa.types.is_null(left.type):
        left = left.cast(right.type)
    if pa.types.is_null(right.type):
        right = right.cast(left.type)
    for one, other, turned in ((left, right, False), (right, left, True)):
        if pa.types.is_string(one.type) and isinstance(one, pa.Scalar) and not pa.types.is_string(other.type):
            typed = _typed(one, other.type)
            return (other, typed) if turned else (typed, other)
    return left, right


def _typed(text: pa.Scalar, kind: pa.DataType) -> pa.Scalar:
    value = text.as_py()
    if value is None:
        return pa.scalar(None, kind)
    if pa.types.is_date(kind):
        return pa.scalar(datetime.date.fromisoformat(value.strip()), kind)
    if pa.types.is_timestamp(kind):
        moment = datetime.datetime.fromisoformat(value.strip())
        return pa.scalar(moment if moment.tzinfo or not kind.tz else moment.replace(tzinfo=datetime.UTC), kind)
    return text.cast(kind)


def _column(tree: Any, rows: pa.RecordBatch) -> Value:
    names = [part.name for part in tree.parts]
    lowered = {name.lower(): name for name in rows.schema.names}
    value: Value = rows.column(lowered[names[0].lower()])
    for name in names[1:]:
        inside = {value.type.field(place).name.lower(): place for place in range(value.type.num_fields)}
        value = pc.struct_field(value, [inside[name.lower()]])
    return value


def _literal(tree: sql.Literal, _: pa.RecordBatch) -> Value:
    if tree.is_string:
        return pa.scalar(tree.this, pa.string())
    text = str(tree.this)
    if text.isdecimal():
        return pa.scalar(int(text), pa.int64())
    return pa.scalar(float(text)) if "e" in text.lower() else pa.scalar(decimal.Decimal(text))


def _is(tree: Any, rows: pa.RecordBatch) -> Value:
    value = evaluate(tree.this, rows)
    if isinstance(tree.expression, sql.Null):
        return pc.is_null(value)
    return pc.fill_null(pc.equal(value, evaluate(tree.expression, rows)), False)


def _in(tree: Any, rows: pa.RecordBatch) -> Value:
    value = evaluate(tree.this, rows)
    answer: Value = pa.scalar(False)
    for each in tree.expressions:
        answer = pc.or_kleene(answer, _compare(sql.EQ, value, evaluate(each, rows)))
    return answer


def _between(tree: Any, rows: pa.RecordBatch) -> Value:
    value = evaluate(tree.this, rows)
    low = _compare(sql.GTE, value, evaluate(tree.args["low"], rows))
    return pc.and_kleene(low, _compare(sql.LTE, value, evaluate(tree.args["high"], rows)))


def null_safe_equal(left: Value, right: Value) -> Value:
    """Whether two values are the same, null and NaN being the same as themselves; never null."""
    both = pc.and_(pc.is_null(left), pc.is_null(right))
    return pc.or_(both, pc.fill_null(_compare(sql.EQ, left, right), False))


def _cast(tree: Any, rows: pa.RecordBatch) -> Value:
    value, target = evaluate(tree.this, rows), tree.to.this
    if target in (*_MOMENTS, Kind.TIMESTAMPNTZ):
        return _typed(value, pa.timestamp("us", "UTC" if target in _MOMENTS else None))
    wanted = _CAST[target]
    if not (pa.types.is_integer(value.type) or isinstance(value, pa.StringScalar)):
        raise unsupported(tree.sql(dialect="spark"), "A cast")
    return _typed(value, wanted) if isinstance(value, pa.StringScalar) else value.cast(wanted)


_RULES: Mapping[type[sql.Expr], Callable[[Any, pa.RecordBatch], Value]] = {
    sql.Column: _column,
    sql.Literal: _literal,
    sql.Boolean: lambda tree, _: pa.scalar(bool(tree.this)),
    sql.Null: lambda _, __: pa.scalar(None),
    sql.Paren: lambda tree, rows: evaluate(tree.this, rows),
    sql.And: lambda tree, rows: pc.and_kleene(evaluate(tree.left, rows), evaluate(tree.right, rows)),
    sql.Or: lambda tree, rows: pc.or_kleene(evaluate(tree.left, rows), evaluate(tree.right, rows)),
    sql.Not: lambda tree, rows: pc.invert(evaluate(tree.this, rows)),
    sql.Neg: lambda tree, rows: pc.negate_checked(evaluate(tree.this, rows)),
    sql.Is: _is,
    sql.In: _in,
    sql.Between: _between,
    sql.NullSafeEQ: lambda tree, rows: null_safe_equal(evaluate(tree.this, rows), evaluate(tree.expression, rows)),
    sql.Coalesce: lambda tree, rows: pc.coalesce(
        evaluate(tree.this, rows), *(evaluate(each, rows) for each in tree.expressions)
    ),
    sql.Cast: _cast,
    # How the parser takes a plain cast of Spark's; one that fails, fails the write.
    sql.TryCast: _cast,
}
