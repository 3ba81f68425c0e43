"""What a feature may do when it is dropped."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from deltaresolver.model.actions import Action
from deltaresolver.model.commit.table_state import RemainingTable
from deltaresolver.model.preparation import PreparatoryCommit


class PreparesRemoval(Protocol):
    """Takes commits before it can be dropped."""

    @abstractmethod
    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """The next commit to make before the feature can be dropped; None when there is none left."""


class FindsTraces(Protocol):
    """Knows whether a table still uses it."""

    @abstractmethod
    def find_trace(self, table: RemainingTable) -> str | None:
        """What of the table still uses the feature, in words; None if nothing does."""


class FindsTracesInHistory(Protocol):
    """Knows from an action whether it was used."""

    @abstractmethod
    def is_trace(self, action: Action) -> bool:
        """Whether an action in history shows that the feature was used."""


class ActsOnRemoval(Protocol):
    """Writes something with the commit that drops it."""

    @abstractmethod
    def removal_actions(self, table: RemainingTable) -> Sequence[Action]:
        """What the commit that drops the feature writes besides protocol and metadata."""
