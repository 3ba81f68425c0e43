"""Trees of sqlglot for conditions, with nothing left in them that who reads them could overlook.

sqlglot says some things by flags beside a node's operands, `NOT LIKE` among them, and which flags there are changes
with its version. Here the known ones are spelt out as nodes of their own, and a node with any other is taken for a
call of something unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.expressions.parser.read import UNREADABLE, read
from deltaresolver.expressions.text.reading import STANDARD, SqlReading

_OPERANDS = frozenset({"this", "expression", "expressions"})
_MORE_OPERANDS: Mapping[type[sql.Expr], frozenset[str]] = {
    sql.Between: frozenset({"low", "high"}),
    sql.Case: frozenset({"default", "ifs"}),
    sql.Cast: frozenset({"to"}),
    sql.Column: frozenset({"table", "db", "catalog"}),
    sql.Concat: frozenset({"safe"}),
    sql.DPipe: frozenset({"safe"}),
    sql.Div: frozenset({"safe"}),
    sql.Greatest: frozenset({"ignore_nulls"}),
    sql.Identifier: frozenset({"quoted"}),
    sql.If: frozenset({"true", "false"}),
    sql.In: frozenset({"query", "unnest"}),
    sql.Interval: frozenset({"unit"}),
    sql.Least: frozenset({"ignore_nulls"}),
    sql.Literal: frozenset({"is_string"}),
    sql.Pad: frozenset({"is_left", "fill_pattern"}),
    sql.Repeat: frozenset({"times"}),
    sql.Replace: frozenset({"replacement"}),
    sql.Round: frozenset({"decimals"}),
    sql.StrPosition: frozenset({"substr"}),
    sql.Substring: frozenset({"start", "length"}),
    sql.Translate: frozenset({"from_", "to"}),
    sql.Trim: frozenset({"position"}),
    sql.TryCast: frozenset({"to", "safe"}),
    sql.TsOrDsAdd: frozenset({"unit"}),
    sql.TsOrDsToDate: frozenset({"safe"}),
}
_FREE = (sql.DataType, sql.DataTypeParam, sql.Query)
"""What is read as a whole or not at all."""
_COMPARISONS = (sql.EQ, sql.NEQ, sql.GT, sql.GTE, sql.LT, sql.LTE, sql.NullSafeEQ, sql.NullSafeNEQ)
_LOOSE = (*_COMPARISONS, sql.Between, sql.In, sql.Is, sql.Like, sql.ILike, sql.RegexpLike, sql.Escape, sql.Not)
"""What binds its operands as loosely as a comparison, or looser."""
_SIGNS = (sql.DPipe, sql.BitwiseAnd, sql.BitwiseOr, sql.BitwiseXor)
"""Operators whose strength beside others the parser sees otherwise than Spark."""
_HALF = re.compile("[\ud800-\udfff]")
_DEEPEST = 150
"""Levels of a tree. Whoever walks it goes down by a few calls a level, and Python allows about 1,000 in all."""


def spelt_out_tree(text: str, reading: SqlReading = STANDARD) -> sql.Expr:
    """The tree of the condition in `text`. Raises `ValueError` with the reason where it is none."""
    if _HALF.search(text):
        raise ValueError("it holds half of a surrogate pair, which no engine accepts")
    tree = read(text, reading)
    for node in list(tree.find_all(sql.And, sql.Or)):
        if not isinstance(node.parent, type(node)):
            tree = _balanced(node, tree)
    if _depth(tree) > _DEEPEST:
        raise ValueError("it is nested too deeply")
    return _spelt_out(tree)


def _balanced(chain: sql.Expr, tree: sql.Expr) -> sql.Expr:
    """The tree with a long chain of ANDs, or of ORs, as a low one of the same terms in the same order."""
    kind, terms, waiting = type(chain), [], [chain]
    while waiting:
        node = waiting.pop()
        if type(node) is kind:
            waiting += [node.args["expression"], node.args["this"]]
        else:
            terms.append(node)
    if len(terms) < 8:
        return tree
    low = _halved(kind, terms)
    if chain is tree:
        return low
    chain.replace(low)
    return tree


def _halved(kind: type[sql.Expr], terms: list[sql.Expr]) -> sql.Expr:
    if len(terms) == 1:
        return terms[0]
    middle = len(terms) // 2
    return kind(this=_halved(kind, terms[:middle]), expression=_halved(kind, terms[middle:]))


def _depth(tree: sql.Expr) -> int:
    deepest, level = 0, [tree]
    while level and deepest <= _DEEPEST:
        deepest += 1
        level = [child for node in level for child in node.iter_expressions()]
    return deepest


def _spelt_out(node: sql.Expr) -> sql.Expr:
    """The node with its operands spelt out and then itself."""
    if isinstance(node, _FREE):
        return node
    is_clear = _binds_as_in_spark(node)
    for name, value in list(node.args.items()):
        if isinstance(value, sql.Expr):
            node.set(name, _spelt_out(value))
        elif isinstance(value, list):
            node.set(name, [_spelt_out(each) if isinstance(each, sql.Expr) else each for each in value])
    if isinstance(node, (sql.Like, sql.ILike)) and node.args.get("negate"):
        node.set("negate", None)
        return sql.Not(this=node)
    if isinstance(node, sql.Escape) and isinstance(node.this, sql.Not):
        inner = node.this.this
        return sql.Not(this=sql.Escape(this=inner, expression=node.expression))
    known = _OPERANDS | _MORE_OPERANDS.get(type(node), frozenset())
    if is_clear and all(name in known or not _says_something(value) for name, value in node.args.items()):
        return node
    return sql.Anonymous(this=UNREADABLE, expressions=[node])


def _binds_as_in_spark(node: sql.Expr) -> bool:
    """Whether Spark would take the same operands for this operator, where no parentheses set them apart."""
    if isinstance(node, (*_COMPARISONS, sql.Between, sql.In, sql.Is, sql.Like, sql.ILike, sql.RegexpLike)):
        return not any(isinstance(operand, _LOOSE) for operand in node.iter_expressions())
    if isinstance(node, sql.Binary) and not isinstance(node, (sql.Connector, sql.Escape)):
        operands = (node.args.get("this"), node.args.get("expression"))
        mixed = [each for each in operands if isinstance(each, sql.Binary) and type(each) is not type(node)]
        return not any(isinstance(node, _SIGNS) or isinstance(each, (*_SIGNS, *_LOOSE)) for each in mixed)
    return True


def _says_something(value: Any) -> bool:
    return value is not None and value is not False and value != []
