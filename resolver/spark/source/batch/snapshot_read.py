"""What a batch read is of: the table version or the changes, planned without Spark."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from deltaresolver.errors import ReadUnsupportedError, UnknownColumnError
from deltaresolver.expressions.conditions import standard_text
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.locations import open_store
from deltaresolver.model.facts.columns import mapping_mode
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import SchemaSurvey, StructField, StructType, quote_path
from deltaresolver.model.support import Task
from deltaresolver.spark.reading.change_feed import COMMIT_FIELDS, TYPE_FIELD, changed_files
from deltaresolver.spark.reading.change_range import ensure_one_schema, ensure_recorded, find_range, read_commits
from deltaresolver.spark.reading.file_location import TableRoot
from deltaresolver.spark.reading.outside import read_outside
from deltaresolver.spark.reading.read_options import (
    ChangeFeed,
    ReadRequest,
    as_moment,
    ensure_none_misspelt,
    parse_read_options,
)
from deltaresolver.spark.reading.readable import ensure_shown_as_stored
from deltaresolver.spark.reading.select_files import select_files
from deltaresolver.spark.schema import nullable_schema, spark_schema, visible_schema
from deltaresolver.spark.source.batch.changed_parts import parts_of_changes
from deltaresolver.spark.source.batch.file_rows import RowSource
from deltaresolver.spark.source.batch.file_tasks import FilePart, parts_of_files
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import SourceOptions

if TYPE_CHECKING:
    from pyspark.sql import types

_PLACES = ("geometry", "geography")
"""Types whose values files hold in another form than Spark takes from Python."""


class SnapshotRead:
    """One read of one table. The log is read when something is first asked for."""

    def __init__(
        self,
        asked: SourceOptions,
        settings: SourceSettings,
        streams_changes: bool | None = None,
        shown_as: Metadata | None = None,
    ) -> None:
        """`streams_changes` says that a stream reads, and whether it reads changes: its options are then others.

        `shown_as` is the metadata under which rows are shown, where it is not that of the version read.
        """
        self._asked = asked
        self._shown_as = shown_as
        self._settings = settings
        self._streams_changes = streams_changes
        is_stream = streams_changes is not None
        self._request: ReadRequest = ReadRequest() if is_stream else _batch_request(asked.others)
        self.log = DeltaLog(open_store(asked.path, asked.storage))

    @cached_property
    def snapshot(self) -> Snapshot:
        """The version read; the latest one for changes. Raises as `read` does."""
        moment = self._request.timestamp
        if moment is not None:
            found = self.log.snapshot(timestamp=as_moment(moment, self._settings.time_zone))
        else:
            found = self.log.snapshot(self._request.version)
        ensure_shown_as_stored(found.protocol, found.metadata)
        return found

    @cached_property
    def metadata(self) -> Metadata:
        """Under which rows are shown."""
        if self._shown_as is not None:
            return self._shown_as
        if self._request.changes is None or mapping_mode(self.snapshot.metadata) == "none":
            return self.snapshot.metadata
        versions = find_range(self.log, self.snapshot, self._request.changes, self._settings.time_zone)
        return self.log.snapshot(max(versions.first, versions.last)).metadata

    def fields(self) -> tuple[StructField, ...]:
        """The columns that are given. Raises `UnknownColumnError`."""
        fields = self.metadata.schema.fields
        if self._request.changes is not None or self._streams_changes:
            fields = (*fields, TYPE_FIELD, *COMMIT_FIELDS)
        return fields if self._asked.columns is None else chosen_fields(fields, self._asked.columns)

    def schema(self) -> types.StructType:
        """The columns as Spark sees them, all of them nullable: that NOT NULL holds in every file is not looked for."""
        return spark_schema(nullable_schema(visible_schema(StructType(self.fields()))))

    def row_source(self, schema: types.StructType) -> RowSource:
        """The rows in the columns of `schema`, which Spark may have narrowed. Raises `UnknownColumnError`."""
        return row_source(self.log, self.metadata, self.fields(), schema, self._asked, self._settings)

    def parts(self, pushed: str | None) -> list[FilePart]:
        """The files that may hold rows that match the option `filesWhere` and the filters `pushed` (Spark SQL)."""
        if self._request.changes is not None:
            return self._changes(self._request.changes)
        where = self._asked.where and standard_text(self._asked.where, self._settings.reading)
        if where is None:
            # Moments in pushed filters name their offset, whatever the session's zone.
            return parts_of_files(select_files(self.snapshot, pushed, "UTC"))
        files = select_files(self.snapshot, where, self._settings.time_zone)
        if pushed is not None:
            kept = set(select_files(self.snapshot, pushed, "UTC").column("path").to_pylist())
            chosen = [path in kept for path in files.column("path").to_pylist()]
            # Of no files, a plain list would have no type to filter by.
            files = files.filter(pa.array(chosen, pa.bool_()))
        return parts_of_files(files)

    def _changes(self, feed: ChangeFeed) -> list[FilePart]:
        versions = find_range(self.log, self.snapshot, feed, self._settings.time_zone)
        if versions.last < versions.first:
            return []
        start = self.log.snapshot(versions.first)
        ensure_shown_as_stored(start.protocol, start.metadata, Task.CHANGE_FEED)
        ensure_shown_as_stored(self.snapshot.protocol, self.snapshot.metadata, Task.CHANGE_FEED)
        commits = read_commits(self.snapshot, versions)
        ensure_recorded(start.metadata, commits, versions)
        ensure_one_schema(self.metadata, start.metadata, commits, versions)
        found = changed_files(self.log.store, read_outside(self.log.store, self._asked.storage), commits)
        return parts_of_changes(found)


def _ensure_known_to_arrow(schema: StructType) -> None:
    types = SchemaSurvey(schema).leaf_types
    found = [quote_path(path) for kind in _PLACES for path in types.get(kind, ())]
    if found:
        raise ReadUnsupportedError(
            f'Geometries and geographies are not read by format("deltaresolver"): {", ".join(found)}.',
            fix="Read the table with deltaresolver.spark.read, on Spark 4.1 or newer.",
            details={"columns": found, "missing": list(_PLACES), "clients": []},
        )


def _batch_request(options: Mapping[str, str]) -> ReadRequest:
    """What the options ask of a batch; where a stream starts, which may be `latest`, is nothing to it."""
    ensure_none_misspelt(options)
    lowered = {key.lower(): value.lower() for key, value in options.items()}
    if "true" in (lowered.get("readchangefeed"), lowered.get("readchangedata")):
        return parse_read_options(options)
    return parse_read_options({key: value for key, value in options.items() if not key.lower().startswith("starting")})


def row_source(
    log: DeltaLog,
    metadata: Metadata,
    fields: Iterable[StructField],
    schema: types.StructType,
    asked: SourceOptions,
    settings: SourceSettings,
) -> RowSource:
    """The rows of a table in the columns of `schema`. Raises `ReadUnsupportedError` for types that none come of."""
    known: Mapping[str, StructField] = {field.name.lower(): field for field in fields}
    chosen = chosen_fields(known.values(), schema.fieldNames())
    _ensure_known_to_arrow(StructType(chosen))
    return RowSource(
        log.store,
        TableRoot.of(asked.path, log.store),
        chosen,
        arrow_schema(schema),
        mapping_mode(metadata),
        frozenset(name.lower() for name in metadata.partition_columns),
        settings.time_zone,
        dict(asked.storage),
        calendar_modes=settings.calendar_modes,
    )


def chosen_fields(fields: Iterable[StructField], names: Iterable[str]) -> tuple[StructField, ...]:
    """The fields of these names, in their order. Raises `UnknownColumnError`."""
    known = {field.name.lower(): field for field in fields}
    names = list(names)
    unknown = [name for name in names if name.lower() not in known]
    if unknown:
        raise UnknownColumnError(
            f"The table has no column {', '.join(unknown)}.",
            fix=f"Use some of: {', '.join(field.name for field in known.values())}.",
            details={"unknown": unknown, "known": [field.name for field in known.values()]},
        )
    return tuple(_spelt(known[name.lower()], name) for name in names)


def _spelt(field: StructField, name: str) -> StructField:
    """The field as the query spells it."""
    return field if field.name == name else msgspec.structs.replace(field, name=name)


def arrow_schema(schema: types.StructType) -> pa.Schema:
    """The schema that batches must have which a data source gives to Spark."""
    from pyspark.sql.pandas.types import to_arrow_schema

    convert: Any = to_arrow_schema
    # The zone became an argument with Spark 4.1; before, it was always this one.
    zone = {"timezone": "UTC"} if "timezone" in inspect.signature(convert).parameters else {}
    found: pa.Schema = convert(schema, **zone)
    return found
