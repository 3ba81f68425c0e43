"""From actions and staged metadata to a draft: what is checked, added and settled before the first attempt."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import attrs

from deltaresolver.errors import (
    MetadataAbsentError,
    PartitionColumnChangeError,
    PartitioningMismatchError,
    TransactionError,
    TransactionStateError,
)
from deltaresolver.model.actions import Action
from deltaresolver.model.behaviour import Draft, TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.capability import Capability
from deltaresolver.resolution.prepared import prepare as prepare_catalog
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.commit.checks import (
    ensure_no_duplicates,
    ensure_partition_columns_may_change,
    ensure_partition_values,
    ensure_paths,
    ensure_same_data_change,
    ensure_transition,
    without_repeated_applications,
)
from deltaresolver.transaction.commit.field_types import ensure_field_types
from deltaresolver.transaction.commit.info import commit_notes
from deltaresolver.transaction.conflicts.isolation import choose_isolation
from deltaresolver.transaction.conflicts.read_scope import ReadScope
from deltaresolver.transaction.metadata.update import MetadataUpdate
from deltaresolver.transaction.protocol_support import ensure_agree, ensure_done_here, ensure_writable
from deltaresolver.transaction.settings import TransactionSettings

logger = logging.getLogger("deltaresolver.transaction")

MORE_THAN_ONE_METADATA = "Cannot change the metadata more than once in a transaction."
MORE_THAN_ONE_PROTOCOL = (
    "Cannot change the protocol more than once in a transaction. More than one protocol change in a transaction is "
    "likely due to an explicitly specified Protocol action and an implicit protocol upgrade triggered by a table "
    "property."
)


@attrs.frozen(slots=True, eq=False)
class Preparation:
    """Everything that stays the same while a commit is prepared."""

    before: TableState
    catalog: FeatureCatalog
    client: Capability
    update: MetadataUpdate
    scope: ReadScope
    staged_metadata: Metadata | None
    staged_protocol: Protocol | None
    now_ms: int
    engine_info: str
    transaction_id: str
    settings: TransactionSettings
    metadata_follows_data: bool = False
    """Whether metadata was staged for what only the data could tell."""
    leaving: str | None = None
    """A feature whose use the commit ends, and which is not to take it up again."""

    def prepare(self, actions: Sequence[Action], operation: Operation, tags: Mapping[str, str]) -> Draft:
        """The draft of the first attempt. Raises what forbids the commit."""
        ensure_field_types(actions if self.staged_metadata is None else (self.staged_metadata, *actions))
        given = without_repeated_applications(actions)
        metadata, protocol, others = self._split(given)
        others = self._with_first_commit(metadata, protocol, others)
        self._check_general(metadata, protocol, others, operation)
        draft = self._draft(metadata, protocol, others, operation)
        draft = behaviours_of(self.catalog).amended(draft, self.leaving)
        if metadata is not None or protocol is not None:
            # delta-spark finds out when it reads the table again: then the commit is there, and nobody can read it.
            ensure_agree(draft.protocol, draft.metadata, self.catalog)
        if self.settings.check_duplicates:
            ensure_no_duplicates(draft.actions)
        if self.settings.refuse_mixed_data_change:
            ensure_same_data_change(draft.actions)
        return self._with_commit_info(draft, tags)

    def _split(self, actions: Sequence[Action]) -> tuple[Metadata | None, Protocol | None, list[Action]]:
        """The metadata and the protocol to write, at most one of each, and the other actions."""
        metadatas = [] if self.staged_metadata is None else [self.staged_metadata]
        protocols = [] if self.staged_protocol is None else [self.staged_protocol]
        given_metadatas = [action.sealed() for action in actions if isinstance(action, Metadata)]
        given_protocols = [action for action in actions if isinstance(action, Protocol)]
        if len(metadatas) + len(given_metadatas) > 1:
            raise _state_error(MORE_THAN_ONE_METADATA, "Merge the changes into one metadata.")
        metadata = next(iter((*metadatas, *given_metadatas)), None)
        if metadata is not None:
            upgraded = self._verified(metadata, protocols, given_protocols)
            protocols = protocols if upgraded is None else [upgraded]
        if len(protocols) + len(given_protocols) > 1:
            raise _state_error(MORE_THAN_ONE_PROTOCOL, "Leave out the protocol action, or the property that needs it.")
        protocol = next(iter((*protocols, *given_protocols)), None)
        if protocol is not None:
            ensure_writable(protocol, self.client)
        return metadata, protocol, [action for action in actions if not isinstance(action, (Metadata, Protocol))]

    def _verified(
        self, metadata: Metadata, protocols: Sequence[Protocol], given: Sequence[Protocol]
    ) -> Protocol | None:
        """The protocol the metadata takes beyond what is staged, after it was checked."""
        current = protocols[0] if protocols else self.before.protocol
        upgraded = self.update.upgrade(metadata, current)
        if self.staged_metadata is None:
            effective = next(iter((*given, *([] if upgraded is None else [upgraded]))), current)
            self.update.verify(metadata, effective)
        return upgraded

    def _with_first_commit(
        self, metadata: Metadata | None, protocol: Protocol | None, others: list[Action]
    ) -> list[Action]:
        """The actions in file order: metadata, protocol, the rest; a first commit always has a protocol."""
        changes: list[Action] = [action for action in (metadata, protocol) if action is not None]
        if self.before.is_new and protocol is None:
            changes.insert(0, self.before.protocol)
        if self.before.is_new and metadata is None:
            error = MetadataAbsentError(
                "The first commit of a table must say what the table looks like: it has no metaData action.",
                fix="Call update_metadata_for_new_table before the commit.",
            )
            self._raise_or_log(error, raises=self.settings.validate_commits)
        return [*changes, *others]

    def _check_general(
        self, metadata: Metadata | None, protocol: Protocol | None, actions: list[Action], operation: Operation
    ) -> None:
        if metadata is not None:
            self._check_partition_columns(metadata, operation)
        if protocol is not None and not self.update.may_assign_any_protocol:
            self._ask_who_loses(self._draft(metadata, protocol, actions, operation))
            ensure_transition(self.before.protocol, protocol, operation, self.catalog)
        ensure_paths(actions)
        try:
            ensure_partition_values(actions, metadata or self.before.metadata)
        except PartitioningMismatchError as error:
            self._raise_or_log(error, raises=self.settings.validate_commits)
        if protocol is not None:
            ensure_writable(protocol, self.client)
        ensure_writable(self.before.protocol, self.client)
        ensure_done_here(self.before, actions, self.catalog)

    def _ask_who_loses(self, draft: Draft) -> None:
        """A feature that loses one it requires says so itself, before the loss is refused as such."""
        lost = self.before.supported - draft.supported
        for name, behaviour in behaviours_of(self.catalog).all_with("check_draft") if lost else ():
            if name in self.before.supported and not lost.isdisjoint(self.catalog.get(name).requires):
                behaviour.check_draft(draft)

    def _check_partition_columns(self, metadata: Metadata, operation: Operation) -> None:
        """Refuse a change that the operation may not make, or only note it, as the session wants."""
        try:
            ensure_partition_columns_may_change(metadata, self.before, operation)
        except PartitionColumnChangeError as error:
            self._raise_or_log(error, raises=self.settings.refuse_partition_changes)

    def _raise_or_log(self, error: TransactionError, *, raises: bool) -> None:
        """What the session wants to happen where a check fails."""
        if raises:
            raise error
        logger.warning("%s", error.message)

    def _draft(
        self, metadata: Metadata | None, protocol: Protocol | None, actions: list[Action], operation: Operation
    ) -> Draft:
        effective = protocol or self.before.protocol
        return Draft(
            before=self.before,
            table_version=self.before.table_version + 1,
            protocol=effective,
            metadata=metadata or self.before.metadata,
            supported=prepare_catalog(self.catalog).supported(effective),
            actions=tuple(actions),
            operation=operation,
            now_ms=self.now_ms,
            read_files=self.scope.files,
            session=self.update.session,
            metadata_follows_data=self.metadata_follows_data,
        )

    def _with_commit_info(self, draft: Draft, tags: Mapping[str, str]) -> Draft:
        isolation = choose_isolation(
            draft.actions, draft.operation, draft.metadata, behaviours_of(self.catalog).own_domains
        )
        added = draft.notes
        notes = commit_notes(
            draft.operation,
            now_ms=self.now_ms,
            read_version=None if self.before.is_new else self.before.table_version,
            user_metadata=draft.operation.user_metadata or self.settings.user_metadata,
            tags={**tags, **(added.get("tags") or {})},
            engine_info=self.engine_info,
            transaction_id=self.transaction_id,
            with_metrics=self.settings.write_metrics,
        )
        return attrs.evolve(
            draft,
            notes={**{name: value for name, value in added.items() if name != "tags"}, **notes},
            isolation=isolation,
            is_blind_append=self.scope.is_empty and not self.scope.may_have_read_more and draft.only_adds,
        )


def isolation_of(draft: Draft) -> IsolationLevel:
    """The level a prepared draft runs under."""
    assert draft.isolation is not None
    return draft.isolation


def _state_error(message: str, fix: str) -> TransactionStateError:
    return TransactionStateError(message, fix=fix)
