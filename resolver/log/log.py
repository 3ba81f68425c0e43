"""A table's log: the handle from which snapshots and history come."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.log.build_segment import build_segment
from deltaresolver.log.listing import list_log
from deltaresolver.log.looking_around import looking_around
from deltaresolver.log.segment import CommitFile, LogSegment
from deltaresolver.log.snapshot import Clock, Snapshot, milliseconds_now
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.tail import TableTail
from deltaresolver.model.metadata import Metadata

if TYPE_CHECKING:
    from deltaresolver.log.history import HistoryEntry

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class DeltaLog:
    """The log of the table in `store`.

    `staged` are commits that the table's catalog has accepted and not published yet; only for
    catalog-managed tables, where the log folder alone does not tell the latest version. `clock` gives
    milliseconds since the epoch; what retention hides is reckoned from it.
    """

    def __init__(self, store: LogStore, staged: Sequence[CommitFile] = (), clock: Clock = milliseconds_now) -> None:
        self.store = store
        self._staged = tuple(staged)
        self._clock = clock
        self._latest: Snapshot | None = None

    def __repr__(self) -> str:
        return f"DeltaLog({self.store.location!r})"

    def snapshot(self, version: int | None = None, timestamp: int | str | date | None = None) -> Snapshot:
        """The latest state of the table, or the one at a table version or moment.

        A moment is a datetime or a date, an ISO 8601 text (all UTC where they name no zone) or milliseconds since
        the epoch. Raises `TableNotFoundError`, `VersionNotFoundError`, `TimestampOutOfRangeError`,
        `LogGapError`, `LogTruncatedError`.
        """
        if version is not None and timestamp is not None:
            raise PropertyInvalidError(
                f"Both version {version} and timestamp {timestamp} were given.",
                fix="Give one of the two.",
                details={"version": version, "timestamp": str(timestamp)},
                delta_condition="DELTA_ONEOF_IN_TIMETRAVEL",
            )
        if timestamp is not None:
            from deltaresolver.log.time_travel import find_version_at

            with looking_around(self.store):
                latest = self.update()
            # Listed after it, so that none of its commits can be left out.
            files = list_log(self.store, 0, latest.table_version, self._staged)
            version = find_version_at(files, latest, as_milliseconds(timestamp))
        with looking_around(self.store):
            if version is None:
                return self.update()
            return self._snapshot_of(build_segment(self.store, _as_version(version), staged=self._staged))

    def _snapshot_of(self, segment: LogSegment) -> Snapshot:
        return Snapshot(self.store, segment, self._staged, self._clock)

    def update(self) -> Snapshot:
        """The latest snapshot; what the last one has read is kept as far as it still holds.

        An error for a table that is not there does not look at what is there instead, as that of `snapshot` does.
        """
        if self._latest is None:
            self._latest = self._snapshot_of(build_segment(self.store, staged=self._staged))
        else:
            self._latest = self._latest.update()
        return self._latest

    def as_if(self, metadata: Metadata) -> DeltaLog:
        """The same log, whose latest version has this metadata until a commit brings other. Raises `LogError`."""
        latest, other = self.update(), DeltaLog(self.store, self._staged, self._clock)
        tail = TableTail(latest.table_version, latest.protocol, metadata)
        other._latest = Snapshot(self.store, latest.segment, self._staged, self._clock, tail)
        return other

    def history(self, limit: int | None = None) -> list[HistoryEntry]:
        """The last `limit` commits (or all that are left), newest first."""
        from deltaresolver.log.history import read_history

        with looking_around(self.store):
            latest = self.update()
        first = 0 if limit is None else max(latest.table_version - limit + 1, 0)
        files = list_log(self.store, first, latest.table_version, self._staged)
        return read_history(self.store, files.commits, latest)


def _as_version(version: object) -> int:
    try:
        return operator.index(version)  # type: ignore[arg-type]
    except TypeError:
        raise PropertyInvalidError(
            f"{version!r} is not a table version.",
            fix="Give a whole number, or a moment as timestamp=...",
            details={"version": str(version)},
        ) from None


def as_milliseconds(timestamp: int | str | date) -> int:
    """The last whole millisecond since the epoch up to a moment. Raises `PropertyInvalidError` for what is none."""
    if isinstance(timestamp, int):
        return timestamp
    moment: object = _from_text(timestamp) if isinstance(timestamp, str) else timestamp
    if isinstance(moment, date) and not isinstance(moment, datetime):
        moment = datetime.combine(moment, time())
    if not isinstance(moment, datetime):
        raise PropertyInvalidError(
            f"{timestamp!r} is not a timestamp.",
            fix="Write it as 2024-05-01T12:30:00, with an offset such as +02:00 unless it is UTC.",
            details={"timestamp": str(timestamp)},
            delta_condition="DELTA_TIMESTAMP_INVALID",
        )
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _from_text(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None
