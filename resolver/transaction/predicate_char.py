"""Conditions on char(n) columns, put so that they hold for values filled up with blanks, as Spark compares them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import expressions as sql

from deltaresolver.transaction.predicate_sql import SqlPredicate

_COMPARISONS = (sql.EQ, sql.NEQ, sql.GT, sql.GTE, sql.LT, sql.LTE, sql.NullSafeEQ)
_AROUND = (sql.And, sql.Or, sql.Not, sql.Paren)


def as_filled_up(part: SqlPredicate, lengths: Mapping[str, int]) -> SqlPredicate | None:
    """The condition for rows that are filled up; None for any but comparisons of one column with constants."""
    tree = _rewritten(part.tree.copy(), lengths)
    return None if tree is None else SqlPredicate(tree.sql(dialect="spark"), tree)


def _rewritten(tree: sql.Expr, lengths: Mapping[str, int]) -> sql.Expr | None:
    if isinstance(tree, _AROUND):
        inner = [(key, _rewritten(value, lengths)) for key, value in tree.args.items() if isinstance(value, sql.Expr)]
        for key, value in inner:
            if value is None:
                return None
            tree.set(key, value)
        return tree
    if isinstance(tree, sql.Is) and isinstance(tree.expression, sql.Null):
        return tree if _length(tree.this, lengths) is not None else None
    if isinstance(tree, _COMPARISONS):
        return _compared(tree, ((tree.this, tree.expression), (tree.expression, tree.this)), lengths)
    if isinstance(tree, sql.Between):
        return _compared(tree, ((tree.this, tree.args["low"], tree.args["high"]),), lengths)
    if isinstance(tree, sql.In) and not tree.args.get("query"):
        return _compared(tree, ((tree.this, *tree.expressions),), lengths)
    return None


def _compared(tree: sql.Expr, ways: tuple[tuple[sql.Expr, ...], ...], lengths: Mapping[str, int]) -> sql.Expr | None:
    for column, *constants in ways:
        length = _length(column, lengths)
        if length is None:
            continue
        filled = [_filled(constant, length) for constant in constants]
        if any(constant is None for constant in filled):
            return None
        for constant, new in zip(constants, filled, strict=True):
            constant.replace(new)
        return tree
    return None


def _length(column: sql.Expr, lengths: Mapping[str, int]) -> int | None:
    if not isinstance(column, sql.Column) or len(column.parts) != 1:
        return None
    return lengths.get(column.name.lower())


def _filled(constant: sql.Expr, length: int) -> sql.Expr | None:
    if not isinstance(constant, sql.Literal) or not constant.is_string or constant.name[length:].strip(" "):
        return None
    return sql.Literal.string(constant.name[:length].ljust(length))
