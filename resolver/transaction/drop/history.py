"""History that has to go before a feature can: how long it is kept, and how it is cut."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import attrs

from deltaresolver.errors import HistoryUsesFeatureError, PropertyInvalidError
from deltaresolver.log.checkpoint.soundness import is_sound
from deltaresolver.log.commits import decode_commit
from deltaresolver.log.listing import LogFiles, list_log
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.upkeep.cleanup import DAY_MS, CleanUp, Demand, clean_up_log, moments_of, newest_expired
from deltaresolver.log.upkeep.retention import (
    LOG_RETENTION,
    TRUNCATION_RETENTION,
    log_retention_ms,
    truncation_retention_ms,
)
from deltaresolver.model.actions import CommitInfo
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.drop.traces import OldVersions
from deltaresolver.transaction.preparatory import MadeCommit
from deltaresolver.transaction.starter import TransactionStarter

EMPTY_COMMIT = "Empty Commit"
MINUTE_MS = 60_000
WAIT = "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD"
STILL_THERE = "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST"
PROTECTION = "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD"


@attrs.frozen(slots=True)
class Retention:
    """How long versions are kept from a drop: as long as the log, or less where history is to be truncated."""

    key: str
    text: str
    milliseconds: int
    granularity_ms: int

    @classmethod
    def of(cls, metadata: Metadata, *, truncate_history: bool) -> Retention:
        """The one that holds for a table. Raises `PropertyInvalidError`."""
        if truncate_history:
            text = metadata.configuration.get(TRUNCATION_RETENTION, "interval 24 hours")
            return cls(TRUNCATION_RETENTION, text, truncation_retention_ms(metadata), MINUTE_MS)
        text = metadata.configuration.get(LOG_RETENTION, "interval 30 days")
        return cls(LOG_RETENTION, text, log_retention_ms(metadata), DAY_MS)

    def cutoff_ms(self, now_ms: int) -> int:
        """Versions committed up to this moment may go."""
        return (now_ms - self.milliseconds) // self.granularity_ms * self.granularity_ms

    def end_ms(self, moment_ms: int) -> int:
        """From when on a version committed at that moment may go."""
        return -(-moment_ms // self.granularity_ms) * self.granularity_ms + self.milliseconds


@attrs.frozen(slots=True, eq=False)
class History:
    """The log of a table of which a drop needs the old part gone."""

    starter: TransactionStarter
    truncate_history: bool

    def retention(self, metadata: Metadata) -> Retention:
        """How long versions are kept from this drop."""
        return Retention.of(metadata, truncate_history=self.truncate_history)

    def clean_up(self, metadata: Metadata, *, gone_before: int | None = None) -> CleanUp:
        """Cut the log where that is due."""
        now = self.starter.clock()
        cutoff = self.retention(metadata).cutoff_ms(now)
        demand = Demand(is_asked_for=self.truncate_history, gone_before=gone_before)
        return clean_up_log(self.starter.log, now, self.starter.catalog, cutoff_ms=cutoff, demand=demand)

    def ends_ms(self, old: OldVersions, metadata: Metadata) -> int:
        """From when on these versions may go."""
        return self.retention(metadata).end_ms(_moment_of(self._files, old.last_version))

    def is_over(self, old: OldVersions, metadata: Metadata) -> bool:
        """Whether these versions may go now."""
        return self.ends_ms(old, metadata) <= self.starter.clock()

    def find_boundary(self, old: OldVersions, metadata: Metadata) -> Snapshot | None:
        """The version whose checkpoint must be written so that these versions can go; None where one is there.

        The first version after them: everything that a reader may still ask for can be read from it.
        """
        files = self._files
        expired = newest_expired(files.commits, self.retention(metadata).cutoff_ms(self.starter.clock()))
        reach = old.last_version + 1 if expired is None else expired + 1
        for checkpoint in files.checkpoints:
            if old.last_version < checkpoint.table_version <= reach and is_sound(self.starter.log.store, checkpoint):
                return None
        return self.starter.log.snapshot(old.last_version + 1)

    def has_barriers(self, old: OldVersions, count: int) -> bool:
        """Whether so many empty commits of earlier tries follow these versions, with a checkpoint."""
        store, files = self.starter.log.store, self._files
        newer = [commit for commit in files.commits if commit.first_version > old.last_version]
        if not any(checkpoint.table_version > old.last_version for checkpoint in files.checkpoints):
            return False
        infos = (
            action
            for commit in newer
            for action in decode_commit(store.read(commit.path), commit.path)
            if isinstance(action, CommitInfo)
        )
        return sum(info.find_text("operation") == EMPTY_COMMIT for info in infos) >= count

    @property
    def _files(self) -> LogFiles:
        return list_log(self.starter.log.store, 0, None)


def _moment_of(files: LogFiles, table_version: int) -> int:
    """When a version was committed; of one whose commit is gone, the moment of the first that is not."""
    moments = list(moments_of(files.commits))
    return next((moment for version, moment in moments if version >= table_version), moments[-1][1])


def wait_for(
    history: History,
    feature: str,
    old: OldVersions,
    metadata: Metadata,
    commits: Sequence[MadeCommit],
    condition: str,
) -> HistoryUsesFeatureError:
    """The error that names the versions that have to go, and from when on they may."""
    retention, end = history.retention(metadata), history.ends_ms(old, metadata)
    versions = (
        f"version {old.last_version}"
        if old.first_version == old.last_version
        else f"versions {old.first_version} to {old.last_version}"
    )
    need, are, were = ("needs it", "is", "was") if old.first_version == old.last_version else ("need it", "are", "were")
    # Of what is old enough the clean-up may leave some, such as versions that younger ones cannot be read without.
    kept = f"{are} kept until" if end > history.starter.clock() else f"{were} kept until"
    return HistoryUsesFeatureError(
        f"{feature} is not dropped yet: {versions} of the table {need} and {kept} {_shown(end)}, since "
        f"{retention.key} is '{retention.text}'.",
        fix=_when_again(history, metadata, end),
        details={
            "feature": feature,
            "first_version": old.first_version,
            "last_version": old.last_version,
            "until": _shown(end),
            "until_ms": end,
            "log_retention_days": _log_retention_days(metadata),
            "log_retention": metadata.configuration.get(LOG_RETENTION, "interval 30 days"),
            "truncation_retention": metadata.configuration.get(TRUNCATION_RETENTION, "interval 24 hours"),
            "commits": [[commit.table_version, commit.operation] for commit in commits],
        },
        delta_condition=condition,
    )


def _log_retention_days(metadata: Metadata) -> float | None:
    """None where the table says it in a way that cannot be read, which matters to nobody who truncates."""
    try:
        return log_retention_ms(metadata) / DAY_MS
    except PropertyInvalidError:
        return None


def _when_again(history: History, metadata: Metadata, end_ms: int) -> str:
    """When the drop can be repeated, and how it would be sooner."""
    again = (
        f"Drop the feature again after {_shown(end_ms)}."
        if end_ms > history.starter.clock()
        else "Drop the feature again: these versions are old enough to go."
    )
    began_ms = end_ms - history.retention(metadata).milliseconds
    sooner = Retention.of(metadata, truncate_history=True).end_ms(began_ms)
    if not history.truncate_history and sooner < end_ms:
        when = f"after {_shown(sooner)}" if sooner > history.starter.clock() else "now"
        again += f" With TRUNCATE HISTORY (--truncate-history) it can go {when}."
    return again


def _shown(moment_ms: int) -> str:
    """To the second, rounded up, so that nobody comes too early."""
    return datetime.fromtimestamp(-(-moment_ms // 1000), UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
