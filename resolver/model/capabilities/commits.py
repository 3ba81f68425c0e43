"""What a feature may do to a commit before the first attempt."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from deltaresolver.model.commit.draft import Draft


class AmendsCommits(Protocol):
    """Adds to commits, such as ids, tags or counts."""

    @abstractmethod
    def amend_draft(self, draft: Draft) -> Draft:
        """The draft with what the feature assigns (row ids, timestamps)."""


class ChecksCommits(Protocol):
    """Has rules about what is committed to its tables."""

    @abstractmethod
    def check_draft(self, draft: Draft) -> None:
        """Refuse actions that break the feature's rules. Supported features, after all amendments."""


class ChecksCommitsWithout(Protocol):
    """Has rules about what is committed to tables that do not support it."""

    @abstractmethod
    def check_draft_without(self, draft: Draft) -> None:
        """Refuse actions that only this feature allows. Asked when it is not supported."""
