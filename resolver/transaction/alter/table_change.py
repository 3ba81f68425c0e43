"""What every change of a table by DDL has in common: it looks at the table and says what to commit."""

from __future__ import annotations

from typing import Protocol

import attrs

from deltaresolver.model.actions import Action
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.row_rules import RowCondition


@attrs.frozen(slots=True)
class PlannedChange:
    """One commit that carries a change out."""

    operation: Operation
    metadata: Metadata | None = None
    """The metadata after it; None where it stays as it is."""
    actions: tuple[Action, ...] = ()
    row_condition: RowCondition | None = None
    """What every row the table has must satisfy first."""


class TableChange(Protocol):
    """A change of columns, constraints or layout. Values: a change can be planned on any table."""

    def plan(self, table: TableState, catalog: FeatureCatalog) -> PlannedChange | None:
        """The commit; None where there is nothing to do. Raises what forbids the change on this table."""
