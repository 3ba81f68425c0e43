"""The tree of a condition: what is compared, and how, in nodes that no parser knows of.

Each node knows its operands and its kind: a Delta type without parameters, which is empty where it is not known.
Columns have none until `bind` gives them theirs; every other kind follows from those of the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self, cast

import attrs

from deltaresolver.model.schema import base_type

BOOLEAN, STRING, INTEGER = "boolean", "string", "integer"
WIDTHS: Mapping[str, int] = {"byte": 8, "short": 16, INTEGER: 32, "long": 64}
_CALL_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("startswith", "endswith", "contains", "rlike"), BOOLEAN),
    **dict.fromkeys(("upper", "lower", "trim", "ltrim", "rtrim", "concat", "substring"), STRING),
    "length": INTEGER,
}
_OF_FIRST_OPERAND = frozenset({"abs", "negative"})


class Node:
    """A condition, or a value in one."""

    __slots__ = ()
    _children: ClassVar[tuple[str, ...]] = ()
    """The fields that hold a node, or several."""
    kind: str

    @property
    def operands(self) -> tuple[Node, ...]:
        """The nodes right below, from left to right."""
        found: list[Node | None] = []
        for name in self._children:
            value = getattr(self, name)
            found += value if isinstance(value, tuple) else (value,)
        return tuple([node for node in found if node is not None])

    def changed(self, change: Callable[[Node], Node]) -> Self:
        """The node with each operand changed; itself where none of them is another one."""
        new: dict[str, Any] = {}
        for name in self._children:
            value = getattr(self, name)
            if isinstance(value, tuple):
                each = tuple([change(node) for node in value])
                if any(one is not other for one, other in zip(each, value, strict=True)):
                    new[name] = each
            elif value is not None and (one := change(value)) is not value:
                new[name] = one
        return attrs.evolve(cast("Any", self), **new) if new else self


@attrs.frozen(slots=True)
class Literal(Node):
    """A constant: None is null, and UNKNOWABLE a number that Spark does not have. `text` is a number as written."""

    value: Any
    kind: str
    text: str = ""

    @classmethod
    def of_text(cls, value: str) -> Self:
        """A text."""
        return cls(value, STRING)

    @property
    def is_null(self) -> bool:
        """Whether it is null."""
        return self.value is None


@attrs.frozen(slots=True)
class NamedColumn(Node):
    """A column by its names from the top down; `spelt` has them as the condition writes them."""

    path: tuple[str, ...]
    spelt: tuple[str, ...]
    stored_type: str = ""
    """The Delta type, with parameters."""

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The type of its values."""
        return base_type(self.stored_type) if self.stored_type else ""


@attrs.frozen(slots=True)
class Compared(Node):
    """One of `=`, `<>`, `<`, `<=`, `>`, `>=` and `<=>`."""

    _children: ClassVar = ("left", "right")
    operator: str
    left: Node
    right: Node
    kind: str = attrs.field(default=BOOLEAN, init=False)


@attrs.frozen(slots=True)
class Conjunction(Node):
    """Both; `is_between` where it was written as one, x BETWEEN a AND b."""

    _children: ClassVar = ("left", "right")
    left: Node
    right: Node
    is_between: bool = False
    kind: str = attrs.field(default=BOOLEAN, init=False)


@attrs.frozen(slots=True)
class Disjunction(Node):
    """One of both."""

    _children: ClassVar = ("left", "right")
    left: Node
    right: Node
    kind: str = attrs.field(default=BOOLEAN, init=False)


@attrs.frozen(slots=True)
class Negated(Node):
    """The opposite."""

    _children: ClassVar = ("operand",)
    operand: Node
    kind: str = attrs.field(default=BOOLEAN, init=False)


@attrs.frozen(slots=True)
class NullCheck(Node):
    """Whether it is null."""

    _children: ClassVar = ("operand",)
    operand: Node
    kind: str = attrs.field(default=BOOLEAN, init=False)


@attrs.frozen(slots=True)
class TruthCheck(Node):
    """IS TRUE or IS FALSE."""

    _children: ClassVar = ("operand",)
    operand: Node
    truth: bool
    kind: str = attrs.field(default=BOOLEAN, init=False)


@attrs.frozen(slots=True)
class In(Node):
    """Whether the value is one of a list."""

    _children: ClassVar = ("value", "members")
    value: Node
    members: tuple[Node, ...]
    kind: str = attrs.field(default=BOOLEAN, init=False)


