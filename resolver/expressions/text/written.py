"""Trees spelt as Spark SQL for a session with default settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.model.schema import base_type

_ANY, _OR, _AND, _NOT, _COMPARISON, _VALUE, _SUM, _PRODUCT, _SIGN, _CLOSED = range(10)
"""How tightly an expression holds together, from the loosest on."""
_SQL_TYPES: Mapping[str, str] = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}
_FUNCTION = re.compile(r"\w*\(")
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|`(?:[^`]|``)*`", re.DOTALL)
_WITH_WORDS = frozenset({"trim", "ltrim", "rtrim"})
"""Functions whose operands may have words between them."""


def written(tree: nodes.Node) -> str:
    """The tree as SQL, with no more parentheses than it needs."""
    return _WRITERS[type(tree)](tree)


def _within(node: nodes.Node, strength: int) -> str:
    """The node as an operand of something this strong."""
    text = written(node)
    return text if _strength(node) >= strength else f"({text})"


def _strength(node: nodes.Node) -> int:
    if isinstance(node, nodes.Conjunction):
        return _COMPARISON if node.is_between else _AND
    if isinstance(node, nodes.Arithmetic):
        return _SUM if node.operator in "+-" else _PRODUCT
    if isinstance(node, nodes.Call) and node.name == "negative":
        return _SIGN
    if isinstance(node, (nodes.Call, nodes.Unknown)):
        return _CLOSED if _is_closed(node) else _ANY
    return _STRENGTHS.get(type(node), _CLOSED)


def _is_closed(node: nodes.Call | nodes.Unknown) -> bool:
    """Whether the pieces are surely those of a function, from its name to its last parenthesis."""
    fixed = "".join(piece for piece in node.pieces if isinstance(piece, str))
    fixed = _QUOTED.sub("", fixed)
    if not isinstance(node.pieces[0], str) or _FUNCTION.match(fixed) is None:
        return False
    depth = 0
    for place, sign in enumerate(fixed):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and sign == ")":
            return place == len(fixed) - 1
    return False


_STRENGTHS: Mapping[type[nodes.Node], int] = {
    nodes.Disjunction: _OR,
    nodes.Negated: _NOT,
    **dict.fromkeys((nodes.Compared, nodes.NullCheck, nodes.TruthCheck, nodes.In, nodes.Like), _COMPARISON),
}


def _literal(node: nodes.Literal) -> str:
    if node.text:
        return node.text
    if node.value is None:
        return "NULL"
    return quoted_text(node.value) if isinstance(node.value, str) else str(node.value).upper()


def _compare(node: nodes.Compared) -> str:
    return f"{_within(node.left, _VALUE)} {node.operator} {_within(node.right, _VALUE)}"


def _and(node: nodes.Conjunction) -> str:
    low, high = node.left, node.right
    if node.is_between and isinstance(low, nodes.Compared) and isinstance(high, nodes.Compared):
        return f"{_within(low.left, _VALUE)} BETWEEN {_within(low.right, _VALUE)} AND {_within(high.right, _VALUE)}"
    return f"{_within(low, _AND)} AND {_within(high, _AND)}"


def _in(node: nodes.In) -> str:
    return f"{_within(node.value, _VALUE)} IN ({', '.join(_within(each, _VALUE) for each in node.members)})"


def _like(node: nodes.Like) -> str:
    how = "ILIKE" if node.ignores_case else "LIKE"
    patterns = ", ".join(_within(each, _VALUE) for each in node.patterns)
    escape = "" if node.escape == "\\" else f" ESCAPE {quoted_text(node.escape)}"
    return f"{_within(node.value, _VALUE)} {how} {f'ANY ({patterns})' if node.is_any else patterns}{escape}"


def _case(node: nodes.Case) -> str:
    pairs = zip(node.conditions, node.results, strict=True)
    branches = "".join(f" WHEN {written(condition)} THEN {written(result)}" for condition, result in pairs)
    default = "" if node.default is None else f" ELSE {written(node.default)}"
    return f"CASE{branches}{default} END"


def _cast(node: nodes.Cast) -> str:
    target = _SQL_TYPES.get(node.target, node.target.upper())
    if base_type(target) == "DECIMAL":
        target = target.replace(",", ", ")
    return f"{'TRY_CAST' if node.is_try else 'CAST'}({_within(node.operand, _VALUE)} AS {target})"


def _arithmetic(node: nodes.Arithmetic) -> str:
    strength = _strength(node)
    return f"{_within(node.left, strength)} {node.operator} {_within(node.right, strength + 1)}"


def _in_pieces(node: nodes.Call | nodes.Unknown) -> str:
    is_listing = isinstance(node, nodes.Unknown) or node.name not in _WITH_WORDS
    needed = _CLOSED if not _is_closed(node) else _ANY if is_listing else _VALUE
    operands = node.operands
    return "".join(each if isinstance(each, str) else _within(operands[each], needed) for each in node.pieces)


_WRITERS: Mapping[type[nodes.Node], Callable[[Any], str]] = {
    nodes.Literal: _literal,
    nodes.NamedColumn: lambda node: ".".join(node.spelt),
    nodes.Compared: _compare,
    nodes.Conjunction: _and,
    nodes.Disjunction: lambda node: f"{_within(node.left, _OR)} OR {_within(node.right, _OR)}",
    nodes.Negated: lambda node: f"NOT {_within(node.operand, _NOT)}",
    nodes.NullCheck: lambda node: f"{_within(node.operand, _VALUE)} IS NULL",
    nodes.TruthCheck: lambda node: f"{_within(node.operand, _VALUE)} IS {str(node.truth).upper()}",
    nodes.In: _in,
    nodes.Like: _like,
    nodes.Case: _case,
    nodes.Cast: _cast,
    nodes.Arithmetic: _arithmetic,
    nodes.Call: _in_pieces,
    nodes.Unknown: _in_pieces,
}
