"""Spark SQL conditions and expressions over Arrow batches, for tasks that have no Spark in them.

Only what can be evaluated exactly as Spark does is evaluated; everything else is refused before a row is written.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.errors import SourceRuleUnsupportedError, UnknownColumnError
from deltaresolver.expressions import algebra
from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.arrow_types import NotAlike, alike, alike_in_list, read_as, same_type
from deltaresolver.expressions.compare import UNKNOWABLE
from deltaresolver.expressions.parse import parse_tree
from deltaresolver.expressions.text.written import written
from deltaresolver.model.facts.arrow_types import LEAF_TYPES
from deltaresolver.model.schema import quote_path

Value = Any
"""An Arrow array or scalar."""

_COMPARISONS: Mapping[str, Callable[[Value, Value], Value]] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "<": pc.less,
    "<=": pc.less_equal,
}
_ARITHMETIC: Mapping[str, Callable[[Value, Value], Value]] = {
    "+": pc.add_checked,
    "-": pc.subtract_checked,
    "*": pc.multiply_checked,
}
_CALLS: Mapping[str, Callable[[Sequence[Value]], Value]] = {
    "upper": lambda values: _cased(values[0], pc.utf8_upper, str.upper),
    "lower": lambda values: _cased(values[0], pc.utf8_lower, str.lower),
    "length": lambda values: pc.utf8_length(values[0]),
    "negative": lambda values: pc.negate_checked(values[0]),
    "coalesce": lambda values: pc.coalesce(*same_type(values)),
}
_NUMBERS_AND_DAYS = ("byte", "short", "integer", "long", "float", "double", "date")
_CAST = {name: LEAF_TYPES[name] for name in _NUMBERS_AND_DAYS}
_MOMENTS = {name: LEAF_TYPES[name] for name in ("timestamp", "timestamp_ntz")}
_KNOWN = (
    *(
        nodes.Literal,
        nodes.NamedColumn,
        nodes.Compared,
        nodes.Conjunction,
        nodes.Disjunction,
        nodes.Negated,
        nodes.NullCheck,
        nodes.TruthCheck,
    ),
    nodes.In,
)


@lru_cache(maxsize=256)
def parse_expression(text: str, what: str) -> nodes.Node:
    """The tree of an expression that `evaluate` knows. Raises `SourceRuleUnsupportedError` for any other."""
    try:
        tree = parse_tree(text)
    except ValueError:
        raise unsupported(text, what) from None
    if not all(map(_is_known, nodes.walk(tree))):
        raise unsupported(text, what)
    return tree


def _is_known(node: nodes.Node) -> bool:
    if isinstance(node, nodes.Cast):
        return _is_castable(node)
    if isinstance(node, nodes.Arithmetic):
        return node.operator in _ARITHMETIC
    return node.name in _CALLS if isinstance(node, nodes.Call) else isinstance(node, _KNOWN)


def _is_castable(node: nodes.Cast) -> bool:
    """Between kinds of numbers, and from texts that are written out; whatever else, Spark has rules of its own."""
    return node.target in _CAST or (node.target in _MOMENTS and isinstance(node.operand, nodes.Literal))


def unsupported(text: str, what: str) -> SourceRuleUnsupportedError:
    """The refusal of an expression."""
    return SourceRuleUnsupportedError(
        f'The tasks of format("deltaresolver") cannot evaluate {text} ({what}).',
        fix="Write with deltaresolver.spark.write, in a stream from within foreachBatch.",
        details={"rule": what, "expression": text},
    )


def columns_of(tree: nodes.Node) -> Iterator[tuple[str, ...]]:
    """The columns that a tree looks at, as paths."""
    for column in nodes.columns(tree):
        yield column.path


def evaluate(tree: nodes.Node, rows: pa.RecordBatch) -> Value:
    """The value of a tree that `parse_expression` let through. Raises `pyarrow.ArrowException` as Spark would fail.

    Raises `SourceRuleUnsupportedError` where it depends on the session how two types are brought together.
    """
    try:
        return algebra.evaluate(tree, ArrowAlgebra(rows))
    except NotAlike as error:
        raise unsupported(written(tree), str(error).removesuffix(".")) from None


@attrs.frozen(slots=True)
class ArrowAlgebra(algebra.Algebra[Value]):
    """Values for each of the rows. What is unknown raises `NotAlike`: nothing half known is computed."""

    rows: pa.RecordBatch

    def unknown(self, node: nodes.Node) -> Value:
        raise NotAlike(f"{written(node)} is not evaluated.")

    def literal(self, node: nodes.Literal) -> Value:
        value = node.value
        if value is UNKNOWABLE:
            raise NotAlike(f"{node.text} is not a number that Spark has.")
        if isinstance(value, str):
            return pa.scalar(value, pa.string())
        if type(value) is not int:
            return pa.scalar(value)
        kind = pa.int32() if value < 1 << 31 else pa.int64() if value < 1 << 63 else None
        return pa.scalar(decimal.Decimal(value)) if kind is None else pa.scalar(value, kind)

    def column(self, node: nodes.NamedColumn) -> Value:
        known = {name.lower(): place for place, name in enumerate(self.rows.schema.names)}
        value: Value = None
        for number, name in enumerate(node.path):
            if number:
                inside = value.type if pa.types.is_struct(value.type) else pa.struct([])
                known = {inside.field(place).name.lower(): place for place in range(inside.num_fields)}
            if name.lower() not in known:
                raise _unknown(node.path, list(known))
            place = known[name.lower()]
            value = pc.struct_field(value, [place]) if number else self.rows.column(place)
        return value

    def compare(self, node: nodes.Compared, left: Value, right: Value) -> Value:
        return null_safe_equal(left, right) if node.operator == "<=>" else _compare(node.operator, left, right)

    def both(self, node: nodes.Conjunction, left: Value, right: Value) -> Value:
        return pc.and_kleene(left, right)

    def either(self, node: nodes.Disjunction, left: Value, right: Value) -> Value:
        return pc.or_kleene(left, right)

    def opposite(self, node: nodes.Negated, operand: Value) -> Value:
        return pc.invert(operand)

    def is_null(self, node: nodes.NullCheck, operand: Value) -> Value:
        return pc.is_null(operand)

    def is_truth(self, node: nodes.TruthCheck, operand: Value) -> Value:
        if not pa.types.is_boolean(operand.type):
            raise NotAlike("IS TRUE and IS FALSE take a boolean.")
        return pc.fill_null(pc.equal(operand, pa.scalar(node.truth)), False)

    def listed(self, node: nodes.In, value: Value, members: Sequence[Value]) -> Value:
        values = alike_in_list([value, *members])
        answer: Value = pa.scalar(False)
        for each in values[1:]:
            answer = pc.or_kleene(answer, _compare("=", values[0], each))
        return answer

    def cast(self, node: nodes.Cast, operand: Value) -> Value:
        """One that fails, fails the write."""
        if not _is_castable(node):
            return self.unknown(node)
        if node.target in _MOMENTS:
            return read_as(operand, _MOMENTS[node.target])
        wanted = _CAST[node.target]
        if isinstance(operand, pa.StringScalar):
            return read_as(operand, wanted)
        if isinstance(operand, pa.Decimal128Scalar) and pa.types.is_floating(wanted) and operand.as_py() is not None:
            return pa.scalar(float(operand.as_py())).cast(wanted)
        if not pa.types.is_integer(operand.type) or pa.types.is_date(wanted):
            raise unsupported(written(node), "a cast")
        try:
            return operand.cast(wanted)
        except pa.ArrowInvalid:
            if node.is_try:
                # It is null there, and nothing is known of the other rows here.
                return self.unknown(node)
            raise

    def arithmetic(self, node: nodes.Arithmetic, left: Value, right: Value) -> Value:
        apply = _ARITHMETIC.get(node.operator)
        if apply is None:
            return self.unknown(node)
        if pa.types.is_float32(left.type) is not pa.types.is_float32(right.type):
            raise NotAlike("A FLOAT is calculated with another type.")
        if any(pa.types.is_string(side.type) for side in (left, right)):
            raise NotAlike("A text is calculated with.")
        return apply(left, right)

    def call(self, node: nodes.Call, arguments: Sequence[Value]) -> Value:
        apply = _CALLS.get(node.name)
        return self.unknown(node) if apply is None else apply(arguments)


def _cased(value: Value, plain: Callable[[Value], Value], each: Callable[[str], str]) -> Value:
    """Arrow turns character by character, and some characters become two."""
    if isinstance(value, pa.Scalar):
        return pa.scalar(None if value.as_py() is None else each(value.as_py()), pa.string())
    if pc.all(pc.string_is_ascii(value)).as_py() is not False:
        return plain(value)
    return pa.array([None if text is None else each(text) for text in value.to_pylist()], pa.string())


def _compare(operator: str, left: Value, right: Value) -> Value:
    left, right = alike(left, right)
    answer = _COMPARISONS[operator](left, right)
    if not (pa.types.is_floating(left.type) or pa.types.is_floating(right.type)):
        return answer
    # For Spark NaN equals itself and is greater than any number.
    nan, other = _is_nan(left), _is_nan(right)
    if operator in ("=", "<>"):
        both = pc.and_(nan, other)
        return pc.or_(answer, both) if operator == "=" else pc.and_(answer, pc.invert(both))
    if operator in (">", ">="):
        by_nan = nan if operator == ">=" else pc.and_(nan, pc.invert(other))
    else:
        by_nan = other if operator == "<=" else pc.and_(other, pc.invert(nan))
    return pc.or_(answer, by_nan)


def _is_nan(value: Value) -> Value:
    return pc.is_nan(value) if pa.types.is_floating(value.type) else pc.not_equal(value, value)


def _unknown(path: tuple[str, ...], known: list[str]) -> UnknownColumnError:
    return UnknownColumnError(
        f"An expression asks for {quote_path(path)}, which the rows do not have.",
        fix=f"Use some of: {', '.join(known)}." if known else "Name a column of the table's schema.",
        details={"path": list(path), "known": known},
    )


def null_safe_equal(left: Value, right: Value) -> Value:
    """Whether two values are the same, null and NaN being the same as themselves; never null."""
    both = pc.and_(pc.is_null(left), pc.is_null(right))
    return pc.or_(both, pc.fill_null(_compare("=", left, right), False))
