"""SQL conditions as the predicates that statistics can be asked about."""

from __future__ import annotations

import datetime
import decimal
import math
import re
from collections.abc import Sequence
from typing import Any

import attrs

from deltaresolver.errors import UnknownColumnError
from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.algebra import Algebra, evaluate
from deltaresolver.expressions.compare import UNKNOWABLE, Single, text_beside
from deltaresolver.expressions.conditions import SqlPredicate
from deltaresolver.expressions.predicates import (
    And,
    Compare,
    Comparison,
    IsIn,
    IsNull,
    Negation,
    Or,
    Predicate,
    StartsWith,
)
from deltaresolver.expressions.scalar import constant_value
from deltaresolver.expressions.stored_column import StoredColumn, find_column, kind_of
from deltaresolver.expressions.stored_values import FRACTIONAL, WHOLE
from deltaresolver.expressions.values.casts import as_text
from deltaresolver.expressions.values.moments import is_written
from deltaresolver.model.facts.leaf_types import find_decimal
from deltaresolver.model.metadata import Metadata

_COMPARISONS: dict[str, Comparison] = {
    "=": Comparison.EQUAL,
    "<>": Comparison.NOT_EQUAL,
    "<": Comparison.LESS,
    "<=": Comparison.LESS_OR_EQUAL,
    ">": Comparison.GREATER,
    ">=": Comparison.GREATER_OR_EQUAL,
    "<=>": Comparison.NULL_SAFE_EQUAL,
}
_TURNED = {
    Comparison.LESS: Comparison.GREATER,
    Comparison.LESS_OR_EQUAL: Comparison.GREATER_OR_EQUAL,
    Comparison.GREATER: Comparison.LESS,
    Comparison.GREATER_OR_EQUAL: Comparison.LESS_OR_EQUAL,
}
_LIKE_VALUES: dict[str, Any] = {
    "byte": 0,
    "short": 0,
    "integer": 0,
    "long": 0,
    "float": Single(),
    "double": 0.0,
    "decimal": decimal.Decimal(0),
    "boolean": True,
    "date": datetime.date.min,
    "timestamp": datetime.datetime.min.replace(tzinfo=datetime.UTC),
    "timestamp_ntz": datetime.datetime.min,  # noqa: DTZ901 - of no zone
}


def pruning_predicate(predicates: tuple[SqlPredicate, ...], metadata: Metadata) -> Predicate | None:
    """What of the predicates, taken together, statistics of data columns can decide; None if nothing."""
    algebra = StatisticsAlgebra(metadata)
    found = [evaluate(part.tree, algebra) for predicate in predicates for part in predicate.parts()]
    parts = tuple(part for part in found if isinstance(part, Predicate))
    return And(parts) if parts else None


@attrs.frozen(slots=True)
class Field:
    """A column that has statistics."""

    path: tuple[str, ...]
    stored: StoredColumn


Found = Predicate | Field | None
"""What statistics can be asked, or the column that it is asked of; None for anything else, constants included."""


