"""What a feature may do before rows are written."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.row_rules import ColumnExpression, RowCondition


class ConditionsRows(Protocol):
    """Has conditions that every row must satisfy."""

    @abstractmethod
    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        """What every row must satisfy that is written under this metadata. Supported features."""


class FillsColumns(Protocol):
    """Computes columns that rows need not give."""

    @abstractmethod
    def column_expressions(self, metadata: Metadata) -> Sequence[ColumnExpression]:
        """Columns that rows need not give, and where their values come from then. Supported features."""
