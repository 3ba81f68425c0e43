"""What a feature may do when metadata changes or a commit is made: the hooks behind DESIGN D4.

A feature that only needs declaring brings nothing. One that must act subclasses `FeatureBehaviour` and
overrides what it needs; the transaction calls every method of every *supported* feature (of the protocol
after the change) in order of feature name, and knows no feature by name. All methods are pure: they
look at what they are given and return values or raise; they never touch storage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from deltaresolver.model.actions import Action, AddFile, CommitInfo, DomainMetadata, RemoveFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

NO_FEATURES: frozenset[str] = frozenset()


@attrs.frozen(slots=True)
class TableState:
    """The table as a transaction read it, without its files. `table_version` is -1 before the first commit."""

    table_version: int
    protocol: Protocol
    metadata: Metadata
    supported: frozenset[str] = NO_FEATURES
    """Every feature the protocol supports."""
    domains: Mapping[str, DomainMetadata] = attrs.field(factory=dict, hash=False)
    timestamp_ms: int | None = None
    """When this version was committed; None before the first commit."""

    @property
    def is_new(self) -> bool:
        """Whether the table does not exist yet."""
        return self.table_version < 0


@attrs.frozen(slots=True)
class MetadataChange:
    """A change of metadata on its way into a commit. `supported` are the features after the change."""

    before: TableState
    metadata: Metadata
    protocol: Protocol
    supported: frozenset[str]
    operation: str = ""
    is_new_table: bool = False
    """The table is created or wholly replaced by this change."""


@attrs.frozen(slots=True)
class Draft:
    """A commit about to be written as `table_version`: everything a feature may look at or amend."""

    before: TableState
    table_version: int
    protocol: Protocol
    metadata: Metadata
    supported: frozenset[str]
    actions: tuple[Action, ...]
    """Without the commit info; metaData and protocol, where they change, are among them."""
    commit_info: CommitInfo
    operation: str
    now_ms: int
    tags: Mapping[str, str] = attrs.field(factory=dict, hash=False)

    @property
    def adds(self) -> Sequence[AddFile]:
        """The files the commit adds."""
        return [action for action in self.actions if isinstance(action, AddFile)]

    @property
    def removes(self) -> Sequence[RemoveFile]:
        """The files the commit removes."""
        return [action for action in self.actions if isinstance(action, RemoveFile)]


@attrs.frozen(slots=True)
class Winner:
    """A commit that came first. `before_protocol` and `before_metadata` are what the loser had read."""

    table_version: int
    actions: tuple[Action, ...]
    commit_info: CommitInfo | None
    file_modified_ms: int
    before_protocol: Protocol
    before_metadata: Metadata


class FeatureBehaviour:
    """The hooks, each doing nothing. Behaviours are compared by class, so keep them free of state."""

    def amend_metadata(self, change: MetadataChange) -> Metadata:
        """The metadata with what this feature adds (ids, generated property values). Runs before `check_metadata`."""
        return change.metadata

    def check_metadata(self, change: MetadataChange) -> None:
        """Refuse metadata that breaks the feature's rules, by raising the error delta-spark would."""

    def check_draft(self, draft: Draft) -> None:
        """Refuse actions that break the feature's rules. Runs once, before the first attempt."""

    def amend_draft(self, draft: Draft) -> Draft:
        """The draft with what the feature assigns (row ids, timestamps). Runs once, before the first attempt."""
        return draft

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """Properties a winner may have changed without the draft failing: key -> whether this change is harmless."""
        return {}

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """The draft as if it had started after `winner`. Raises a conflict where that cannot be."""
        return draft

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()
