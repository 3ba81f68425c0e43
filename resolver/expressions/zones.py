"""Conditions in the time zone of a session, said so that no zone is needed to understand them.

What judges conditions takes a moment without an offset as UTC; in other zones, it is asked through here.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from sqlglot import expressions as sql

from deltaresolver.errors import UnknownColumnError
from deltaresolver.expressions.conditions import SqlPredicate
from deltaresolver.expressions.moments import in_utc, is_as_spark_writes, is_written
from deltaresolver.expressions.stored_column import find_column
from deltaresolver.expressions.text.spelling import written
from deltaresolver.model.metadata import Metadata

_COMPARISONS = (sql.EQ, sql.NEQ, sql.GT, sql.GTE, sql.LT, sql.LTE, sql.NullSafeEQ, sql.NullSafeNEQ)
_Kind = sql.DataType.Type
_TIMESTAMPS = (_Kind.TIMESTAMP, _Kind.TIMESTAMPTZ, _Kind.TIMESTAMPLTZ)


def without_zone(predicate: SqlPredicate, metadata: Metadata, zone: datetime.tzinfo | None) -> SqlPredicate | None:
    """The predicate with every moment in UTC; None where what it says about moments cannot be written out so.

    Written-out moments and days compared with timestamp columns can; functions of moments cannot, nor can a timestamp
    compared with one that has no zone. Without a zone that is known, nothing about moments can.
    """
    if zone is datetime.UTC:
        return predicate
    tree = predicate.tree.copy()
    explained: set[int] = set()
    changed = False
    for column in list(tree.find_all(sql.Column)):
        kind = _type_of(column, metadata)
        if not kind.startswith("timestamp"):
            continue
        for operand in _operands(column):
            if operand is None or zone is None or not _is_explained(operand, kind, metadata, zone):
                return None
            explained.add(id(operand))
            changed = True
    casts = [cast for cast in tree.find_all(sql.Cast) if cast.to.this in (*_TIMESTAMPS, _Kind.TIMESTAMPNTZ)]
    if any(id(cast) not in explained for cast in casts):
        return None
    return SqlPredicate(written(tree), tree) if changed else predicate


def _type_of(column: sql.Column, metadata: Metadata) -> str:
    try:
        return find_column(metadata, tuple(part.name for part in column.parts)).type
    except UnknownColumnError:
        return ""


def _operands(column: sql.Expr) -> Iterator[sql.Expr | None]:
    """What the column is compared with; None for anything else that is done with it."""
    node: Any = column
    while isinstance(node.parent, sql.Paren):
        node = node.parent
    parent: Any = node.parent
    if isinstance(parent, _COMPARISONS):
        sides = [parent.this, parent.expression]
    elif isinstance(parent, sql.Between):
        sides = [parent.this, parent.args["low"], parent.args["high"]]
    elif isinstance(parent, sql.In) and not parent.args.get("query"):
        sides = [parent.this, *parent.expressions]
    elif isinstance(parent, sql.Is):
        sides = [parent.this, parent.expression]
    else:
        yield None
        return
    yield from (side.unnest() for side in sides if side is not node)


def _is_explained(operand: sql.Expr, kind: str, metadata: Metadata, zone: datetime.tzinfo) -> bool:
    """Whether the operand is a moment that can be written out; afterwards it is."""
    if isinstance(operand, sql.Null):
        return True
    if isinstance(operand, sql.Column):
        return _type_of(operand, metadata) == kind
    literal = operand.this if isinstance(operand, sql.Cast) else operand
    if not isinstance(literal, sql.Literal) or not literal.is_string:
        return False
    if isinstance(operand, sql.Cast):
        wanted = (*_TIMESTAMPS, _Kind.DATE) if kind == "timestamp" else (_Kind.TIMESTAMPNTZ, _Kind.DATE)
        if operand.to.this not in wanted:
            return False
        if operand.to.this is _Kind.DATE and not is_written(literal.this, as_day=True):
            return False
    if kind == "timestamp_ntz":
        return is_written(literal.this)
    return _in_utc(operand, literal, zone)


def _in_utc(operand: sql.Expr, literal: sql.Literal, zone: datetime.tzinfo) -> bool:
    moment = in_utc(literal.this, zone)
    if moment is None:
        return False
    listed_as_spark_writes = isinstance(operand.parent, sql.In) and is_as_spark_writes(literal.this, zone)
    literal.set("this", moment)
    if isinstance(operand, sql.Cast):
        operand.set("to", sql.DataType(this=_Kind.TIMESTAMPTZ))
    elif listed_as_spark_writes:
        # Compared as a text or as a moment, it comes to the same.
        literal.replace(sql.Cast(this=literal.copy(), to=sql.DataType(this=_Kind.TIMESTAMPTZ)))
    return True
