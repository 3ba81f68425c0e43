"""What a feature may do when it is switched on, or its properties change."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol

from deltaresolver.model.commit.table_state import RemainingTable
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.preparation import PreparatoryCommit


class ChecksRequests(Protocol):
    """Has rules about being asked for by name."""

    @abstractmethod
    def check_request(self, key: str, *, is_new_table: bool) -> None:
        """Refuse a property `key` that asks for the feature by name. The feature asked for."""


class PreparesEnabling(Protocol):
    """Takes commits before it can be switched on."""

    @abstractmethod
    def enabling_commit(
        self, table: RemainingTable, proposed: Metadata, made: Sequence[str]
    ) -> PreparatoryCommit | None:
        """The next commit to make before `proposed` can be; None when there is none left."""


class ChangesApart(Protocol):
    """Has properties that change in a commit of their own."""

    @abstractmethod
    def change_apart(
        self, table: RemainingTable, to_set: Mapping[str, str], to_unset: Sequence[str]
    ) -> PreparatoryCommit | None:
        """The commit by which this change of properties is made, if it takes one of its own kind. All features."""


class TagsChanges(Protocol):
    """Marks commits that set its properties."""

    @abstractmethod
    def tags_of_change(self, changed: Mapping[str, str]) -> Mapping[str, str]:
        """Tags for the commit that sets these properties and does nothing else. All features."""
