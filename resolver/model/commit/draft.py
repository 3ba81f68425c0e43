"""A commit on its way, before and between its attempts, and those of others that came first."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs

from deltaresolver.model.actions import (
    Action,
    AddFile,
    ChangeFile,
    CommitInfo,
    DomainMetadata,
    RemoveFile,
    SetTransaction,
)
from deltaresolver.model.commit.table_state import NO_SESSION, TableState
from deltaresolver.model.frozen import EMPTY, ReadOnly, frozen, read_only
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import Protocol
from deltaresolver.value import Value

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


class IsolationLevel(enum.Enum):
    """Strictest first. The value is the name in the commit info."""

    SERIALIZABLE = "Serializable"
    """The commits, in their order, explain every read and every write."""
    WRITE_SERIALIZABLE = "WriteSerializable"
    """The writes have some serial order; blind appends may slip in before it."""
    SNAPSHOT = "SnapshotIsolation"
    """Only what is removed or read and removed can conflict."""


def commit_info(fields: Mapping[str, Any]) -> CommitInfo:
    """The commitInfo action with its fields as delta-spark orders them; fields it does not know come last."""
    known = {name: fields[name] for name in _ORDER if name in fields}
    return CommitInfo({**known, **fields} if len(known) < len(fields) else known)


@attrs.frozen(slots=True)
class Draft(Value):
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
    metadata_follows_data: bool = False
    """Whether its metadata was staged once data was written, for what only the data could tell."""

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


class Winner(ReadOnly):
    """A commit that came first. Its file actions are read only when somebody looks at them."""

    table_version: int
    small_actions: tuple[Action, ...]
    file_modified_ms: int
    before_metadata: Metadata
    """The metadata as the draft knew it before this winner."""
    has_files: bool
    _file_actions: Callable[[], Sequence[Action]]

    def __init__(
        self,
        table_version: int,
        small_actions: Sequence[Action],
        file_actions: Callable[[], Sequence[Action]],
        file_modified_ms: int,
        before_metadata: Metadata,
        has_files: bool = True,
    ) -> None:
        vars(self).update(
            table_version=table_version,
            small_actions=tuple(small_actions),
            file_modified_ms=file_modified_ms,
            before_metadata=before_metadata,
            has_files=has_files,
            _file_actions=file_actions,
        )

    @cached_property
    def protocol(self) -> Protocol | None:
        """The protocol it wrote."""
        return next((action for action in self.small_actions if isinstance(action, Protocol)), None)

    @cached_property
    def metadata(self) -> Metadata | None:
        """The metadata it wrote."""
        return next((action.sealed() for action in self.small_actions if isinstance(action, Metadata)), None)

    @cached_property
    def commit_info(self) -> CommitInfo | None:
        """Where it comes from, if it says so."""
        return next((action for action in self.small_actions if isinstance(action, CommitInfo)), None)

    @property
    def operation(self) -> str | None:
        """The name of its operation."""
        return None if self.commit_info is None else self.commit_info.find_text("operation")

    @property
    def tags(self) -> Mapping[str, str]:
        """The tags of its commit info."""
        tags = None if self.commit_info is None else self.commit_info.fields.get("tags")
        return tags if isinstance(tags, Mapping) else {}

    @property
    def domains(self) -> Sequence[DomainMetadata]:
        """The domain metadata it wrote."""
        return [action for action in self.small_actions if isinstance(action, DomainMetadata)]

    @property
    def applications(self) -> Sequence[SetTransaction]:
        """The progress of applications it recorded."""
        return [action for action in self.small_actions if isinstance(action, SetTransaction)]

    @cached_property
    def adds(self) -> Sequence[AddFile]:
        """The files it added."""
        found = self._file_actions() if self.has_files else ()
        return tuple(action for action in found if isinstance(action, AddFile))

    @cached_property
    def removes(self) -> Sequence[RemoveFile]:
        """The files it removed."""
        return (
            tuple(action for action in self._file_actions() if isinstance(action, RemoveFile)) if self.has_files else ()
        )
