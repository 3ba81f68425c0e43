"""Conditions judged against a file's partition values.

What cannot be judged is taken to hold anywhere, in whichever position it stands: a conflict too many
costs a retry, one too few costs correctness.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.algebra import Algebra, evaluate
from deltaresolver.expressions.compare import UNKNOWABLE, Single, read_day, read_moment
from deltaresolver.expressions.scalar import Formula, Row, Scalar
from deltaresolver.expressions.stored_column import StoredColumn, find_column
from deltaresolver.expressions.stored_values import stored_value
from deltaresolver.expressions.values.moments import in_utc
from deltaresolver.model.metadata import Metadata

if TYPE_CHECKING:
    from deltaresolver.expressions.conditions import SqlPredicate

PartitionValues = Mapping[str, "str | None"]


@attrs.frozen(slots=True, eq=False)
class PartitionAnswer:
    """A condition over partition values: what it comes to, and whether it may hold for some row of such a file.

    The two are not the same where AND has a side that is not known and one that never holds.
    """

    value: Formula
    may_hold: Formula

    @classmethod
    def of(cls, value: Formula) -> PartitionAnswer:
        """What may hold where it does, or where that is unknown."""
        return cls(value, lambda row: (answer := value(row)) is True or answer is UNKNOWABLE)


class PartitionAlgebra(Algebra[PartitionAnswer]):
    """As the values say, but for AND and OR, which may hold as far as their sides may."""

    def __init__(self) -> None:
        self._scalar = Scalar()

    def unknown(self, node: nodes.Node) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.unknown(node))

    def literal(self, node: nodes.Literal) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.literal(node))

    def column(self, node: nodes.NamedColumn) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.column(node))

    def compare(self, node: nodes.Compared, left: PartitionAnswer, right: PartitionAnswer) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.compare(node, left.value, right.value))

    def both(self, node: nodes.Conjunction, left: PartitionAnswer, right: PartitionAnswer) -> PartitionAnswer:
        first, second = left.may_hold, right.may_hold
        return PartitionAnswer(self._scalar.both(node, left.value, right.value), lambda row: first(row) and second(row))

    def either(self, node: nodes.Disjunction, left: PartitionAnswer, right: PartitionAnswer) -> PartitionAnswer:
        first, second = left.may_hold, right.may_hold
        return PartitionAnswer(
            self._scalar.either(node, left.value, right.value), lambda row: first(row) or second(row)
        )

    def opposite(self, node: nodes.Negated, operand: PartitionAnswer) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.opposite(node, operand.value))

    def is_null(self, node: nodes.NullCheck, operand: PartitionAnswer) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.is_null(node, operand.value))

    def is_truth(self, node: nodes.TruthCheck, operand: PartitionAnswer) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.is_truth(node, operand.value))

    def listed(self, node: nodes.In, value: PartitionAnswer, members: Sequence[PartitionAnswer]) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.listed(node, value.value, _values(members)))

    def like(self, node: nodes.Like, value: PartitionAnswer, patterns: Sequence[PartitionAnswer]) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.like(node, value.value, _values(patterns)))

    def case(
        self,
        node: nodes.Case,
        conditions: Sequence[PartitionAnswer],
        results: Sequence[PartitionAnswer],
        default: PartitionAnswer | None,
    ) -> PartitionAnswer:
        last = None if default is None else default.value
        return PartitionAnswer.of(self._scalar.case(node, _values(conditions), _values(results), last))

    def cast(self, node: nodes.Cast, operand: PartitionAnswer) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.cast(node, operand.value))

    def arithmetic(self, node: nodes.Arithmetic, left: PartitionAnswer, right: PartitionAnswer) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.arithmetic(node, left.value, right.value))

    def call(self, node: nodes.Call, arguments: Sequence[PartitionAnswer]) -> PartitionAnswer:
        return PartitionAnswer.of(self._scalar.call(node, _values(arguments)))


def _values(given: Sequence[PartitionAnswer]) -> list[Formula]:
    return [each.value for each in given]


_ALGEBRA = PartitionAlgebra()


@attrs.frozen(slots=True, eq=False)
class PartitionJudge:
    """Judges predicates against partition values of one table."""

    names: tuple[str, ...]
    columns: Mapping[str, StoredColumn]
    """Partition columns by lowered name, in the order of `names`."""
    zone: datetime.tzinfo = datetime.UTC
    """In which partition timestamps without an offset are understood; predicates are said in UTC all the same."""
    _known: dict[int, tuple[nodes.Node, PartitionAnswer]] = attrs.field(factory=dict, init=False, repr=False)
    """By the identity of the tree, which is kept so that no other takes its place."""

    @classmethod
    def of(cls, metadata: Metadata, zone: datetime.tzinfo = datetime.UTC) -> PartitionJudge:
        """The judge for the table's partition columns."""
        names = metadata.partition_columns
        return cls(names, {name.lower(): find_column(metadata, (name,)) for name in names}, zone)

    def may_hold(self, predicate: SqlPredicate, partition_values: PartitionValues) -> bool:
        """Whether some row of a file with these partition values may match."""
        found: bool = self._judged(predicate.tree).may_hold(self._row(partition_values))
        return found

    def surely_holds(self, predicate: SqlPredicate, partition_values: PartitionValues) -> bool:
        """Whether every row of a file with these partition values matches."""
        return self._judged(predicate.tree).value(self._row(partition_values)) is True

    def _judged(self, tree: nodes.Node) -> PartitionAnswer:
        known = self._known.get(id(tree))
        if known is None:
            bound = nodes.bind(tree, self._type_of)
            known = self._known[id(tree)] = (tree, evaluate(bound, _ALGEBRA))
        return known[1]

    def _type_of(self, path: tuple[str, ...]) -> str:
        column = self.columns.get(path[0].lower()) if len(path) == 1 else None
        return "" if column is None else column.type

    def _row(self, partition_values: PartitionValues) -> Row:
        return _PartitionRow(self.columns, self.zone, partition_values)