@attrs.frozen(slots=True)
class Like(Node):
    """Whether a text is like a pattern, or with `is_any` like one of several."""

    _children: ClassVar = ("value", "patterns")
    value: Node
    patterns: tuple[Node, ...]
    escape: str = "\\"
    ignores_case: bool = False
    is_any: bool = False
    kind: str = attrs.field(default=BOOLEAN, init=False)


@attrs.frozen(slots=True)
class Case(Node):
    """The result beside the first condition that holds, or the default; IF and CASE x WHEN are written so too."""

    _children: ClassVar = ("conditions", "results", "default")
    conditions: tuple[Node, ...]
    results: tuple[Node, ...]
    default: Node | None
    kind: str = attrs.field(init=False)

    @kind.default
    def _shared(self) -> str:
        return shared_type(self.outcomes)

    @property
    def outcomes(self) -> tuple[Node, ...]:
        """All results that are possible, except the null of a missing default."""
        return self.results if self.default is None else (*self.results, self.default)


@attrs.frozen(slots=True)
class Cast(Node):
    """A value in a Delta type, which may have parameters; with `is_try` null where it does not fit."""

    _children: ClassVar = ("operand",)
    operand: Node
    target: str
    is_try: bool = False
    kind: str = attrs.field(init=False)

    @kind.default
    def _base(self) -> str:
        return base_type(self.target)


@attrs.frozen(slots=True)
class Arithmetic(Node):
    """One of `+`, `-`, `*`, `/` and `%`."""

    _children: ClassVar = ("left", "right")
    operator: str
    left: Node
    right: Node
    kind: str = attrs.field(init=False)

    @kind.default
    def _widest(self) -> str:
        kinds = self.left.kind, self.right.kind
        known = self.operator != "/" and all(each in WIDTHS for each in kinds)
        return max(kinds, key=lambda each: WIDTHS[each]) if known else ""


Pieces = tuple[str | int, ...]
"""SQL in pieces: texts, and the numbers of operands that stand between them."""


@attrs.frozen(slots=True)
class Call(Node):
    """A function of a closed list, by its name there."""

    _children: ClassVar = ("arguments",)
    name: str
    arguments: tuple[Node, ...]
    pieces: Pieces = attrs.field(default=(), eq=False)
    kind: str = attrs.field(init=False)

    @kind.default
    def _of_name(self) -> str:
        if self.name in _OF_FIRST_OPERAND:
            return self.arguments[0].kind
        return shared_type(self.arguments) if self.name == "coalesce" else _CALL_TYPES.get(self.name, "")


@attrs.frozen(slots=True)
class Unknown(Node):
    """An expression that nothing here evaluates, and why; only its columns and some facts about it are known.

    calls         functions in it, in capitals
    bound         names that are a lambda's own, lowered
    has_query     it holds a query
    has_aggregate it speaks of many rows at once
    """

    _children: ClassVar = ("columns",)
    reason: str
    columns: tuple[Node, ...]
    pieces: Pieces
    calls: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()
    has_query: bool = False
    has_aggregate: bool = False
    kind: str = attrs.field(default="", init=False)


def shared_type(nodes: Sequence[Node]) -> str:
    """The one type of all of them, nulls aside."""
    kinds = {node.kind for node in nodes if not (isinstance(node, Literal) and node.is_null)}
    return kinds.pop() if len(kinds) == 1 else ""


def walk(tree: Node) -> Iterator[Node]:
    """The node and all below it, from left to right."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.operands)


def columns(tree: Node) -> Iterator[NamedColumn]:
    """All columns that it looks at, as often as it names them."""
    return (node for node in walk(tree) if isinstance(node, NamedColumn))


def has_query(tree: Node) -> bool:
    """Whether it holds a query, which may look at anything."""
    return any(isinstance(node, Unknown) and node.has_query for node in walk(tree))


def bind(tree: Node, type_of: Callable[[tuple[str, ...]], str]) -> Node:
    """The tree with the Delta types of its columns, by their paths; empty for a column whose type is not known."""
    if isinstance(tree, NamedColumn):
        found = type_of(tree.path)
        return tree if found == tree.stored_type else attrs.evolve(tree, stored_type=found)
    return tree.changed(lambda operand: bind(operand, type_of))
