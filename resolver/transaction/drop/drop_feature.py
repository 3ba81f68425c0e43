"""ALTER TABLE DROP FEATURE: end the use of a feature, keep history readable without it, lower the protocol."""

from __future__ import annotations

import attrs

from deltaresolver.errors import (
    DeltaResolverError,
    HistoryKeptError,
    HistoryUsesFeatureError,
)
from deltaresolver.log.checkpoint.understood import find_refusal
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import denormalized, remove_feature, with_feature
from deltaresolver.transaction.drop.history import EMPTY_COMMIT, PROTECTION, STILL_THERE, WAIT, History, wait_for
from deltaresolver.transaction.drop.refusals import barrier_failed, history_kept, removal_undone, used_again
from deltaresolver.transaction.drop.removal import find_trace, removal_commit, without_stuck
from deltaresolver.transaction.drop.request import checked_feature, ensure_still_related, find_guard
from deltaresolver.transaction.drop.traces import (
    OldVersions,
    shows_use,
    versions_before,
    versions_with,
)
from deltaresolver.transaction.operation import drop_feature as drop_operation
from deltaresolver.transaction.operation import operation, unset_properties
from deltaresolver.transaction.preparatory import MadeCommit, make_preparatory_commits
from deltaresolver.transaction.starter import TransactionStarter

FAST_DROP = "spark.databricks.delta.tableFeatures.fastDropFeature.enabled"
BARRIERS = 3
"""Clients that cannot read a checkpoint try that many earlier ones, less one, before they give up."""
CHECKPOINT_ATTEMPTS = 3
TRIES_THAT_LEAVE_COMMITS = 2
"""As often a drop that has to wait leaves an empty commit with a checkpoint, as delta-spark does each time."""


@attrs.frozen(slots=True, eq=False)
class DropOutcome:
    """What dropping a feature did, or with `dry_run` would do."""

    feature: str
    before: Protocol
    after: Protocol
    commits: tuple[MadeCommit, ...]
    """In order; the last one takes the feature away."""
    checkpoints: tuple[int, ...]
    """The table versions of which checkpoints were written."""
    protects_before: int | None
    """Checkpoints before this version are protected from now on, so that history stays readable."""
    dry_run: bool = False

    @property
    def table_version(self) -> int:
        """The version without the feature."""
        return self.commits[-1].table_version


def drop_feature(
    starter: TransactionStarter, feature: str, *, truncate_history: bool = False, dry_run: bool = False
) -> DropOutcome:
    """Drop a feature from the table's protocol, after the commits that end its use.

    Where older versions needed the feature, checkpoints stand between them and readers without it, protected by
    a feature made for that; with `truncate_history` those versions have to be gone instead, and history is cut at
    the first version that can be read without the feature, once everything before it is old enough. With `dry_run`
    nothing is written, and everything else is the same.

    All of it is tried in memory first, so `FeatureDropRefusedError`, `FeatureInUseError`, `RemovalUndoneError`,
    `FeatureRelationError`, `HistoryKeptError`, `BarrierCheckpointError` for a checkpoint that cannot be, and what a
    commit raises leave the table as it was. Raises `HistoryUsesFeatureError` where versions are kept that need the
    feature: what was committed until then stands, and the same call ends the drop later. Raises
    `FeatureStillUsedError` and `ConcurrentModificationError` for what others do meanwhile.
    """
    if dry_run:
        starter = starter.pretending()
    snapshot = starter.log.snapshot()
    record, removal = checked_feature(starter.catalog, snapshot, feature, truncate_history=truncate_history)
    drop = _Drop(starter, record, removal, truncate_history)
    before = snapshot.protocol
    drop.ensure_possible(snapshot)
    drop.run()
    after = starter.log.update()
    return DropOutcome(
        record.name,
        before,
        after.protocol,
        tuple(drop.commits),
        tuple(drop.checkpoints),
        drop.protects_before,
        dry_run,
    )