class _PartitionRow(dict[str, Any]):
    """Partition values in their types, read when they are asked for."""

    __slots__ = ("_columns", "_values", "_zone")

    def __init__(self, columns: Mapping[str, StoredColumn], zone: datetime.tzinfo, values: PartitionValues) -> None:
        self._columns, self._zone, self._values = columns, zone, values

    def __missing__(self, name: str) -> Any:
        column = self._columns.get(name.lower())
        value = self[name] = UNKNOWABLE if column is None else self._typed(column)
        return value

    def _typed(self, column: StoredColumn) -> Any:
        text = self._values.get(column.physical_path[0])
        if text is None or (text == "" and column.type != nodes.STRING):
            return None if column.type or text is None else UNKNOWABLE
        return _typed(column, text, self._zone)


def _typed(column: StoredColumn, text: str, zone: datetime.tzinfo) -> Any:
    if not column.type:
        return UNKNOWABLE
    try:
        if column.type == "date":
            return read_day(text)
        if column.type.startswith("timestamp"):
            written = in_utc(text, zone) if column.type == "timestamp" and zone is not datetime.UTC else text
            value = UNKNOWABLE if written is None else read_moment(written)
            return value if column.type == "timestamp" or value is UNKNOWABLE else value.replace(tzinfo=None)
    except (ValueError, OverflowError):
        return UNKNOWABLE
    if column.type in _FRACTIONS and text.lower() in _SPECIAL:
        found: Any = _SPECIAL[text.lower()]
    else:
        found = stored_value(column, text)
    if found is None:
        return UNKNOWABLE
    return Single(found) if column.type == "float" else found


_FRACTIONS = frozenset({"float", "double"})
_SPECIAL = {"nan": math.nan, **dict.fromkeys(("infinity", "inf", "+infinity", "+inf"), math.inf),
            **dict.fromkeys(("-infinity", "-inf"), -math.inf)}  # fmt: skip
