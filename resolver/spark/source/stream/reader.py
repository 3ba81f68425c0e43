"""Stream reads of `format("deltaresolver")`: commits as they come, in batches that the options limit."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from deltaresolver.errors import (
    ChangeFeedUnavailableError,
    StreamMetadataChangedError,
    StreamOffsetInvalidError,
    VersionNotFoundError,
)
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.spark.reading.change_feed import CHANGE_TYPE, COMMIT_TIMESTAMP, COMMIT_VERSION
from deltaresolver.spark.reading.change_range import ChangeCommit, TableVersions, find_range, read_commits
from deltaresolver.spark.reading.read_options import ChangeFeed
from deltaresolver.spark.source.batch.file_tasks import FilePart, parts_of_files, plan_tasks
from deltaresolver.spark.source.batch.snapshot_read import SnapshotRead
from deltaresolver.spark.source.older_spark import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import SourceOptions
from deltaresolver.spark.source.stream.commits import StreamedTable
from deltaresolver.spark.source.stream.offset import NO_FILE, StreamOffset
from deltaresolver.spark.source.stream.options import LATEST, StreamOptions
from deltaresolver.spark.source.stream.tracked_read import TrackedRead
from deltaresolver.spark.source.stream.tracked_schemas import TrackedSchema, ensure_agreed
from deltaresolver.spark.source.told_errors import told

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

logger = logging.getLogger("deltaresolver.spark")
_AT_ONCE = 100
"""So many commits are read ahead."""


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a table as a stream: what it has at first, then what commits add."""

    def __init__(
        self, asked: SourceOptions, stream: StreamOptions, settings: SourceSettings, schema: StructType
    ) -> None:
        self._settings = settings
        self._stream = stream
        tracked = TrackedRead.of(asked, stream, settings)
        self._track = tracked.track
        read, start = tracked.read, tracked.start
        self._source = read.row_source(schema)
        self._read: SnapshotRead | None = read
        self._table = StreamedTable(
            read.log.store, start.metadata, start.protocol, start.table_version, stream, dict(asked.storage)
        )
        self._last_wanted: int | None = None
        self._commits: dict[int, ChangeCommit] = {}
        self._newest: Snapshot | None = None
        self._initial: tuple[int, list[FilePart]] | None = None

    # --- what Spark calls on the driver ----------------------------------------------------------

    @told()
    def initialOffset(self) -> dict[str, Any]:
        """Where a query without a checkpoint starts. Raises `VersionNotFoundError`, the errors of ranges of changes."""
        latest, wanted = self._planning.snapshot, self._stream.starting_version
        is_initial = wanted is None and self._stream.starting_timestamp is None
        if isinstance(wanted, int):
            if wanted > latest.table_version:
                raise VersionNotFoundError(
                    f"The stream is to start at version {wanted}, and the latest version is {latest.table_version}.",
                    fix=f"Start at version {latest.table_version} or earlier, or at {LATEST} for what comes next.",
                    details={"table_version": wanted, "latest": latest.table_version},
                )
            first = wanted
        elif wanted == LATEST:
            first = latest.table_version + 1
        elif is_initial:
            first = latest.table_version
        else:
            feed = ChangeFeed(starting_timestamp=self._stream.starting_timestamp)
            first = find_range(self._planning.log, latest, feed, self._settings.time_zone).first
        self._note_start()
        return StreamOffset(first, NO_FILE, is_initial, self._table_id).to_json()

    @told()
    def getDefaultReadLimit(self) -> ReadLimit:
        """What the options allow for a batch; `latestOffset` holds both limits."""
        if self._stream.most_bytes is not None:
            return ReadMaxBytes(self._stream.most_bytes)
        return ReadMaxFiles(self._stream.most_files)

    @told()
    def prepareForTriggerAvailableNow(self) -> None:
        """Nothing that comes after this call is read."""
        self._last_wanted = self._latest_version()

    @told()
    def latestOffset(self, start: Mapping[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """How far the next batch goes. Raises as `StreamedTable.parts`."""
        first = StreamOffset.of_json(start, self._table_id)
        is_limited = not isinstance(limit, ReadAllAvailable)
        reached, files, size = first, 0, 0
        self._note_start()
        try:
            for offset, parts in self._files_after(first, None):
                files += len(parts)
                size += sum(part.size for part in parts)
                too_large = self._stream.most_bytes is not None and size > self._stream.most_bytes
                if is_limited and reached != first and (files > self._stream.most_files or too_large):
                    break
                reached = offset
        except StreamMetadataChangedError as error:
            if self._track is None:
                raise
            if reached == first:
                self._go_over(error)
        return reached.to_json()

    def _note_start(self) -> None:
        """A stream that notes its schemas begins with the one it was started with."""
        if self._track is not None and self._track.latest() is None:
            table = self._table
            self._track.add(TrackedSchema(table.started_at, table.metadata, table.protocol))

    def _go_over(self, error: StreamMetadataChangedError) -> None:
        """All before the change is read: note what comes, and end. Raises `StreamMetadataChangedError`."""
        assert self._track is not None
        changed = TrackedSchema.of(self._planning.log.snapshot(error.details["table_version"]))
        ensure_agreed(self._table.metadata, changed, self._stream, self._settings.values)
        self._track.add(changed)
        raise StreamMetadataChangedError(
            f"{error.message} The stream has noted it, and all before is read.",
            fix="Restart the query: it goes on with the new schema.",
            details=error.details,
            delta_class="DeltaRuntimeException",
            delta_condition="DELTA_STREAMING_METADATA_EVOLUTION",
        ) from error

    @told()
    def reportLatestOffset(self) -> dict[str, Any]:
        """The end of the table, for the query's progress."""
        latest = self._latest_version()
        return StreamOffset(latest + 1, NO_FILE, is_initial=False, table_id=self._table_id).to_json()

    @told()
    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> Sequence[InputPartition]:
        """The tasks of one batch."""
        first, last = (StreamOffset.of_json(each, self._table_id) for each in (start, end))
        # Left out here and not before, so that places in a checkpoint do not depend on what is left out.
        excluded = self._stream.excluded
        found = [part for _, parts in self._files_after(first, last) for part in parts]
        parts = [part for part in found if excluded is None or excluded.search(part.path) is None]
        return [InputPartition(task) for task in plan_tasks(parts, self._settings.values)]

    @told()
    def commit(self, end: Mapping[str, Any]) -> None:
        """What is read before is no longer kept."""
        reached = StreamOffset.of_json(end, self._table_id)
        self._commits = {key: value for key, value in self._commits.items() if key >= reached.table_version}
        if self._initial is not None and not reached.is_initial:
            self._initial = None

    # --- what Spark calls in tasks ---------------------------------------------------------------

    @told()
    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one task. Raises as `RowSource.rows`."""
        return self._source.rows(partition.value)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_read": None, "_newest": None, "_commits": {}, "_initial": None}

    # --- files in order --------------------------------------------------------------------------

    @property
    def _planning(self) -> SnapshotRead:
        assert self._read is not None
        return self._read

    @property
    def _table_id(self) -> str:
        return self._table.metadata.id

    def _newest_at(self, wanted: int) -> Snapshot:
        """The newest snapshot seen; looked for again where that is older than the version wanted.

        Listing a log takes as long as it is, so that to list it for each commit would be quadratic.
        """
        if self._newest is None or self._newest.table_version < wanted:
            self._newest = self._planning.log.update()
        return self._newest

    def _latest_version(self) -> int:
        self._newest = self._planning.log.update()
        latest = self._newest.table_version
        return latest if self._last_wanted is None else min(latest, self._last_wanted)

    def _files_after(
        self, start: StreamOffset, end: StreamOffset | None
    ) -> Iterator[tuple[StreamOffset, Sequence[FilePart]]]:
        """Files and where the stream is behind them, after `start` up to `end`."""
        latest = self._latest_version() if end is None else end.table_version
        current = start
        while current.table_version <= latest and (end is None or current < end):
            parts = self._parts(current, latest)
            if parts is None:
                return
            # The changes of one commit belong together, so that updates come whole.
            step = len(parts) if self._stream.reads_changes else 1
            for place in range(current.index + 1, len(parts), max(step, 1)):
                behind = place + max(step, 1) - 1
                offset = attrs.evolve(current, index=behind)
                offset = offset.after_version() if behind == len(parts) - 1 else offset
                if end is not None and offset > end:
                    return
                yield offset, parts[place : behind + 1]
            current = current.after_version()

    def _parts(self, offset: StreamOffset, latest: int) -> list[FilePart] | None:
        """The files of a version; None if the version was not there when last looked, and is of a later batch."""
        if offset.is_initial:
            return self._initial_parts(offset.table_version)
        commit = self._commit(offset.table_version, latest)
        return None if commit is None else self._table.parts(commit)

    def _initial_parts(self, table_version: int) -> list[FilePart]:
        if self._initial is None or self._initial[0] != table_version:
            snapshot = self._planning.log.snapshot(table_version)
            files = snapshot.files().sort_by([("modificationTime", "ascending"), ("path", "ascending")])
            parts = parts_of_files(files)
            if self._stream.reads_changes:
                made = str(snapshot.timestamp_ms)
                values = {CHANGE_TYPE: "insert", COMMIT_VERSION: str(table_version), COMMIT_TIMESTAMP: made}
                parts = [attrs.evolve(part, constants=values) for part in parts]
            self._initial = (table_version, parts)
        return self._initial[1]

    def _commit(self, table_version: int, latest: int) -> ChangeCommit | None:
        if table_version > latest:
            return None
        if table_version not in self._commits:
            newest = self._newest_at(min(latest, table_version + _AT_ONCE - 1))
            last = min(latest, newest.table_version, table_version + _AT_ONCE - 1)
            if table_version > last:
                return None
            goes_on = not self._stream.fails_on_loss
            try:
                found = read_commits(newest, TableVersions(table_version, last), allows_gaps=goes_on)
            except ChangeFeedUnavailableError as error:
                raise StreamOffsetInvalidError(
                    f"The stream goes on at version {table_version}, whose commit is no longer in the log.",
                    fix="Start the query with a new checkpoint location.",
                    details={"table_version": table_version},
                    delta_condition="DELTA_VERSION_NOT_FOUND",
                ) from error
            self._commits |= {commit.table_version: commit for commit in found}
            lost = [version for version in range(table_version, last + 1) if version not in self._commits]
            if lost:
                text = "failOnDataLoss is false: the stream goes on without the %s versions from %s to %s that are gone"
                logger.warning(text, len(lost), lost[0], lost[-1])
                self._commits |= {version: ChangeCommit(version, 0, ()) for version in lost}
        return self._commits[table_version]
