"""Spark SQL conditions and expressions over Arrow batches, for tasks that have no Spark in them.

Only what can be said exactly as Spark says it is evaluated; everything else is refused before a row is written.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import expressions as sql

from deltaresolver.errors import SourceRuleUnsupportedError, UnknownColumnError
from deltaresolver.expressions.arrow_types import NotAlike, alike, alike_in_list, read_as, same_type
from deltaresolver.expressions.compare import UNKNOWABLE
from deltaresolver.expressions.parse import parse_tree
from deltaresolver.expressions.scalar import literal_value
from deltaresolver.expressions.text.spelling import written
from deltaresolver.model.schema import quote_path

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
    sql.Upper: lambda value: _cased(value, pc.utf8_upper, str.upper),
    sql.Lower: lambda value: _cased(value, pc.utf8_lower, str.lower),
    sql.Length: pc.utf8_length,
}
_CAST: Mapping[Any, pa.DataType] = {
    Kind.TINYINT: pa.int8(),
    Kind.SMALLINT: pa.int16(),
    Kind.INT: pa.int32(),
    Kind.BIGINT: pa.int64(),
    Kind.FLOAT: pa.float32(),
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


@lru_cache(maxsize=256)
def parse_expression(text: str, what: str) -> sql.Expr:
    """The tree of an expression that `evaluate` knows. Raises `SourceRuleUnsupportedError` for any other."""
    try:
        tree = parse_tree(text)
    except ValueError:
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
    """The value of a tree that `parse_expression` let through. Raises `pyarrow.ArrowException` as Spark would fail.

    Raises `SourceRuleUnsupportedError` where it depends on the session how two types are brought together.
    """
    try:
        return _evaluate(tree, rows)
    except NotAlike as error:
        raise unsupported(written(tree), f"{error} An expression") from None


def _evaluate(tree: sql.Expr, rows: pa.RecordBatch) -> Value:
    rule = _RULES.get(type(tree))
    if rule is not None:
        return rule(tree, rows)
    if type(tree) in _COMPARISONS:
        return _compare(type(tree), _evaluate(tree.this, rows), _evaluate(tree.expression, rows))
    if type(tree) in _ARITHMETIC:
        return _arithmetic(_ARITHMETIC[type(tree)], _evaluate(tree.this, rows), _evaluate(tree.expression, rows))
    return _TEXT[type(tree)](_evaluate(tree.this, rows))


def _arithmetic(apply: Callable[[Value, Value], Value], left: Value, right: Value) -> Value:
    if pa.types.is_float32(left.type) is not pa.types.is_float32(right.type):
        raise NotAlike("A FLOAT is calculated with another type.")
    if any(pa.types.is_string(side.type) for side in (left, right)):
        raise NotAlike("A text is calculated with.")
    return apply(left, right)


def _cased(value: Value, plain: Callable[[Value], Value], each: Callable[[str], str]) -> Value:
    """Arrow turns character by character, and some characters become two."""
    if isinstance(value, pa.Scalar):
        return pa.scalar(None if value.as_py() is None else each(value.as_py()), pa.string())
    if pc.all(pc.string_is_ascii(value)).as_py() is not False:
        return plain(value)
    return pa.array([None if text is None else each(text) for text in value.to_pylist()], pa.string())


def _compare(kind: type[sql.Expr], left: Value, right: Value) -> Value:
    left, right = alike(left, right)
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


def _column(tree: Any, rows: pa.RecordBatch) -> Value:
    names = [part.name for part in tree.parts]
    known = {name.lower(): place for place, name in enumerate(rows.schema.names)}
    value: Value = None
    for number, name in enumerate(names):
        if number:
            inside = value.type if pa.types.is_struct(value.type) else pa.struct([])
            known = {inside.field(place).name.lower(): place for place in range(inside.num_fields)}
        if name.lower() not in known:
            raise _unknown(names, list(known))
        value = pc.struct_field(value, [known[name.lower()]]) if number else rows.column(known[name.lower()])
    return value


def _unknown(names: list[str], known: list[str]) -> UnknownColumnError:
    return UnknownColumnError(
        f"An expression asks for {quote_path(tuple(names))}, which the rows do not have.",
        fix=f"Use some of: {', '.join(known)}." if known else "Name a column of the table's schema.",
        details={"path": names, "known": known},
    )


def _literal(tree: sql.Literal, _: pa.RecordBatch) -> Value:
    if tree.is_string:
        return pa.scalar(tree.this, pa.string())
    value = literal_value(tree)
    if value is UNKNOWABLE:
        raise NotAlike(f"{tree.this} is no number that Spark has.")
    if type(value) is not int:
        return pa.scalar(value)
    kind = pa.int32() if value < 1 << 31 else pa.int64() if value < 1 << 63 else None
    return pa.scalar(decimal.Decimal(value)) if kind is None else pa.scalar(value, kind)


def _is(tree: Any, rows: pa.RecordBatch) -> Value:
    value = _evaluate(tree.this, rows)
    if isinstance(tree.expression, sql.Null):
        return pc.is_null(value)
    if not pa.types.is_boolean(value.type):
        raise NotAlike("What is asked for its truth is no boolean.")
    return pc.fill_null(pc.equal(value, _evaluate(tree.expression, rows)), False)


def _in(tree: Any, rows: pa.RecordBatch) -> Value:
    values = alike_in_list([_evaluate(each, rows) for each in (tree.this, *tree.expressions)])
    answer: Value = pa.scalar(False)
    for each in values[1:]:
        answer = pc.or_kleene(answer, _compare(sql.EQ, values[0], each))
    return answer


def _between(tree: Any, rows: pa.RecordBatch) -> Value:
    value = _evaluate(tree.this, rows)
    low = _compare(sql.GTE, value, _evaluate(tree.args["low"], rows))
    return pc.and_kleene(low, _compare(sql.LTE, value, _evaluate(tree.args["high"], rows)))


def null_safe_equal(left: Value, right: Value) -> Value:
    """Whether two values are the same, null and NaN being the same as themselves; never null."""
    both = pc.and_(pc.is_null(left), pc.is_null(right))
    return pc.or_(both, pc.fill_null(_compare(sql.EQ, left, right), False))


def _coalesce(tree: Any, rows: pa.RecordBatch) -> Value:
    return pc.coalesce(*same_type([_evaluate(each, rows) for each in (tree.this, *tree.expressions)]))


def _cast(tree: Any, rows: pa.RecordBatch) -> Value:
    value, target = _evaluate(tree.this, rows), tree.to.this
    if target in (*_MOMENTS, Kind.TIMESTAMPNTZ):
        return read_as(value, pa.timestamp("us", "UTC" if target in _MOMENTS else None))
    wanted = _CAST[target]
    if isinstance(value, pa.StringScalar):
        return read_as(value, wanted)
    if isinstance(value, pa.Decimal128Scalar) and pa.types.is_floating(wanted) and value.as_py() is not None:
        return pa.scalar(float(value.as_py())).cast(wanted)
    if not pa.types.is_integer(value.type) or pa.types.is_date(wanted):
        raise unsupported(written(tree), "A cast")
    return value.cast(wanted)


_RULES: Mapping[type[sql.Expr], Callable[[Any, pa.RecordBatch], Value]] = {
    sql.Column: _column,
    sql.Literal: _literal,
    sql.Boolean: lambda tree, _: pa.scalar(bool(tree.this)),
    sql.Null: lambda _, __: pa.scalar(None),
    sql.Paren: lambda tree, rows: _evaluate(tree.this, rows),
    sql.And: lambda tree, rows: pc.and_kleene(_evaluate(tree.left, rows), _evaluate(tree.right, rows)),
    sql.Or: lambda tree, rows: pc.or_kleene(_evaluate(tree.left, rows), _evaluate(tree.right, rows)),
    sql.Not: lambda tree, rows: pc.invert(_evaluate(tree.this, rows)),
    sql.Neg: lambda tree, rows: pc.negate_checked(_evaluate(tree.this, rows)),
    sql.Is: _is,
    sql.In: _in,
    sql.Between: _between,
    sql.NullSafeEQ: lambda tree, rows: null_safe_equal(_evaluate(tree.this, rows), _evaluate(tree.expression, rows)),
    sql.Coalesce: _coalesce,
    sql.Cast: _cast,
    # How the parser takes a plain cast of Spark's; one that fails, fails the write.
    sql.TryCast: _cast,
}
