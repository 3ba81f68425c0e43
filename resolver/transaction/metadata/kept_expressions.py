"""Expressions that a statement gives a table to keep: those that no writer would evaluate are refused at once."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.expressions.allowed import checked_expression
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource, RowCondition
from deltaresolver.resolution.prepared import prepare
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.transaction import OptimisticTransaction

Kept = RowCondition | ColumnExpression


def ensure_expressions_usable(transaction: OptimisticTransaction, catalog: FeatureCatalog) -> None:
    """Each condition, default and generated value that is new in the staged metadata passes the gate of writers.

    Raises `TableExpressionRefusedError`, unless the session trusts expressions. What the table kept before is no
    concern of a statement about something else.
    """
    before, metadata = transaction.state, transaction.metadata
    columns = frozenset(field.name.lower() for field in metadata.schema.fields)
    known = set() if before.is_new else set(map(str, _kept_by(before.metadata, before.protocol, catalog)))
    for kept in _kept_by(metadata, transaction.protocol, catalog):
        if str(kept) not in known:
            is_constant = isinstance(kept, ColumnExpression) and kept.source is ColumnSource.DEFAULT
            trusts = transaction.trusts_expressions
            checked_expression(kept.sql, _called(kept), columns, is_constant=is_constant, is_trusted=trusts)


def _kept_by(metadata: Metadata, protocol: Protocol, catalog: FeatureCatalog) -> Iterator[Kept]:
    supported = prepare(catalog).supported(protocol)
    behaviours = behaviours_of(catalog)
    for behaviour in behaviours.supported_with("row_conditions", supported):
        yield from behaviour.row_conditions(metadata)
    for behaviour in behaviours.supported_with("column_expressions", supported):
        for value in behaviour.column_expressions(metadata):
            if value.source is not ColumnSource.IDENTITY:
                yield value


def _called(kept: Kept) -> str:
    if isinstance(kept, RowCondition):
        return f"{kept.kind.value} {kept.name}"
    return f"{'Default of' if kept.source is ColumnSource.DEFAULT else 'Generated'} column {kept.column}"
