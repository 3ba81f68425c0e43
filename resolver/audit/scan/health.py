"""The health of a table's log, from its listing and its newest commits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deltaresolver.audit.scan.log_reading import LogReading
from deltaresolver.errors import PropertyInvalidError
from deltaresolver.log.names import LAST_CHECKPOINT, NameKind, checkpoint_part_paths, parse_log_path
from deltaresolver.log.upkeep.retention import (
    LOG_RETENTION,
    TOMBSTONE_RETENTION,
    log_retention_ms,
    tombstone_retention_ms,
)
from deltaresolver.log.upkeep.settings import (
    CHECKPOINT_INTERVAL,
    CHECKPOINT_POLICY,
    checkpoint_interval,
    checkpoint_policy,
)
from deltaresolver.model.audit_table import ConflictingProperty, Health
from deltaresolver.model.facts.columns import UNMAPPED
from deltaresolver.model.facts.keys import MAPPING_MODE, MAX_COLUMN_ID, TIMESTAMPS_SINCE_TIME, TIMESTAMPS_SINCE_VERSION
from deltaresolver.model.metadata import Metadata
from deltaresolver.resolution.instructions import is_instruction

MAX_LISTED = 100
_DOTS_OF_A_PART = checkpoint_part_paths(0, 1)[0].count(".")


def health_of(reading: LogReading) -> Health:
    """Everything known about the log's health, also where only part of it could be read."""
    files, metadata = reading.files, reading.metadata
    checkpoint = files.checkpoints[-1] if files.checkpoints else None
    newest = files.commits[-1] if files.commits else None
    properties: Mapping[str, str] = {} if metadata is None else metadata.configuration
    gaps = tuple(_gaps(reading))
    since = -1 if checkpoint is None else checkpoint.table_version
    return Health(
        commits=len(files.commits),
        commit_bytes=sum(commit.size for commit in files.commits),
        log_files=len(reading.seen),
        first_version=files.commits[0].first_version if files.commits else None,
        checkpoint_version=None if checkpoint is None else checkpoint.table_version,
        checkpoint_kind="none" if checkpoint is None else checkpoint.kind.value,
        checkpoint_ms=None if checkpoint is None else checkpoint.modified_ms,
        commits_since_checkpoint=sum(commit.first_version > since for commit in files.commits),
        gaps=gaps,
        torn_files=tuple(sorted({*reading.torn_files, *_empty_files(reading)})[:MAX_LISTED]),
        incomplete_checkpoints=tuple(_incomplete_checkpoints(reading)),
        missing_sidecars=tuple(reading.missing_sidecars[:MAX_LISTED]),
        has_checksum=newest is not None and newest.last_version in files.checksums,
        last_commit_ms=None if newest is None else newest.modified_ms,
        log_retention=properties.get(LOG_RETENTION),
        deleted_file_retention=properties.get(TOMBSTONE_RETENTION),
        conflicting_properties=() if metadata is None else tuple(_conflicts(metadata)),
        compactions_over_gaps=_over(gaps, reading) if gaps else (),
        wrong_hint=reading.wrong_hint,
        hint_dangles=reading.hint_dangles,
        wrong_checksum=reading.wrong_checksum,
        checksum_is_believed=reading.checksum_is_believed,
    )


def _gaps(reading: LogReading) -> Iterator[int]:
    """Versions missing between commits, or between the newest checkpoint and the first commit after it."""
    commits = reading.files.commits
    if not commits or commits[-1].last_version - commits[0].first_version + 1 == len(commits):
        return
    expected, told = commits[0].first_version, 0
    for commit in commits:
        for missing in range(expected, commit.first_version):
            told += 1
            if told > MAX_LISTED:
                return
            yield missing
        expected = commit.last_version + 1


def _over(gaps: Sequence[int], reading: LogReading) -> tuple[str, ...]:
    covering = (
        file.path
        for file in reading.files.compactions
        if any(file.first_version <= gap <= file.last_version for gap in gaps)
    )
    return tuple(covering)[:MAX_LISTED]


def _empty_files(reading: LogReading) -> Iterator[str]:
    for file in reading.seen:
        # Another rule reports an empty `_last_checkpoint`.
        if file.size == 0 and file.path != LAST_CHECKPOINT and parse_log_path(file.path) is not None:
            yield file.path


def _incomplete_checkpoints(reading: LogReading) -> list[int]:
    """Versions with some parts of a checkpoint but no complete checkpoint."""
    whole = {each.table_version for each in reading.files.checkpoints}
    partly = set()
    for file in reading.seen:
        # A quick test before parsing the name: that of a part has two numbers more than others.
        is_candidate = ".checkpoint." in file.path and file.path.count(".") == _DOTS_OF_A_PART
        name = parse_log_path(file.path) if is_candidate else None
        if name is not None and name.kind is NameKind.CHECKPOINT_PART:
            partly.add(name.table_version)
    return sorted(partly - whole)[:MAX_LISTED]


def _conflicts(metadata: Metadata) -> Iterator[ConflictingProperty]:
    properties = metadata.configuration
    for key, value in sorted(properties.items()):
        if is_instruction(key):
            problem = "it is an instruction to a command and means nothing in a table's metadata"
            yield ConflictingProperty(key, value, problem)
    for key, read in (
        (LOG_RETENTION, log_retention_ms),
        (TOMBSTONE_RETENTION, tombstone_retention_ms),
        (CHECKPOINT_INTERVAL, checkpoint_interval),
        (CHECKPOINT_POLICY, checkpoint_policy),
    ):
        if key in properties:
            try:
                read(metadata)
            except PropertyInvalidError as error:
                yield ConflictingProperty(key, properties[key], error.message.rstrip("."))
    if properties.get(MAPPING_MODE, UNMAPPED).lower() != UNMAPPED and MAX_COLUMN_ID not in properties:
        yield ConflictingProperty(MAPPING_MODE, properties[MAPPING_MODE], f"{MAX_COLUMN_ID} is missing beside it")
    if (TIMESTAMPS_SINCE_VERSION in properties) is not (TIMESTAMPS_SINCE_TIME in properties):
        key, other = sorted((TIMESTAMPS_SINCE_VERSION, TIMESTAMPS_SINCE_TIME), key=lambda one: one not in properties)
        yield ConflictingProperty(key, properties[key], f"{other} is missing beside it")
