"""Which table versions a request for changes covers, and whether changes were recorded in all of them."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from deltaresolver.errors import (
    ChangeFeedRangeError,
    ChangeFeedSchemaError,
    ChangeFeedUnavailableError,
    TimestampOutOfRangeError,
)
from deltaresolver.log.commits import decode_commit
from deltaresolver.log.listing import list_log
from deltaresolver.log.log import DeltaLog, as_milliseconds
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.timestamps import increasing
from deltaresolver.model.actions import Action, CommitInfo
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.facts.keys import CHANGE_DATA_FEED
from deltaresolver.model.facts.nested_types import both_parts
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import DataType, StructType
from deltaresolver.spark.reading.read_options import ChangeFeed, Moment, as_moment


@attrs.frozen(slots=True)
class ChangeCommit:
    """One commit of the range: its version, when it was made, and its actions."""

    table_version: int
    timestamp_ms: int
    actions: tuple[Action, ...]


@attrs.frozen(slots=True)
class TableVersions:
    """Table versions, both ends included. None are left where `last` is one below `first`."""

    first: int
    last: int


def find_range(log: DeltaLog, latest: Snapshot, feed: ChangeFeed, zone: str) -> TableVersions:
    """The versions that `feed` asks for; an end beyond the latest version means the latest.

    Raises `ChangeFeedRangeError`, `TimestampOutOfRangeError`, `ReadOptionInvalidError`.
    """
    first = feed.starting_version
    if first is None:
        first = _version_from(log, latest, feed.starting_timestamp or 0, zone)
    if first > latest.table_version:
        raise ChangeFeedRangeError(
            f"Changes are asked for from version {first}, and the latest version is {latest.table_version}.",
            fix=f"Start at version {latest.table_version} or earlier.",
            details={"start": first, "latest": latest.table_version},
            delta_condition="DELTA_CDC_START_VERSION_AFTER_LATEST",
        )
    last = feed.ending_version
    if last is None and feed.ending_timestamp is not None:
        last = log.snapshot(timestamp=as_moment(feed.ending_timestamp, zone)).table_version
    last = latest.table_version if last is None else last
    between = last == first - 1 and feed.starting_timestamp is not None and feed.ending_timestamp is not None
    if last < first and not (between and _in_order(feed, zone)):
        raise ChangeFeedRangeError(
            f"Changes are asked for from version {first} to version {last}.",
            fix="Let the range end where it starts, or later.",
            details={"start": first, "end": last},
        )
    return TableVersions(first, min(last, latest.table_version))


def _in_order(feed: ChangeFeed, zone: str) -> bool:
    ends = (feed.starting_timestamp, feed.ending_timestamp)
    start, end = (as_milliseconds(as_moment(each, zone)) for each in ends if each is not None)
    return start <= end


def _version_from(log: DeltaLog, latest: Snapshot, moment: Moment, zone: str) -> int:
    """The first version committed at or after a moment."""
    wanted = as_milliseconds(as_moment(moment, zone))
    try:
        found = log.snapshot(timestamp=wanted)
    except TimestampOutOfRangeError as error:
        if error.details.get("table_version") is not None:
            raise  # after the latest version
        return list_log(latest.store, 0, None).commits[0].first_version
    return found.table_version if found.timestamp_ms >= wanted else found.table_version + 1


def read_commits(latest: Snapshot, versions: TableVersions, *, allows_gaps: bool = False) -> list[ChangeCommit]:
    """The commits of the range, in order. Raises `ChangeFeedUnavailableError` for gaps that it does not allow."""
    files = list_log(latest.store, versions.first, versions.last).commits
    expected = range(versions.first, versions.last + 1)
    gone = sorted(set(expected) - {file.last_version for file in files})
    if gone and not allows_gaps:
        raise ChangeFeedUnavailableError(
            f"The commit of version {gone[0]} is no longer in the log.",
            fix=f"Start after version {gone[-1]}.",
            details={"version": gone[0], "start": versions.first, "end": versions.last},
            delta_condition="DELTA_VERSION_NOT_FOUND",
        )
    times = increasing(file.modified_ms for file in files)
    commits = []
    for file, modified in zip(files, times, strict=True):
        actions = tuple(decode_commit(latest.store.read(file.path), file.path))
        commits.append(ChangeCommit(file.last_version, _timestamp(actions, modified), actions))
    return commits


def _timestamp(actions: Iterable[Action], modified_ms: int) -> int:
    infos = [action for action in actions if isinstance(action, CommitInfo)]
    written = infos[0].in_commit_timestamp if infos else None
    return modified_ms if written is None else written


def ensure_recorded(start: Metadata, commits: Iterable[ChangeCommit], versions: TableVersions) -> None:
    """Raises `ChangeFeedUnavailableError` where the change data feed is off in a version of the range."""
    if not _is_enabled(start):
        raise _unrecorded(versions.first, versions)
    for commit in commits:
        if any(isinstance(action, Metadata) and not _is_enabled(action) for action in commit.actions):
            raise _unrecorded(commit.table_version, versions)


def _is_enabled(metadata: Metadata) -> bool:
    return metadata.is_on(CHANGE_DATA_FEED)


def _unrecorded(table_version: int, versions: TableVersions) -> ChangeFeedUnavailableError:
    return ChangeFeedUnavailableError(
        f"Changes are asked for from version {versions.first} to version {versions.last}, "
        f"but none were recorded in version {table_version}.",
        fix=f"Ask for versions in which {CHANGE_DATA_FEED} is true.",
        details={"version": table_version, "start": versions.first, "end": versions.last, "property": CHANGE_DATA_FEED},
    )


def ensure_one_schema(
    read: Metadata, start: Metadata, commits: Iterable[ChangeCommit], versions: TableVersions
) -> None:
    """Check that columns were only added from `start` to the schema that is read.

    Raises `ChangeFeedSchemaError` for a column renamed, dropped, retyped or made non-null in between.
    """
    inside = [
        (commit.table_version, action)
        for commit in commits
        if commit.table_version > versions.first
        for action in commit.actions
        if isinstance(action, Metadata)
    ]
    for table_version, metadata in [*inside, (versions.first, start)]:
        problem = _incompatible(metadata.schema, read.schema, mapping_mode(metadata), mapping_mode(read), ())
        if problem is not None:
            raise ChangeFeedSchemaError(
                f"Changes from version {versions.first} to version {versions.last} do not fit one schema: "
                f"{problem} between version {table_version} and the schema read.",
                fix=f"Read the versions before and after the change apart; it shows from version {table_version} on.",
                details={"version": table_version, "problem": problem, "start": versions.first, "end": versions.last},
            )


def incompatibility(old: StructType, new: StructType, old_mode: str, new_mode: str) -> str | None:
    """What keeps rows of the schema `old` from being read with `new`; None where columns were only added."""
    return _incompatible(old, new, old_mode, new_mode, ())


def _incompatible(old: DataType, new: DataType, old_mode: str, new_mode: str, path: tuple[str, ...]) -> str | None:
    """What differs, where a value of `old` cannot stand in a column of `new`."""
    if isinstance(old, StructType) and isinstance(new, StructType):
        return _incompatible_fields(old, new, old_mode, new_mode, path)
    inside = both_parts(old, new)
    if inside:
        found = (_incompatible(one, other, old_mode, new_mode, (*path, name)) for name, one, other in inside)
        return next((each for each in found if each is not None), None)
    return None if old == new else f"column {'.'.join(path)} changed its type"


def _incompatible_fields(
    old: StructType, new: StructType, old_mode: str, new_mode: str, path: tuple[str, ...]
) -> str | None:
    later = {field.name: field for field in new.fields}
    for field in old.fields:
        name = ".".join((*path, field.name))
        found = later.get(field.name)
        if found is None or physical_name(found, new_mode) != physical_name(field, old_mode):
            return f"column {name} was dropped or renamed"
        if field.nullable and not found.nullable:
            return f"column {name} was made NOT NULL"
        problem = _incompatible(field.type, found.type, old_mode, new_mode, (*path, field.name))
        if problem is not None:
            return problem
    return None
