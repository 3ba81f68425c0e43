"""Rewrites conditions in a session's time zone so that they mean the same in every zone.

What judges conditions takes a moment without an offset as UTC; in other zones, it is asked through here.
"""

from __future__ import annotations

import datetime

import attrs

from deltaresolver.errors import UnknownColumnError
from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.conditions import SqlPredicate
from deltaresolver.expressions.stored_column import find_column
from deltaresolver.expressions.text.written import written
from deltaresolver.expressions.values.moments import in_utc, is_as_spark_writes, is_written
from deltaresolver.model.metadata import Metadata

TIMESTAMP, TIMESTAMP_NTZ = "timestamp", "timestamp_ntz"
_LITERAL_TYPES = {TIMESTAMP: (TIMESTAMP, "date"), TIMESTAMP_NTZ: (TIMESTAMP_NTZ, "date")}
"""What a literal beside a column of the type may be cast to."""


def without_zone(predicate: SqlPredicate, metadata: Metadata, zone: datetime.tzinfo | None) -> SqlPredicate | None:
    """The predicate with every moment in UTC; None where what it says about moments cannot be written out so.

    Written-out moments and days compared with timestamp columns can; functions of moments cannot, nor can a timestamp
    compared with one that has no zone. Without a zone that is known, nothing about moments can.
    """
    if zone is datetime.UTC:
        return predicate
    session = _InUtc(metadata, zone)
    try:
        tree = session.said(predicate.tree)
    except _NeedsZone:
        return None
    has_moments = any(session.kind_of(column) is not None for column in nodes.columns(tree))
    return SqlPredicate(written(tree), tree) if has_moments else predicate


class _NeedsZone(Exception):  # noqa: N818 - a reason, which becomes the answer None
    """Something depends on the session's zone, and cannot be written out."""


@attrs.frozen(slots=True)
class _InUtc:
    """Goes through a tree and writes moments out."""

    metadata: Metadata
    zone: datetime.tzinfo | None

    def said(self, node: nodes.Node) -> nodes.Node:
        """The node without a need for a zone. Raises `_NeedsZone`."""
        if isinstance(node, (nodes.Compared, nodes.In)):
            kind = self._compared_kind(node.operands)
            if kind is not None:
                in_list = isinstance(node, nodes.In)
                return node.changed(lambda operand: self._written_out(operand, kind, in_list=in_list))
        elif isinstance(node, nodes.NullCheck) and self.kind_of(node.operand) is not None:
            if self.zone is None:
                raise _NeedsZone
            return node
        elif self.kind_of(node) is not None or (isinstance(node, nodes.Cast) and node.target in _LITERAL_TYPES):
            raise _NeedsZone
        return node.changed(self.said)

    def _compared_kind(self, operands: tuple[nodes.Node, ...]) -> str | None:
        """The one type of the timestamp columns among the operands; None where there are none."""
        kinds = {kind for operand in operands if (kind := self.kind_of(operand)) is not None}
        if len(kinds) > 1 or (kinds and self.zone is None):
            raise _NeedsZone
        return kinds.pop() if kinds else None

    def kind_of(self, node: nodes.Node) -> str | None:
        """The type of a timestamp column; None for anything else."""
        if not isinstance(node, nodes.NamedColumn):
            return None
        try:
            found = find_column(self.metadata, node.path).type
        except UnknownColumnError:
            return None
        return found if found in _LITERAL_TYPES else None

    def _written_out(self, operand: nodes.Node, kind: str, *, in_list: bool) -> nodes.Node:
        """What a timestamp column is compared with."""
        if self.kind_of(operand) == kind or (isinstance(operand, nodes.Literal) and operand.is_null):
            return operand
        literal = operand.operand if isinstance(operand, nodes.Cast) else operand
        if not isinstance(literal, nodes.Literal) or not isinstance(literal.value, str):
            raise _NeedsZone
        if isinstance(operand, nodes.Cast):
            is_day = operand.target == "date"
            if operand.target not in _LITERAL_TYPES[kind] or (is_day and not is_written(literal.value, as_day=True)):
                raise _NeedsZone
        if kind == TIMESTAMP:
            return self._in_utc(operand, literal.value, in_list=in_list)
        if not is_written(literal.value):
            raise _NeedsZone
        return operand

    def _in_utc(self, operand: nodes.Node, text: str, *, in_list: bool) -> nodes.Node:
        moment = None if self.zone is None else in_utc(text, self.zone)
        if moment is None or self.zone is None:
            raise _NeedsZone
        literal = nodes.Literal.of_text(moment)
        # In a list, a text or a moment gives the same answer if it is written as Spark writes it.
        is_alike = in_list and is_as_spark_writes(text, self.zone)
        return nodes.Cast(literal, TIMESTAMP) if isinstance(operand, nodes.Cast) or is_alike else literal