@attrs.frozen(slots=True)
class StatisticsAlgebra(Algebra[Found]):
    """Comparisons of columns with constants, and what AND, OR and NOT make of them.

    Half of an AND would still decide, but not inside a NOT: each takes whole conditions only.
    """

    metadata: Metadata

    def unknown(self, node: nodes.Node) -> Found:
        return None

    def column(self, node: nodes.NamedColumn) -> Found:
        try:
            stored = find_column(self.metadata, node.path)
        except UnknownColumnError:
            return None
        return None if stored.is_partition or not stored.type else Field(node.path, stored)

    def compare(self, node: nodes.Compared, left: Found, right: Found) -> Found:
        how = _COMPARISONS[node.operator]
        if isinstance(left, Field):
            return _compared(left, how, node.right)
        return _compared(right, _TURNED.get(how, how), node.left) if isinstance(right, Field) else None

    def both(self, node: nodes.Conjunction, left: Found, right: Found) -> Found:
        return And((left, right)) if isinstance(left, Predicate) and isinstance(right, Predicate) else None

    def either(self, node: nodes.Disjunction, left: Found, right: Found) -> Found:
        return Or((left, right)) if isinstance(left, Predicate) and isinstance(right, Predicate) else None

    def opposite(self, node: nodes.Negated, operand: Found) -> Found:
        return Negation(operand) if isinstance(operand, Predicate) else None

    def is_null(self, node: nodes.NullCheck, operand: Found) -> Found:
        return IsNull(operand.path) if isinstance(operand, Field) else None

    def listed(self, node: nodes.In, value: Found, members: Sequence[Found]) -> Found:
        if not isinstance(value, Field):
            return None
        values = tuple(_value(member, value.stored, in_list=True) for member in node.members)
        return None if any(each is UNKNOWABLE for each in values) else IsIn(value.path, values)

    def like(self, node: nodes.Like, value: Found, patterns: Sequence[Found]) -> Found:
        """A text that begins with something."""
        is_plain = node.escape == "\\" and not node.ignores_case and not node.is_any
        pattern = node.patterns[0]
        text = pattern.value if is_plain and isinstance(pattern, nodes.Literal) else None
        if not isinstance(value, Field) or not isinstance(text, str):
            return None
        plain = re.fullmatch(r"([^%_\\]+)%", text)
        return StartsWith(value.path, plain[1]) if plain else None


def _compared(field: Field, how: Comparison, other: nodes.Node) -> Predicate | None:
    value = _value(other, field.stored)
    return None if value is UNKNOWABLE else Compare(field.path, how, value)


_EXACT_AS_DOUBLE, _EXACT_AS_SINGLE = 1 << 53, 1 << 24


def _value(tree: nodes.Node, column: StoredColumn, *, in_list: bool = False) -> Any:
    """The value in the column's type, so that both compare as Spark compares the column with the expression."""
    value = constant_value(tree)
    kind = kind_of(column)
    if isinstance(value, str) and kind != "string":
        return _read(value, column, in_list=in_list)
    if isinstance(value, bool) or not isinstance(value, (int, float, decimal.Decimal)):
        return value
    if kind in FRACTIONAL:
        if kind == "float" and type(value) is int and abs(value) > _EXACT_AS_SINGLE:
            return UNKNOWABLE
        return float(value)
    if isinstance(value, float) and kind == "decimal":
        return _short_decimal(value, column)
    if isinstance(value, float):
        # A column of whole numbers becomes one of fractions, where those that are too long for it are rounded.
        longest = _EXACT_AS_SINGLE if isinstance(value, Single) else _EXACT_AS_DOUBLE
        return value if kind in WHOLE and abs(value) < longest else UNKNOWABLE
    return value


_SHORT = 15


def _short_decimal(value: float, column: StoredColumn) -> Any:
    """The decimal that stands for the fraction among those so short that no two of them are one fraction."""
    shape = find_decimal(column.type)
    if isinstance(value, Single) or not math.isfinite(value) or shape is None or shape[0] > _SHORT:
        return UNKNOWABLE
    exact = decimal.Decimal(repr(value))
    return exact if len(exact.as_tuple().digits) <= _SHORT else UNKNOWABLE


def _read(text: str, column: StoredColumn, *, in_list: bool) -> Any:
    """A text beside a column of another type."""
    kind = kind_of(column)
    like = _LIKE_VALUES.get(kind)
    if kind == "decimal" and not in_list:
        fraction = text_beside(text, like)
        return UNKNOWABLE if fraction is UNKNOWABLE else _short_decimal(fraction, column)
    if like is None or kind == "decimal":
        return UNKNOWABLE
    if kind == "timestamp_ntz" and not is_written(text):
        return UNKNOWABLE
    found = text_beside(text, like, kind)
    # In a list, a session without ANSI compares texts.
    return UNKNOWABLE if in_list and (kind in FRACTIONAL or as_text(found) != text) else found
