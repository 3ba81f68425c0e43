"""SQL of sqlglot's nodes in pieces, between which operands stand that are written by themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.expressions.parser.read import sql_of, with_texts
from deltaresolver.expressions.tree import Pieces

_HOLE = re.compile("`\ue002(\\d+)\ue003`")


def call_pieces(node: sql.Expr, operands: Sequence[sql.Expr]) -> Pieces:
    """The SQL of a function, with a hole for each operand."""
    places = {id(operand): place for place, operand in enumerate(operands)}

    def shown(value: Any) -> Any:
        if isinstance(value, list):
            return [shown(each) for each in value]
        if id(value) in places:
            return _hole(places[id(value)])
        if isinstance(value, sql.Array):
            return sql.Array(expressions=shown(value.expressions))
        return value.copy() if isinstance(value, sql.Expr) else value

    return _pieces(type(node)(**{name: shown(value) for name, value in node.args.items()}), len(operands))


def column_pieces(node: sql.Expr, columns: Sequence[sql.Column]) -> Pieces:
    """The SQL of anything, with a hole for each of all its columns, as `find_all` has them."""
    copied = node.copy()
    if isinstance(copied, sql.Column):
        return (0,)
    for place, column in enumerate(list(copied.find_all(sql.Column))):
        column.replace(_hole(place))
    return _pieces(copied, len(columns))


def _hole(place: int) -> sql.Column:
    return sql.Column(this=sql.Identifier(this=f"\ue002{place}\ue003", quoted=True))


def _pieces(node: sql.Expr, holes: int) -> Pieces:
    written, texts = sql_of(node)
    found: list[str | int] = []
    end = 0
    for hole in _HOLE.finditer(written):
        if int(hole[1]) < holes:
            found += [with_texts(written[end : hole.start()], texts), int(hole[1])]
            end = hole.end()
    found.append(with_texts(written[end:], texts))
    return tuple(piece for piece in found if piece != "")
