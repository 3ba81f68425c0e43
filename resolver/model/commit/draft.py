"""A commit on its way, before and between its attempts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from deltaresolver.model.actions import Action, AddFile, ChangeFile, CommitInfo, RemoveFile
from deltaresolver.model.commit.isolation import IsolationLevel
from deltaresolver.model.commit.table_state import NO_SESSION, TableState
from deltaresolver.model.frozen import EMPTY, frozen, read_only
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import Protocol

PartitionValues = Mapping[str, str | None]
_ORDER = (
    "inCommitTimestamp",
    "timestamp",
    "userId",
    "userName",
    "operation",
    "operationParameters",
    "readVersion",
    "isolationLevel",
    "isBlindAppend",
    "operationMetrics",
    "userMetadata",
    "tags",
    "engineInfo",
    "txnId",
)
_PLACE = {name: place for place, name in enumerate(_ORDER)}


def commit_info(fields: Mapping[str, Any]) -> CommitInfo:
    """The commitInfo action with its fields as delta-spark orders them; fields it does not know come last."""
    return CommitInfo(dict(sorted(fields.items(), key=lambda item: _PLACE.get(item[0], len(_ORDER)))))


@attrs.frozen(slots=True)
class Draft:
    """A commit about to be written as `table_version`: everything a feature may look at or amend."""

    before: TableState
    """What the transaction read."""
    table_version: int
    protocol: Protocol
    metadata: Metadata
    supported: frozenset[str]
    actions: tuple[Action, ...]
    """Without the commit info; metaData and protocol, where they change, are among them."""
    operation: Operation
    now_ms: int
    notes: Mapping[str, Any] = attrs.field(default=EMPTY, converter=frozen, hash=False)
    """What its commit info says besides the level of isolation and whether it is a blind append."""
    isolation: IsolationLevel | None = None
    """How far it is protected from commits that come first; None until it is prepared."""
    is_blind_append: bool = False
    """Whether it only adds files and read none; known once it is prepared."""
    read_files: Mapping[str, PartitionValues] = attrs.field(default=EMPTY, converter=read_only, hash=False)
    """The files the transaction has read, by path."""
    session: Mapping[str, str] = attrs.field(default=NO_SESSION, converter=read_only, hash=False, repr=False)

    @property
    def adds(self) -> Sequence[AddFile]:
        """The files the commit adds."""
        return [action for action in self.actions if isinstance(action, AddFile)]

    @property
    def removes(self) -> Sequence[RemoveFile]:
        """The files the commit removes."""
        return [action for action in self.actions if isinstance(action, RemoveFile)]

    @property
    def only_adds(self) -> bool:
        """Whether no file is removed and no change data written."""
        return not any(isinstance(action, (RemoveFile, ChangeFile)) for action in self.actions)

    @property
    def changes_metadata(self) -> bool:
        """Whether the commit writes metadata."""
        return any(isinstance(action, Metadata) for action in self.actions)

    @property
    def commit_info(self) -> CommitInfo:
        """The commitInfo action as it is written, with the fields of this draft over any note of the same name."""
        if self.isolation is None:
            return commit_info(self.notes)
        return commit_info(
            {**self.notes, "isolationLevel": self.isolation.value, "isBlindAppend": self.is_blind_append}
        )

    def with_actions(self, actions: Iterable[Action]) -> Draft:
        """The same commit with other actions."""
        return attrs.evolve(self, actions=tuple(actions))

    def with_metadata(self, metadata: Metadata) -> Draft:
        """The same commit with other metadata, in its metaData action too if it has one."""
        actions = tuple(metadata if isinstance(action, Metadata) else action for action in self.actions)
        return attrs.evolve(self, metadata=metadata, actions=actions)

    def with_info(self, name: str, value: Any) -> Draft:
        """The same commit with one more field in its commit info; what the draft holds itself stays as it is."""
        return attrs.evolve(self, notes={**self.notes, name: value})

    def with_tag(self, key: str, value: str) -> Draft:
        """The same commit with one tag in its commit info set."""
        return self.with_info("tags", {**(self.notes.get("tags") or {}), key: value})
