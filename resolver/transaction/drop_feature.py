"""ALTER TABLE DROP FEATURE: end the use of a feature, keep history readable without it, lower the protocol."""

from __future__ import annotations

import attrs

from deltaresolver.errors import (
    BarrierCheckpointError,
    DeltaResolverError,
    FeatureStillUsedError,
    HistoryUsesFeatureError,
)
from deltaresolver.log.retention import duration_ms, log_retention_ms
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.writing.cleanup import clean_up_log
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import denormalized, remove_feature, with_feature
from deltaresolver.transaction.drop_request import checked_feature, find_guard
from deltaresolver.transaction.drop_traces import history_uses, is_truncated_before, removal_commit
from deltaresolver.transaction.feature_trace import find_trace
from deltaresolver.transaction.operation import drop_feature as drop_operation
from deltaresolver.transaction.operation import operation, unset_properties
from deltaresolver.transaction.preparatory import MadeCommit, make_preparatory_commits
from deltaresolver.transaction.property_values import TRUNCATION_RETENTION
from deltaresolver.transaction.starter import TransactionStarter

FAST_DROP = "spark.databricks.delta.tableFeatures.fastDropFeature.enabled"
EMPTY_COMMIT = "Empty Commit"
BARRIERS = 3
"""Clients that cannot read a checkpoint try that many earlier ones, less one, before they give up."""
CHECKPOINT_ATTEMPTS = 3
MINUTE_MS = 60_000


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
    a feature made for that; with `truncate_history` those versions have to be gone instead. With `dry_run`
    nothing is written, and everything else is the same. Raises `FeatureDropRefusedError`, `FeatureInUseError`,
    `HistoryUsesFeatureError`, `BarrierCheckpointError`, `FeatureStillUsedError`, and what a commit raises; what
    was committed until then stands.
    """
    if dry_run:
        starter = starter.pretending()
    snapshot = starter.log.update()
    record, removal = checked_feature(starter.catalog, snapshot, feature, truncate_history=truncate_history)
    drop = _Drop(starter, record, removal, truncate_history)
    before = snapshot.protocol
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
    commits: list[MadeCommit] = attrs.field(factory=list)
    checkpoints: list[int] = attrs.field(factory=list)
    protects_before: int | None = None

    def run(self) -> None:
        """Everything, in order."""
        if self.removal.protects_before is not None:
            self._end_protection(self.removal.protects_before)
        performed = make_preparatory_commits(
            self.starter, lambda table, made: removal_commit(self.feature, table, made)
        )
        self.commits.extend(performed)
        fast = not self.truncate_history and self.starter.session.get(FAST_DROP, "true").lower() == "true"
        protected = self.removal.protects_history
        if protected and fast:
            for _ in range(BARRIERS):
                self._empty_commit()
                self._checkpoint(required=True)
        elif protected:
            self._empty_commit()
            self._checkpoint(required=False)
            if performed:
                raise self._wait(self.starter.log.update().metadata, "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD")
        self._lower_protocol(guarded=protected and fast, clean_history=protected and not fast)
        if protected and fast:
            self._checkpoint(required=False)

    def _empty_commit(self) -> None:
        table_version = self.starter.start().commit((), operation(EMPTY_COMMIT))
        self.commits.append(MadeCommit(table_version, EMPTY_COMMIT))

    def _checkpoint(self, *, required: bool) -> None:
        snapshot = self.starter.log.update()
        failure: Exception | None = None
        for _ in range(CHECKPOINT_ATTEMPTS):
            try:
                self.starter.write_checkpoint(snapshot)
            except (DeltaResolverError, OSError) as error:
                failure = error
            else:
                self.checkpoints.append(snapshot.table_version)
                return
        if required:
            raise BarrierCheckpointError(
                f"{self.feature.name} is not dropped: a checkpoint of version {snapshot.table_version} could not be "
                f"written ({failure}).",
                fix="Make that checkpoint possible, then drop the feature again.",
                details={"feature": self.feature.name, "table_version": snapshot.table_version, "reason": str(failure)},
            ) from failure

    def _lower_protocol(self, *, guarded: bool, clean_history: bool) -> None:
        starter = self.starter
        transaction = starter.start()
        snapshot = transaction.snapshot
        assert snapshot is not None
        table = starter.contents(snapshot)
        trace = find_trace(self.feature, self.removal, table)
        if trace is not None:
            raise FeatureStillUsedError(
                f"{self.feature.name} cannot be dropped at version {snapshot.table_version}: {trace}.",
                fix="Find out who uses the feature again, then drop it once more.",
                details={"features": [self.feature.name], "table_version": snapshot.table_version, "reason": trace},
            )
        if clean_history:
            self._ensure_history_is_clean(snapshot)
        metadata = _without(snapshot.metadata, self.removal.drops_properties)
        protocol = snapshot.protocol
        if guarded:
            guard, key = find_guard(starter.catalog)
            self.protects_before = snapshot.table_version + 1
            metadata = metadata.with_configuration({**metadata.configuration, key: str(self.protects_before)})
            protocol = with_feature(denormalized(protocol, starter.catalog), guard.name, starter.catalog)
        protocol = remove_feature(protocol, self.feature.name, starter.catalog)
        extra = () if self.feature.behaviour is None else self.feature.behaviour.removal_actions(table)
        wanted = drop_operation(self.feature.name, truncate_history=self.truncate_history)
        table_version = transaction.commit((metadata, protocol, *extra), wanted)
        self.commits.append(MadeCommit(table_version, wanted.name))
        if guarded:
            # Others' commits may have pushed this one to a later version.
            self.protects_before = table_version

    def _clean_up(self, metadata: Metadata) -> None:
        log, now = self.starter.log, self.starter.clock()
        if not self.truncate_history:
            clean_up_log(log, now, self.starter.catalog)
            return
        cutoff = (now - _truncation_retention_ms(metadata)) // MINUTE_MS * MINUTE_MS
        clean_up_log(log, now, self.starter.catalog, cutoff_ms=cutoff)

    def _ensure_history_is_clean(self, snapshot: Snapshot) -> None:
        self._clean_up(snapshot.metadata)
        if history_uses(self.feature, self.starter, snapshot):
            raise self._wait(snapshot.metadata, "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST")

    def _end_protection(self, key: str) -> None:
        """History before the protected version has to be gone; then the property goes too."""
        snapshot = self.starter.log.update()
        text = snapshot.metadata.configuration.get(key, "0")
        protected = int(text) if text.isdecimal() else 0
        if not is_truncated_before(self.starter, protected):
            self._empty_commit()
            self._checkpoint(required=False)
            self._clean_up(snapshot.metadata)
            if not is_truncated_before(self.starter, protected):
                raise self._wait(
                    snapshot.metadata, "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD"
                )
        transaction = self.starter.start()
        transaction.update_metadata(_without(transaction.metadata, (key,)))
        unset = unset_properties((key,), if_exists=True)
        self.commits.append(MadeCommit(transaction.commit((), unset), unset.name))

    def _wait(self, metadata: Metadata, condition: str) -> HistoryUsesFeatureError:
        retention = metadata.configuration.get("delta.logRetentionDuration", "interval 30 days")
        truncation = metadata.configuration.get(TRUNCATION_RETENTION, "interval 24 hours")
        days = log_retention_ms(metadata) / 86_400_000
        return HistoryUsesFeatureError(
            f"Versions of the table that are still kept used {self.feature.name}, so it cannot go yet: "
            f"the log is kept for {retention.removeprefix('interval ')}.",
            fix=f"Drop the feature again after that time, or {truncation.removeprefix('interval ')} after it was last "
            "used with TRUNCATE HISTORY (--truncate-history).",
            details={
                "feature": self.feature.name,
                "log_retention_days": days,
                "log_retention": retention,
                "truncation_retention": truncation,
                "commits": [[commit.table_version, commit.operation] for commit in self.commits],
            },
            delta_condition=condition,
        )


def _truncation_retention_ms(metadata: Metadata) -> int:
    return duration_ms(metadata.configuration.get(TRUNCATION_RETENTION, "interval 24 hours"), TRUNCATION_RETENTION)


def _without(metadata: Metadata, keys: tuple[str, ...]) -> Metadata:
    gone = {key.lower() for key in keys}
    kept = {key: value for key, value in metadata.configuration.items() if key.lower() not in gone}
    return metadata.with_configuration(kept)
