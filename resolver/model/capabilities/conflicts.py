"""What a feature may do when another writer was first."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Protocol

from deltaresolver.model.commit.draft import Draft, Winner
from deltaresolver.model.commit.table_state import RemainingTable


class SettlesMetadata(Protocol):
    """Changes metadata for its own bookkeeping, so that such a change of a winner conflicts with nothing."""

    @abstractmethod
    def settle_metadata(self, draft: Draft, winner: Winner) -> Draft | None:
        """The draft after a winner whose metadata change is this feature's own bookkeeping; None if it is not."""


class ToleratesConfiguration(Protocol):
    """Has properties that a winner may set without harm."""

    @abstractmethod
    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """Properties a winner may have set without the draft failing: key -> whether this change is harmless."""


class ToleratesSchema(Protocol):
    """Makes changes of the schema that conflict with nothing."""

    @abstractmethod
    def tolerates_schema(self, draft: Draft, winner: Winner) -> bool:
        """Whether the winner's change of the schema is this feature's and harmless. All features."""


class FollowsWinners(Protocol):
    """Brings what it added to a commit up to date after a winner, or refuses."""

    @abstractmethod
    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """The draft as if it had started after `winner`, metadata and protocol being settled already."""


class ReconcilesAppends(FollowsWinners, Protocol):
    """Reconciles files that a winner added, so that they conflict with nothing."""

    @abstractmethod
    def skips_append_check(self, draft: Draft, winner: Winner) -> bool:
        """Whether files the winner added need no look, since this feature reconciles them. Supported features."""


class FollowsInRemoval(Protocol):
    """Brings the commit that drops it up to date after a winner."""

    @abstractmethod
    def rebase_removal(self, draft: Draft, winner: Winner, table: RemainingTable) -> Draft:
        """The draft, which drops this feature, after `winner`; then the feature is not asked for traces."""
