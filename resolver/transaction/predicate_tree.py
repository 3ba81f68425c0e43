"""Trees of Spark SQL conditions, with nothing left in them that an evaluator could overlook.

sqlglot says some things by flags beside a node's operands, `NOT LIKE` among them, and which flags there are changes
with its version. Here the known ones are spelt out as nodes of their own, and a node with any other is taken for a
call of something unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlglot
from sqlglot import expressions as sql

_OPERANDS = frozenset({"this", "expression", "expressions"})
_MORE_OPERANDS: Mapping[type[sql.Expr], frozenset[str]] = {
    sql.Between: frozenset({"low", "high"}),
    sql.Case: frozenset({"default", "ifs"}),
    sql.Cast: frozenset({"to"}),
    sql.Column: frozenset({"table", "db", "catalog"}),
    sql.Concat: frozenset({"safe"}),
    sql.DPipe: frozenset({"safe"}),
    sql.DateTrunc: frozenset({"unit"}),
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
    sql.TimestampTrunc: frozenset({"unit"}),
    sql.Translate: frozenset({"from_", "to"}),
    sql.Trim: frozenset({"position"}),
    sql.TryCast: frozenset({"to", "safe"}),
    sql.TsOrDsAdd: frozenset({"unit"}),
    sql.TsOrDsToDate: frozenset({"safe"}),
}
_FREE = (sql.DataType, sql.DataTypeParam, sql.Query)
"""What is read as a whole or not at all."""
UNREADABLE = "unreadable"


def parse_tree(text: str) -> sql.Expr:
    """The tree of the condition in `text`. Raises `sqlglot.errors.SqlglotError`."""
    tree: sql.Expr = sqlglot.parse_one(text, dialect="spark")
    return _spelt_out(tree)


def _spelt_out(node: sql.Expr) -> sql.Expr:
    """The node with its operands spelt out and then itself."""
    if isinstance(node, _FREE):
        return node
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
    if all(name in known or not _says_something(value) for name, value in node.args.items()):
        return node
    return sql.Anonymous(this=UNREADABLE, expressions=[node])


def _says_something(value: Any) -> bool:
    return value is not None and value is not False and value != []