@attrs.define(slots=True, eq=False)
class _Drop:
    """One feature on its way out."""

    starter: TransactionStarter
    feature: TableFeature
    removal: Removal
    truncate_history: bool
    is_rehearsal: bool = False
    """Only the commits are tried, in memory: history is not looked at and no checkpoint is written."""
    commits: list[MadeCommit] = attrs.field(factory=list)
    checkpoints: list[int] = attrs.field(factory=list)
    protects_before: int | None = None

    def ensure_possible(self, snapshot: Snapshot) -> None:
        """Raise what makes the drop fail whatever is committed, and what it has to wait for if nothing is to be done.

        So a drop that cannot succeed leaves no commit, and one that is tried every hour leaves a few.
        """
        # A commit is rehearsed on what others wrote until then, not held to be what will happen.
        _Drop(self.starter.pretending(), self.feature, self.removal, self.truncate_history, is_rehearsal=True).run()
        if not (self._cuts_history or self.removal.protects_before):
            return
        self._history.retention(snapshot.metadata)  # raises where nobody can tell how long to wait
        catalog = self.starter.catalog
        refusal = find_refusal(snapshot.protocol, snapshot.metadata, catalog, is_asked_for=self.truncate_history)
        in_use = self._find_trace(snapshot) is not None
        old = self._old_versions(snapshot)
        if refusal is not None and (in_use or old is not None):
            raise self._kept(refusal)
        if old is None or in_use or self._history.is_over(old, snapshot.metadata):
            return
        if self._history.has_barriers(old, TRIES_THAT_LEAVE_COMMITS):
            raise self._wait(old, snapshot.metadata, STILL_THERE if self._cuts_history else PROTECTION)

    def run(self) -> None:
        """Everything, in order."""
        if self.removal.protects_before is not None:
            self._end_protection(self.removal.protects_before)
        before = self.starter.log.update()
        performed = make_preparatory_commits(
            self.starter,
            lambda table, made: removal_commit(self.feature, table, made),
            leaving=self.feature.name,
        )
        self.commits.extend(performed)
        if self._is_guarded:
            for _ in range(BARRIERS):
                self._empty_commit()
                self._checkpoint(required=True)
        elif self._cuts_history:
            self._empty_commit()
            self._checkpoint(required=False)
            if performed and not self.is_rehearsal and shows_use(self.feature, self.starter, before):
                snapshot = self.starter.log.update()
                old = self._old_versions(snapshot)
                if old is not None:
                    raise self._wait(old, snapshot.metadata, WAIT)
        self._lower_protocol()
        if self._is_guarded and not self.is_rehearsal:
            self._checkpoint(required=False)

    @property
    def _is_guarded(self) -> bool:
        """Whether history stays, under protection."""
        fast = not self.truncate_history and self.starter.session.get(FAST_DROP, "true").lower() == "true"
        return self.removal.protects_history and fast

    @property
    def _cuts_history(self) -> bool:
        """Whether history that needs the feature has to be gone."""
        return self.removal.protects_history and not self._is_guarded

    @property
    def _history(self) -> History:
        return History(self.starter, self.truncate_history)

    def _old_versions(self, snapshot: Snapshot) -> OldVersions | None:
        """The versions that have to go before the feature can."""
        key = self.removal.protects_before
        if key is None:
            return versions_with(self.feature, self.starter, snapshot)
        text = snapshot.metadata.configuration.get(key, "0")
        protected = int(text) if text.isdecimal() else 0
        # No history is later than the version that is there.
        return versions_before(min(protected, snapshot.table_version), self.starter)

    def _empty_commit(self) -> None:
        if not self.is_rehearsal:
            table_version = self.starter.start().commit((), operation(EMPTY_COMMIT))
            self.commits.append(MadeCommit(table_version, EMPTY_COMMIT))

    def _checkpoint(self, *, required: bool, of: Snapshot | None = None) -> None:
        snapshot = self.starter.log.update() if of is None else of
        failure: Exception | None = None
        for _ in range(CHECKPOINT_ATTEMPTS):
            try:
                self._write_checkpoint(snapshot)
            except (DeltaResolverError, OSError) as error:
                failure = error
            else:
                self.checkpoints.append(snapshot.table_version)
                return
        if required:
            raise barrier_failed(self.feature.name, snapshot.table_version, failure) from failure

    def _write_checkpoint(self, snapshot: Snapshot) -> None:
        if self.is_rehearsal:
            self.starter.ensure_checkpoint_possible(snapshot)
        else:
            self.starter.write_checkpoint(snapshot)

    def _lower_protocol(self) -> None:
        starter = self.starter
        transaction = starter.start()
        snapshot = transaction.snapshot
        assert snapshot is not None
        trace = self._find_trace(snapshot)
        if trace is not None:
            name = self.feature.name
            raise removal_undone(name, trace) if self.is_rehearsal else used_again(name, snapshot.table_version, trace)
        if self._cuts_history and not self.is_rehearsal:
            self._ensure_history_is_clean(snapshot)
        metadata = _without(snapshot.metadata, self.removal.drops_properties)
        protocol = snapshot.protocol
        if self._is_guarded:
            guard, key = find_guard(starter.catalog)
            self.protects_before = snapshot.table_version + 1
            metadata = metadata.with_configuration({**metadata.configuration, key: str(self.protects_before)})
            protocol = with_feature(denormalized(protocol, starter.catalog), guard.name, starter.catalog)
        protocol = remove_feature(protocol, self.feature.name, starter.catalog)
        ensure_still_related(snapshot, metadata, protocol, starter.catalog)
        behaviour = self.feature.behaviour
        extra = () if behaviour is None else behaviour.removal_actions(starter.contents(snapshot))
        wanted = drop_operation(self.feature.name, truncate_history=self.truncate_history)
        table_version = transaction.commit((metadata, protocol, *extra), wanted)
        self.commits.append(MadeCommit(table_version, wanted.name))
        if self._is_guarded:
            # Others' commits may have pushed this one to a later version.
            self.protects_before = table_version

    def _find_trace(self, snapshot: Snapshot) -> str | None:
        table: RemainingTable = self.starter.contents(snapshot)
        if self.is_rehearsal:
            # The checkpoint that ends this is not written in a rehearsal.
            table = attrs.evolve(table, needs_v2_checkpoint=bool)
        return find_trace(self.feature, self.removal, table)

    def _ensure_history_is_clean(self, snapshot: Snapshot) -> None:
        self._history.clean_up(snapshot.metadata)
        old = self._old_versions(snapshot)
        if old is not None:
            self._cut(old, snapshot.metadata, STILL_THERE)
            if self._old_versions(snapshot) is not None:
                raise self._kept("versions that need the feature were written again while it was cut")

    def _cut(self, old: OldVersions, metadata: Metadata, condition: str) -> None:
        """Make these versions go. Raises `HistoryUsesFeatureError` where they are too young."""
        if not self._history.is_over(old, metadata):
            raise self._wait(old, metadata, condition)
        boundary = self._history.find_boundary(old, metadata)
        if boundary is not None:
            self._checkpoint(required=True, of=boundary)
        refusal = self._history.clean_up(metadata, gone_before=old.last_version + 1).refusal
        if refusal is not None:
            raise self._kept(refusal)

    def _end_protection(self, key: str) -> None:
        """History before the protected version has to be gone; then the property goes too."""
        snapshot = self.starter.log.update()
        old = None if self.is_rehearsal else self._old_versions(snapshot)
        if old is not None:
            self._empty_commit()
            self._checkpoint(required=False)
            self._history.clean_up(snapshot.metadata)
            if versions_before(old.last_version + 1, self.starter) is not None:
                self._cut(old, snapshot.metadata, PROTECTION)
        transaction = self.starter.start()
        transaction.update_metadata(_without(transaction.metadata, (key,)))
        unset = unset_properties((key,), if_exists=True)
        self.commits.append(MadeCommit(transaction.commit((), unset), unset.name))

    def _kept(self, reason: str) -> HistoryKeptError:
        could_protect = self.truncate_history and self.removal.protects_history
        return history_kept(self.feature.name, reason, could_protect=could_protect)

    def _wait(self, old: OldVersions, metadata: Metadata, condition: str) -> HistoryUsesFeatureError:
        return wait_for(self._history, self.feature.name, old, metadata, self.commits, condition)


def _without(metadata: Metadata, keys: tuple[str, ...]) -> Metadata:
    gone = {key.lower() for key in keys}
    kept = {key: value for key, value in metadata.configuration.items() if key.lower() not in gone}
    return without_stuck(metadata.with_configuration(kept))
