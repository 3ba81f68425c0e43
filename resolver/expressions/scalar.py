"""Evaluates a condition over Python values, in three-valued logic with a fourth answer: unknown.

The tree becomes a function of a row, which is then asked as often as there are rows.
"""

from __future__ import annotations

import datetime
import decimal
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deltaresolver.expressions import algebra
from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.compare import UNKNOWABLE, Single, compare
from deltaresolver.expressions.listed import is_listed
from deltaresolver.expressions.scalar_calls import CALLS, any_of, applied, in_range
from deltaresolver.expressions.values.casts import cast
from deltaresolver.expressions.values.functions import quotient, remainder
from deltaresolver.expressions.values.patterns import matches

Row = Mapping[str, Any]
"""The values of columns by their names; None is null, UNKNOWABLE is not known."""
Formula = Callable[[Row], Any]
Lookup = Callable[[str], tuple[Any, str]]
"""A column's value and Delta type, by its name."""

_EXACT = (int, decimal.Decimal)
_LONGEST_DECIMAL = 18
_HOW: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_APPLY: Mapping[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_STRICT: Mapping[str, Callable[[Any, Any], Any]] = {"/": quotient, "%": remainder}


class Constant:
    """A formula with the same value for every row."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, _: Row) -> Any:
        return self.value


_UNKNOWN = Constant(UNKNOWABLE)
_NO_ROW: Row = {}


def _folded(formula: Formula, operands: Sequence[Formula]) -> Formula:
    """The formula, computed at once where all its operands are constant."""
    return Constant(formula(_NO_ROW)) if all(isinstance(each, Constant) for each in operands) else formula


class Scalar(algebra.Algebra[Formula]):
    """Trees, with the types of their columns bound, as functions of a row."""

    def unknown(self, node: nodes.Node) -> Formula:
        return _UNKNOWN

    def literal(self, node: nodes.Literal) -> Formula:
        return Constant(node.value)

    def column(self, node: nodes.NamedColumn) -> Formula:
        """A column at the top; what is inside a struct is not looked at."""
        if len(node.path) != 1:
            return _UNKNOWN
        return operator.itemgetter(node.path[0])

    def compare(self, node: nodes.Compared, left: Formula, right: Formula) -> Formula:
        if node.operator == "<=>":
            return _folded(_null_safe(node, left, right), (left, right))
        how, kinds = _HOW[node.operator], (node.left.kind, node.right.kind)
        if isinstance(right, Constant) and not isinstance(left, Constant):
            value = right.value
            return lambda row: compare(left(row), value, how, kinds)
        return _folded(lambda row: compare(left(row), right(row), how, kinds), (left, right))

    def both(self, node: nodes.Conjunction, left: Formula, right: Formula) -> Formula:
        """Spark looks at the left side first: what it would refuse there, the right side does not make up for."""

        def judge(row: Row) -> Any:
            first = left(row)
            if first is False or first is UNKNOWABLE:
                return first
            second = right(row)
            if second is False or second is UNKNOWABLE:
                return second
            return None if first is None or second is None else True

        return judge

    def either(self, node: nodes.Disjunction, left: Formula, right: Formula) -> Formula:
        """The left side first, as for AND."""

        def judge(row: Row) -> Any:
            first = left(row)
            if first is True or first is UNKNOWABLE:
                return first
            second = right(row)
            if second is True or second is UNKNOWABLE:
                return second
            return None if first is None or second is None else False

        return judge

    def opposite(self, node: nodes.Negated, operand: Formula) -> Formula:
        def judge(row: Row) -> Any:
            value = operand(row)
            return value if value is None or value is UNKNOWABLE else not value

        return judge

    def is_null(self, node: nodes.NullCheck, operand: Formula) -> Formula:
        return lambda row: UNKNOWABLE if (value := operand(row)) is UNKNOWABLE else value is None

    def is_truth(self, node: nodes.TruthCheck, operand: Formula) -> Formula:
        return lambda row: UNKNOWABLE if (value := operand(row)) is UNKNOWABLE else value is node.truth

    def listed(self, node: nodes.In, value: Formula, members: Sequence[Formula]) -> Formula:
        """A list may be looked through in any order: what Spark would refuse in it may come first."""
        kinds = [(node.value.kind, member.kind) for member in node.members]
        if all(isinstance(each, Constant) for each in members):
            constants = [each(_NO_ROW) for each in members]
            return lambda row: is_listed(value(row), constants, kinds)
        return lambda row: is_listed(value(row), [each(row) for each in members], kinds)

    def like(self, node: nodes.Like, value: Formula, patterns: Sequence[Formula]) -> Formula:
        def judge(row: Row) -> Any:
            text = value(row)
            answers = [matches(text, pattern(row), node.escape, ignores_case=node.ignores_case) for pattern in patterns]
            return any_of(answers) if node.is_any else answers[0]

        return judge

    def case(
        self,
        node: nodes.Case,
        conditions: Sequence[Formula],
        results: Sequence[Formula],
        default: Formula | None,
    ) -> Formula:
        is_one_type = share_family(node.outcomes)

        def judge(row: Row) -> Any:
            for condition, result in zip(conditions, results, strict=True):
                holds = condition(row)
                if holds is UNKNOWABLE:
                    return UNKNOWABLE
                if holds is True:
                    return _of_one_type(result(row), is_one_type=is_one_type)
            return None if default is None else _of_one_type(default(row), is_one_type=is_one_type)

        return judge

    def cast(self, node: nodes.Cast, operand: Formula) -> Formula:
        def convert(value: Any) -> Any:
            return cast(value, node.target, is_try=node.is_try)

        return _folded(lambda row: applied(convert, (operand(row),)), (operand,))

    def arithmetic(self, node: nodes.Arithmetic, left: Formula, right: Formula) -> Formula:
        strict = _STRICT.get(node.operator)
        if strict is not None:
            return _folded(lambda row: applied(strict, (left(row), right(row))), (left, right))
        apply, is_long = _APPLY[node.operator], _has_long_decimals(node)
        return _folded(lambda row: _calculated(left(row), right(row), apply, node.kind, is_long=is_long), (left, right))

    def call(self, node: nodes.Call, arguments: Sequence[Formula]) -> Formula:
        if node.name == "coalesce":
            is_one_type = share_family(node.arguments)
            return lambda row: _of_one_type(
                next((found for each in arguments if (found := each(row)) is not None), None), is_one_type=is_one_type
            )
        apply = CALLS.get(node.name)
        if apply is None:
            return _UNKNOWN
        return _folded(lambda row: apply(node, [each(row) for each in arguments]), arguments)


_SCALAR = Scalar()


def formula(tree: nodes.Node) -> Formula:
    """The tree as a function of a row."""
    return algebra.evaluate(tree, _SCALAR)


def evaluate(tree: nodes.Node, lookup: Lookup) -> Any:
    """The value of the tree: `None` is SQL's null, `UNKNOWABLE` is anything."""
    bound = nodes.bind(tree, lambda path: lookup(path[0])[1] if len(path) == 1 else "")
    return formula(bound)(_Looked(lookup))


def constant_value(tree: nodes.Node) -> Any:
    """The value of what looks at no columns; UNKNOWABLE where it does."""
    return tree.value if isinstance(tree, nodes.Literal) else formula(tree)(_NO_VALUES)


class _Looked(dict[str, Any]):
    """Values that are looked up once."""

    def __init__(self, lookup: Lookup) -> None:
        super().__init__()
        self._lookup = lookup

    def __missing__(self, name: str) -> Any:
        value = self[name] = self._lookup(name)[0]
        return value


_NO_VALUES = _Looked(lambda _: (UNKNOWABLE, ""))


def _null_safe(node: nodes.Compared, left: Formula, right: Formula) -> Formula:
    kinds = (node.left.kind, node.right.kind)
    known = {each.kind == nodes.STRING for each in (node.left, node.right) if not _is_null(each)}

    def judge(row: Row) -> Any:
        one, other = left(row), right(row)
        if one is UNKNOWABLE or other is UNKNOWABLE:
            return UNKNOWABLE
        if one is None or other is None:
            # A text on the other side may still be refused, or be null itself for a session without ANSI.
            return one is other if len(known) < 2 else UNKNOWABLE
        return compare(one, other, operator.eq, kinds)

    return judge


def _is_null(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Literal) and node.is_null


def share_family(among: Sequence[nodes.Node]) -> bool:
    """Whether values of these mean the same in the widest type of them."""
    kinds = {"whole" if each.kind in nodes.WIDTHS else each.kind for each in among if not _is_null(each)}
    return len(kinds) == 1 and "" not in kinds


def _of_one_type(value: Any, *, is_one_type: bool) -> Any:
    return value if value is None or is_one_type else UNKNOWABLE


def _calculated(left: Any, right: Any, apply: Callable[[Any, Any], Any], kind: str, *, is_long: bool) -> Any:
    if left is UNKNOWABLE or right is UNKNOWABLE:
        return UNKNOWABLE
    if left is None or right is None:
        return None
    if type(left) is datetime.date and type(right) is int and apply is not operator.mul:
        return applied(lambda day, days: apply(day, datetime.timedelta(days=days)), (left, right))
    if isinstance(left, Single) or isinstance(right, Single):
        return UNKNOWABLE
    exact = (type(left) in _EXACT, type(right) in _EXACT)
    if any(exact) and float in (type(left), type(right)):
        left, right = float(left), float(right)
    elif not all(exact) or is_long:
        # Two binary fractions may be of a width that rounds otherwise, as long decimals are.
        return UNKNOWABLE
    return in_range(apply(left, right), kind)


def _has_long_decimals(tree: nodes.Node) -> bool:
    """Whether it calculates with a decimal so long that its results may be rounded."""
    for node in nodes.walk(tree):
        kind = node.stored_type if isinstance(node, nodes.NamedColumn) else ""
        kind = node.target if isinstance(node, nodes.Cast) else kind
        if kind.startswith("decimal"):
            digits = kind.partition("(")[2].partition(",")[0].strip()
            if not digits.isdecimal() or int(digits) > _LONGEST_DECIMAL:
                return True
    return False
