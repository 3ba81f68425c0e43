"""What a feature may do when metadata changes or a commit is made: the hooks behind DESIGN D4.

A feature that only needs declaring brings nothing. One that must act subclasses `FeatureBehaviour` and
overrides what it needs. The transaction asks a feature after those it requires, else in order of feature
name, and knows no feature by name. All methods are pure: they look at what they are given and return values or
raise; they never touch storage. Each method says whether it is asked of supported features only or of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

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
from deltaresolver.model.clustering import ClusteringChange
from deltaresolver.model.frozen import EMPTY, ReadOnly, read_only
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.row_rules import ColumnExpression, RowCondition
from deltaresolver.model.schema import FieldPath, StructField

NO_FEATURES: frozenset[str] = frozenset()
NO_SESSION: Mapping[str, str] = EMPTY

PartitionValues = Mapping[str, str | None]


@attrs.frozen(slots=True)
class TableState:
    """The table as a transaction read it, without its files. `table_version` is -1 before the first commit."""

    table_version: int
    protocol: Protocol
    metadata: Metadata
    supported: frozenset[str] = NO_FEATURES
    """Every feature the protocol supports."""
    domains: Mapping[str, DomainMetadata] = attrs.field(default=EMPTY, converter=read_only, hash=False)
    """Domain metadata in force, conflicts won by others included; reading it may read the log."""
    find_timestamp_ms: Callable[[], int | None] = attrs.field(default=lambda: None, eq=False, repr=False)
    """When this version was committed; None before the first commit. Asked for only where it counts."""
    find_files: Callable[[], Iterable[AddFile]] = attrs.field(default=tuple, eq=False, repr=False)
    """The live files of this version. Asking reads the log."""

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
    new_id: Callable[[], str]
    """Makes an id nobody else has."""
    is_new_table: bool = False
    """The table is created or wholly replaced by this change."""
    keeps_column_ids: bool = False
    """A replaced table whose columns of the same name stay the same columns."""
    session: Mapping[str, str] = attrs.field(default=NO_SESSION, converter=read_only, hash=False)


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
    commit_info: CommitInfo
    operation: Operation
    now_ms: int
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
    def is_blind_append(self) -> bool:
        """Whether the commit only adds files and read none; known once the commit info is written."""
        return self.commit_info.fields.get("isBlindAppend") is True

    def with_actions(self, actions: Iterable[Action]) -> Draft:
        """The same commit with other actions."""
        return attrs.evolve(self, actions=tuple(actions))

    def with_metadata(self, metadata: Metadata) -> Draft:
        """The same commit with other metadata, in its metaData action too if it has one."""
        actions = tuple(metadata if isinstance(action, Metadata) else action for action in self.actions)
        return attrs.evolve(self, metadata=metadata, actions=actions)

    def with_info(self, name: str, value: Any) -> Draft:
        """The same commit with one field of its commit info set."""
        return attrs.evolve(self, commit_info=CommitInfo({**self.commit_info.fields, name: value}))

    def with_tag(self, key: str, value: str) -> Draft:
        """The same commit with one tag in its commit info set."""
        return self.with_info("tags", {**(self.commit_info.fields.get("tags") or {}), key: value})


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


@attrs.frozen(slots=True)
class RemainingTable:
    """A whole table, for a feature that is about to come or to go. Whatever is called reads the log."""

    metadata: Metadata
    domains: Callable[[], Mapping[str, DomainMetadata]]
    files: Callable[[], Iterable[AddFile]]
    tombstones: Callable[[], Iterable[RemoveFile]] = tuple
    """The files removed not long ago."""
    needs_v2_checkpoint: Callable[[], bool] = bool
    """Whether this version is read from a V2 checkpoint."""
    supported: frozenset[str] = NO_FEATURES
    now_ms: int = 0
    session: Mapping[str, str] = attrs.field(default=NO_SESSION, converter=read_only, hash=False)


class FeatureBehaviour:
    """The hooks, each doing nothing. Behaviours are compared by class, so keep them free of state."""

    own_domains: ClassVar[frozenset[str]] = frozenset()
    """Metadata domains in which this feature settles conflicts itself."""
    domains_ended_by_replace: ClassVar[frozenset[str]] = frozenset()
    """Metadata domains that do not outlive a replaced table."""
    properties_kept_by_replace: ClassVar[frozenset[str]] = frozenset()
    """Table properties that a replaced table keeps unless the new one sets them."""
    joins_removals: ClassVar[bool] = False
    """A commit that drops another feature may add this one."""

    # --- metadata changes ----------------------------------------------------------------------

    def amend_metadata(self, change: MetadataChange) -> Metadata:
        """The metadata with what this feature adds (ids, generated property values).

        Asked of all features, and again until nobody adds anything: given its own answer it must change nothing.
        """
        return change.metadata

    def restore_metadata(self, restored: Metadata, latest: Metadata) -> Metadata:
        """The metadata that RESTORE commits to return to `restored`, with what must count on from the `latest`.

        Called once for a RESTORE, whether or not the feature is supported.
        """
        return restored

    def cloned_metadata(self, source: Metadata) -> Metadata:
        """The metadata of another table without what is true of that table alone. Called once for a CLONE, of all."""
        return source

    def check_metadata(self, change: MetadataChange) -> None:
        """Refuse metadata that breaks the feature's rules. Supported features."""

    # --- columns and layout ---------------------------------------------------------------------

    def note_type_change(
        self, table: TableState, field: StructField, before: str, after: str, place: FieldPath
    ) -> Mapping[str, Any] | None:
        """The field's metadata once a leaf type at `place` in it has changed while files hold the old one.

        `place` is empty for the field itself. None where the feature does not allow the change. Supported features.
        """
        return None

    def cluster_by(self, table: TableState, columns: Sequence[FieldPath]) -> ClusteringChange | None:
        """What clusters the table by these columns, given by physical names. The one feature that can, of all."""
        return None

    # --- switching the feature on --------------------------------------------------------------

    def check_request(self, key: str, *, is_new_table: bool) -> None:
        """Refuse a property `key` that asks for the feature by name. The feature asked for."""

    def enabling_commit(
        self, table: RemainingTable, proposed: Metadata, made: Sequence[str]
    ) -> PreparatoryCommit | None:
        """The next commit to make before `proposed` can be; None when there is none left.

        Asked again after each, of all features; `made` are the names of the operations so far.
        """
        return None

    def change_apart(
        self, table: RemainingTable, to_set: Mapping[str, str], to_unset: Sequence[str]
    ) -> PreparatoryCommit | None:
        """The commit by which this change of properties is made, if it takes one of its own kind. All features.

        It comes before the other properties of the same change.
        """
        return None

    def tags_of_change(self, changed: Mapping[str, str]) -> Mapping[str, str]:
        """Tags for the commit that sets these properties and does nothing else. All features."""
        return {}

    # --- dropping the feature ------------------------------------------------------------------

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """The next commit to make before the feature can be dropped; None when there is none left.

        Asked again after each; `made` are the names of the operations so far. Raises `FeatureInUseError` where it
        takes more than commits, before any is made.
        """
        return None

    def find_trace(self, table: RemainingTable) -> str | None:
        """What of the table still uses the feature, in words; None if nothing does."""
        return None

    def is_trace(self, action: Action) -> bool:
        """Whether an action in history shows that the feature was used."""
        return False

    def removal_actions(self, table: RemainingTable) -> Sequence[Action]:
        """What the commit that drops the feature writes besides protocol and metadata."""
        return ()

    # --- before rows are written ---------------------------------------------------------------

    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        """What every row must satisfy that is written under this metadata. Supported features."""
        return ()

    def column_expressions(self, metadata: Metadata) -> Sequence[ColumnExpression]:
        """Columns that rows need not give, and where their values come from then. Supported features."""
        return ()

    # --- before the first attempt --------------------------------------------------------------

    def amend_draft(self, draft: Draft) -> Draft:
        """The draft with what the feature assigns (row ids, timestamps).

        Supported features, but not of the commits by which the feature itself ends its use.
        """
        return draft

    def check_draft(self, draft: Draft) -> None:
        """Refuse actions that break the feature's rules. Supported features, after all amendments."""

    def check_draft_without(self, draft: Draft) -> None:
        """Refuse actions that only this feature allows. Asked when it is not supported."""

    # --- after a lost attempt ------------------------------------------------------------------

    def settle_metadata(self, draft: Draft, winner: Winner) -> Draft | None:
        """The draft after a winner whose metadata change is this feature's own bookkeeping; None if it is not.

        Asked of all features, for drafts that do not change metadata themselves.
        """
        return None

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """Properties a winner may have set without the draft failing: key -> whether this change is harmless.

        Asked of all features, and heard for properties that are the feature's own (`TableFeature.owns_property`);
        `draft.supported` are the features after the winner.
        """
        return {}

    def tolerates_schema(self, draft: Draft, winner: Winner) -> bool:
        """Whether the winner's change of the schema is this feature's and harmless. All features."""
        return False

    def skips_append_check(self, draft: Draft, winner: Winner) -> bool:
        """Whether files the winner added need no look, since this feature reconciles them. Supported features."""
        return False

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """The draft as if it had started after `winner`, metadata and protocol being settled already.

        Supported features, before and after the draft's own change. Raises a conflict where that cannot be.
        """
        return draft

    def rebase_removal(self, draft: Draft, winner: Winner, table: RemainingTable) -> Draft:
        """The draft, which drops this feature, after `winner`; then the feature is not asked for traces."""
        return draft

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()
