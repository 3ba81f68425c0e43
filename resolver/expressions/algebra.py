"""The one walk over a tree, and the interface of those who evaluate: what each makes of a node and of its operands.

There are four. `scalar` has values of Python, `partition_values` answers for files by their partition values,
`statistics` puts what files are chosen by, and `arrow` computes batches. Each may leave open what a node comes to, by
`unknown`; none may come to anything that Spark does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from deltaresolver.expressions import tree as nodes

V = TypeVar("V")


class Algebra(ABC, Generic[V]):
    """What an evaluator makes of each kind of node. An operation that it does not have is unknown to it."""

    @abstractmethod
    def unknown(self, node: nodes.Node) -> V:
        """What is made of anything that is not evaluated."""

    def literal(self, node: nodes.Literal) -> V:
        """A constant."""
        return self.unknown(node)

    def column(self, node: nodes.NamedColumn) -> V:
        """A column."""
        return self.unknown(node)

    def compare(self, node: nodes.Compared, left: V, right: V) -> V:
        """A comparison."""
        return self.unknown(node)

    def both(self, node: nodes.Conjunction, left: V, right: V) -> V:
        """AND, and BETWEEN."""
        return self.unknown(node)

    def either(self, node: nodes.Disjunction, left: V, right: V) -> V:
        """OR."""
        return self.unknown(node)

    def opposite(self, node: nodes.Negated, operand: V) -> V:
        """NOT."""
        return self.unknown(node)

    def is_null(self, node: nodes.NullCheck, operand: V) -> V:
        """IS NULL."""
        return self.unknown(node)

    def is_truth(self, node: nodes.TruthCheck, operand: V) -> V:
        """IS TRUE or IS FALSE."""
        return self.unknown(node)

    def listed(self, node: nodes.In, value: V, members: Sequence[V]) -> V:
        """IN with a list."""
        return self.unknown(node)

    def like(self, node: nodes.Like, value: V, patterns: Sequence[V]) -> V:
        """LIKE or ILIKE."""
        return self.unknown(node)

    def case(self, node: nodes.Case, conditions: Sequence[V], results: Sequence[V], default: V | None) -> V:
        """CASE or IF."""
        return self.unknown(node)

    def cast(self, node: nodes.Cast, operand: V) -> V:
        """CAST or TRY_CAST."""
        return self.unknown(node)

    def arithmetic(self, node: nodes.Arithmetic, left: V, right: V) -> V:
        """A calculation with two numbers."""
        return self.unknown(node)

    def call(self, node: nodes.Call, arguments: Sequence[V]) -> V:
        """A function of the closed list."""
        return self.unknown(node)


def evaluate(tree: nodes.Node, algebra: Algebra[V]) -> V:
    """What the algebra makes of the tree, from its leaves up."""
    result: V = _STEPS[type(tree)](tree, algebra)
    return result


def _pair(operation: str) -> Callable[[Any, Algebra[Any]], Any]:
    def step(node: Any, algebra: Algebra[Any]) -> Any:
        return getattr(algebra, operation)(node, evaluate(node.left, algebra), evaluate(node.right, algebra))

    return step


def _single(operation: str) -> Callable[[Any, Algebra[Any]], Any]:
    def step(node: Any, algebra: Algebra[Any]) -> Any:
        return getattr(algebra, operation)(node, evaluate(node.operand, algebra))

    return step


def _all(given: Sequence[nodes.Node], algebra: Algebra[V]) -> Sequence[V]:
    return [evaluate(each, algebra) for each in given]


def _case(node: nodes.Case, algebra: Algebra[V]) -> V:
    default = None if node.default is None else evaluate(node.default, algebra)
    return algebra.case(node, _all(node.conditions, algebra), _all(node.results, algebra), default)


_STEPS: Mapping[type[nodes.Node], Callable[[Any, Algebra[Any]], Any]] = {
    nodes.Literal: lambda node, algebra: algebra.literal(node),
    nodes.NamedColumn: lambda node, algebra: algebra.column(node),
    nodes.Compared: _pair("compare"),
    nodes.Conjunction: _pair("both"),
    nodes.Disjunction: _pair("either"),
    nodes.Negated: _single("opposite"),
    nodes.NullCheck: _single("is_null"),
    nodes.TruthCheck: _single("is_truth"),
    nodes.In: lambda node, algebra: algebra.listed(node, evaluate(node.value, algebra), _all(node.members, algebra)),
    nodes.Like: lambda node, algebra: algebra.like(node, evaluate(node.value, algebra), _all(node.patterns, algebra)),
    nodes.Case: _case,
    nodes.Cast: _single("cast"),
    nodes.Arithmetic: _pair("arithmetic"),
    nodes.Call: lambda node, algebra: algebra.call(node, _all(node.arguments, algebra)),
    nodes.Unknown: lambda node, algebra: algebra.unknown(node),
}
