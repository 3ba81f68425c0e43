"""By which schema a stream reads: that of the latest version, or the one it has noted."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from deltaresolver.spark.reading.change_range import find_range
from deltaresolver.spark.reading.read_options import ChangeFeed
from deltaresolver.spark.source.batch.snapshot_read import SnapshotRead
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import SourceOptions
from deltaresolver.spark.source.stream.options import StreamOptions
from deltaresolver.spark.source.stream.tracked_schemas import SchemaTrack, TrackedSchema


def is_tracked(options: Mapping[str, str]) -> bool:
    """Whether the options are those of a stream that notes its schemas."""
    return bool({"schematrackinglocation", "schemalocation"} & {key.lower() for key in options})


@attrs.frozen(slots=True)
class TrackedRead:
    """What a stream reads, from which version on by the schema at hand, and where it notes schemas, if it does."""

    read: SnapshotRead
    start: TrackedSchema
    track: SchemaTrack | None = None

    @classmethod
    def of(cls, asked: SourceOptions, stream: StreamOptions, settings: SourceSettings) -> TrackedRead:
        """As the options ask. Raises as `SnapshotRead.snapshot` and `SchemaTrack.latest`."""
        read = SnapshotRead(asked, settings, stream.reads_changes)
        latest = read.snapshot
        track = SchemaTrack.at(stream.tracking, asked.storage, latest.metadata.id)
        if track is None:
            return cls(read, TrackedSchema.of(latest))
        start = track.latest() or _first(read, stream, settings)
        return cls(SnapshotRead(asked, settings, stream.reads_changes, start.metadata), start, track)


def _first(read: SnapshotRead, stream: StreamOptions, settings: SourceSettings) -> TrackedSchema:
    """The schema where a stream without notes begins, as far as the log goes."""
    latest, version = read.snapshot, stream.starting_version
    if stream.starting_timestamp is not None:
        feed = ChangeFeed(starting_timestamp=stream.starting_timestamp)
        version = find_range(read.log, latest, feed, settings.time_zone).first
    if not isinstance(version, int) or version >= latest.table_version:
        return TrackedSchema.of(latest)
    return TrackedSchema.of(read.log.snapshot(version))
