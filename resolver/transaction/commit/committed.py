"""A commit that stands."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from deltaresolver.errors import LogError, PostCommitError
from deltaresolver.log.names import commit_path
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import Action, CommitInfo
from deltaresolver.model.behaviour import Draft
from deltaresolver.model.frozen import ReadOnly
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

if TYPE_CHECKING:
    from deltaresolver.transaction.commit.stats import CommitStats

logger = logging.getLogger("deltaresolver.transaction")
stats_logger = logging.getLogger("deltaresolver.transaction.stats")


class Committed(ReadOnly):
    """What was committed, as which version, after how many attempts."""

    table_version: int
    actions: tuple[Action, ...]
    """Without the commit info."""
    commit_info: CommitInfo
    metadata: Metadata
    """The metadata in force right after the commit."""
    protocol: Protocol
    attempts: int
    """How many times a file was put."""
    conflicts_checked: int
    """How many commits of others were checked for conflicts."""
    _update: Callable[[], Snapshot]

    def __init__(  # noqa: PLR0913 - one argument a fact
        self,
        table_version: int,
        *,
        actions: tuple[Action, ...],
        commit_info: CommitInfo,
        metadata: Metadata,
        protocol: Protocol,
        attempts: int,
        conflicts_checked: int,
        update: Callable[[], Snapshot],
    ) -> None:
        vars(self).update(
            table_version=table_version,
            actions=actions,
            commit_info=commit_info,
            metadata=metadata,
            protocol=protocol,
            attempts=attempts,
            conflicts_checked=conflicts_checked,
            _update=update,
        )

    @classmethod
    def of(cls, draft: Draft, attempts: int, conflicts_checked: int, update: Callable[[], Snapshot]) -> Committed:
        """The draft as it was written; `update` reads the table again."""
        return cls(
            draft.table_version,
            actions=draft.actions,
            commit_info=draft.commit_info,
            metadata=draft.metadata,
            protocol=draft.protocol,
            attempts=attempts,
            conflicts_checked=conflicts_checked,
            update=update,
        )

    @property
    def stats(self) -> CommitStats:
        """What the commit came to in numbers."""
        from deltaresolver.transaction.commit.stats import stats_of

        return stats_of(self)

    def __repr__(self) -> str:
        return f"Committed(version {self.table_version}, attempts {self.attempts})"

    @property
    def snapshot(self) -> Snapshot:
        """The table after the commit; read when first asked for, so it may already be a later version.

        Raises `PostCommitError` if the table seems to be older than the commit.
        """
        # Not a cached_property: up to Python 3.11 all of them share a lock, and one slow listing would hold up others.
        found: Snapshot | None = vars(self).get("_snapshot")
        if found is None:
            found = vars(self)["_snapshot"] = self._read_snapshot()
        return found

    def _read_snapshot(self) -> Snapshot:
        snapshot = self._update()
        if snapshot.table_version < self.table_version:
            raise PostCommitError(
                f"The committed version is {self.table_version} but the current version is {snapshot.table_version}.",
                fix="Check that the storage lists files as soon as they are written.",
                details={"committed": self.table_version, "current": snapshot.table_version},
                delta_class="IllegalStateException",
            )
        return snapshot


def ensure_visible(committed: Committed, store: LogStore) -> None:
    """The storage lists the commit.

    Raises `PostCommitError` where it does not: the commit stands, but whoever looks finds an older table. A storage
    that cannot be asked just now is only worth a warning.
    """
    path = commit_path(committed.table_version)
    try:
        if next((file.path for file in store.list_from(path)), None) != path:
            _ = committed.snapshot
    except LogError:
        logger.warning("Could not look whether version %s is listed.", committed.table_version, exc_info=True)


def log_stats(committed: Committed) -> None:
    """Record what the commit came to, where somebody wants it: a line at DEBUG, with `stats` for handlers."""
    if stats_logger.isEnabledFor(logging.DEBUG):
        from deltaresolver.transaction.commit.stats import stats_event

        text, extra = stats_event(committed)
        stats_logger.debug("%s", text, extra=extra)
