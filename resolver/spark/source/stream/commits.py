"""What a stream gets of each commit: its new rows, or the reason why it cannot go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import msgspec

from deltaresolver.errors import StreamMetadataChangedError, StreamRowsChangedError
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile, CommitInfo, RemoveFile
from deltaresolver.model.facts.columns import mapping_mode
from deltaresolver.model.facts.keys import IDENTITY_HIGH_WATER_MARK
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import StructType
from deltaresolver.model.support import Task
from deltaresolver.spark.reading.change_feed import changed_files
from deltaresolver.spark.reading.change_range import ChangeCommit, TableVersions, ensure_recorded, incompatibility
from deltaresolver.spark.reading.outside import read_outside
from deltaresolver.spark.reading.readable import ensure_shown_as_stored
from deltaresolver.spark.source.batch.changed_parts import parts_of_changes
from deltaresolver.spark.source.batch.file_tasks import FilePart, part_of
from deltaresolver.spark.source.stream.options import StreamOptions


@attrs.frozen(slots=True)
class StreamedTable:
    """The table as the stream saw it when it started.

    started_at   the version whose metadata the rows are read with
    """

    store: LogStore
    metadata: Metadata
    protocol: Protocol
    started_at: int
    asked: StreamOptions
    storage: Mapping[str, str] = attrs.field(factory=dict, hash=False)

    def parts(self, commit: ChangeCommit) -> list[FilePart]:
        """The files of a commit in order.

        Raises `StreamMetadataChangedError`, `StreamRowsChangedError`, `ReadUnsupportedError`,
        `ChangeFeedUnavailableError`.
        """
        self._ensure_same_table(commit)
        if self.asked.reads_changes:
            ensure_recorded(self.metadata, [commit], TableVersions(commit.table_version, commit.table_version))
            return parts_of_changes(changed_files(self.store, read_outside(self.store, self.storage), [commit]))
        adds = [action for action in commit.actions if isinstance(action, AddFile) and action.data_change]
        removes = [action for action in commit.actions if isinstance(action, RemoveFile) and action.data_change]
        if removes and self.asked.skips_changes:
            return []
        if removes and not self.asked.ignores_changes and (adds or not self.asked.ignores_deletes):
            raise _rows_changed(commit, adds, removes)
        return [part_of(add) for add in adds]

    def _ensure_same_table(self, commit: ChangeCommit) -> None:
        for action in commit.actions:
            if isinstance(action, Protocol):
                task = Task.CHANGE_FEED if self.asked.reads_changes else Task.READ
                ensure_shown_as_stored(action, self.metadata, task)
                if commit.table_version > self.started_at and action != self.protocol:
                    raise _metadata_changed(commit, "the protocol")
            if isinstance(action, Metadata):
                changed = self._change(action, commit)
                if changed is not None:
                    raise _metadata_changed(commit, changed)

    def _change(self, found: Metadata, commit: ChangeCommit) -> str | None:
        """What differs in a way that the stream cannot read over."""
        if commit.table_version <= self.started_at:
            # Rows of before a change that this stream already knows of: columns may only have been added.
            modes = mapping_mode(found), mapping_mode(self.metadata)
            return incompatibility(found.schema, self.metadata.schema, *modes)
        if _without_marks(found.schema) != _without_marks(self.metadata.schema):
            return "the schema"
        if found.partition_columns != self.metadata.partition_columns:
            return "the partition columns"
        differing = dict(found.configuration).items() ^ dict(self.metadata.configuration).items()
        return f"the properties {', '.join(sorted({name for name, _ in differing}))}" if differing else None


def _without_marks(schema: StructType) -> StructType:
    """The schema without how far identity columns have counted, which every write moves on."""
    fields = []
    for field in schema.fields:
        notes = {key: value for key, value in (field.metadata or {}).items() if key != IDENTITY_HIGH_WATER_MARK}
        fields.append(msgspec.structs.replace(field, metadata=notes))
    return StructType(tuple(fields))


def _metadata_changed(commit: ChangeCommit, changed: str) -> StreamMetadataChangedError:
    return StreamMetadataChangedError(
        f"Version {commit.table_version} changes {changed} of the table that the stream reads.",
        fix="Restart the query; if it stops here again, give it a new checkpoint location and startingVersion "
        f"{commit.table_version}.",
        details={"table_version": commit.table_version, "changed": changed},
    )


def _rows_changed(
    commit: ChangeCommit, adds: Sequence[AddFile], removes: Sequence[RemoveFile]
) -> StreamRowsChangedError:
    names = [action.find_text("operation") for action in commit.actions if isinstance(action, CommitInfo)]
    name = (names[0] if names else None) or "unknown operation"
    what = "rewrites" if adds else "removes"
    option = "skipChangeCommits" if adds else "ignoreDeletes"
    return StreamRowsChangedError(
        f"Version {commit.table_version} ({name}) {what} rows, of {removes[0].path} for one, "
        "and the stream gives new rows only.",
        fix=f"Set {option} to true to leave such commits out, or read the changes with readChangeFeed.",
        details={"table_version": commit.table_version, "operation": name, "path": removes[0].path},
        delta_condition="DELTA_SOURCE_TABLE_IGNORE_CHANGES" if adds else "DELTA_SOURCE_IGNORE_DELETE",
    )
