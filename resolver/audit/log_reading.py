"""Read one table's log as far as an audit needs it: one listing, the commits that are left, no file list.

Each commit is read once and searched for the few actions that matter; a checkpoint is opened only where no
commit tells the protocol or the metadata.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import attrs

from deltaresolver.audit.checkpoint_state import read_state
from deltaresolver.audit.commit_search import CommitSearch, StateCommit, first_of
from deltaresolver.audit.observed_store import ObservedStore
from deltaresolver.errors import LogError, StoredFileMissingError, TableNotFoundError
from deltaresolver.log.build_segment import choose_segment
from deltaresolver.log.checksum import find_valid_checksum
from deltaresolver.log.listing import LogFiles, list_log
from deltaresolver.log.segment import CheckpointFiles, CommitFile, LogSegment
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

_NO_FILES = LogFiles((), (), (), {})

_FAR_READERS = 16
_PARQUET_END = b"PAR1"


@attrs.define(slots=True)
class LogReading:
    """What was found, filled in as far as the log could be read; `error` says why no further."""

    location: str
    files: LogFiles = _NO_FILES
    seen: Sequence[StoredFile] = ()
    segment: LogSegment | None = None
    state_commits: list[StateCommit] = attrs.field(factory=list)
    """Ascending."""
    history_from: int | None = None
    protocol: Protocol | None = None
    metadata: Metadata | None = None
    before_first: Protocol | None = None
    """The protocol before the first of `state_commits`, where the older commits are gone and a checkpoint tells."""
    torn_files: list[str] = attrs.field(factory=list)
    saw_deletion_vector: bool = False
    saw_change_file: bool = False
    error: Exception | None = None


def read_log(store: LogStore, history_limit: int) -> LogReading:
    """Read the log in `store`, the newest `history_limit` commits of it. Never raises what is wrong with the table."""
    observed = ObservedStore(store, CommitSearch(), history_limit)
    reading = LogReading(store.location)
    try:
        reading.files = list_log(observed)
        reading.seen = observed.seen
        _read(observed, reading)
    except Exception as error:  # noqa: BLE001 - whatever a table holds, the next one is to be audited too
        reading.error = error
        reading.seen = observed.seen
    return reading


def _read(store: ObservedStore, reading: LogReading) -> None:
    if reading.files.is_empty:
        raise TableNotFoundError(
            f"There is no Delta table at {store.location}: its _delta_log holds no commit and no checkpoint.",
            fix="Check the path; it must be the folder that contains _delta_log.",
            details={"location": store.location},
        )
    torn_checkpoints = [each for each in reading.files.checkpoints[-1:] if _is_torn(store, each)]
    for each in torn_checkpoints:
        reading.torn_files.extend(each.paths)
    _read_commits(store, reading)
    reading.segment = choose_segment(reading.files, store.location, avoid=torn_checkpoints)
    protocol = next((one.protocol for one in reversed(reading.state_commits) if one.protocol), None)
    metadata = next((one.metadata for one in reversed(reading.state_commits) if one.metadata), None)
    if protocol is None or metadata is None:
        # A checksum holds both in a few hundred bytes; opening the smallest checkpoint takes longer than all the rest.
        checksum = find_valid_checksum(store.inner, reading.segment)
        if checksum is not None:
            protocol, metadata = protocol or checksum.protocol, metadata or checksum.metadata
    if protocol is None or metadata is None:
        older = _state_in_checkpoint(store.inner, reading.segment)
        protocol, metadata = protocol or older[0], metadata or older[1]
    reading.protocol, reading.metadata = protocol, metadata
    reading.before_first = _protocol_before(store, reading)


def _state_in_checkpoint(store: LogStore, segment: LogSegment) -> tuple[Protocol, Metadata]:
    """What the commits, all searched already, do not tell; from an older checkpoint where the newest is unusable."""
    if segment.checkpoint is not None:
        with contextlib.suppress(LogError):
            found = read_state(store, segment.checkpoint)
            protocol, metadata = first_of(found, Protocol), first_of(found, Metadata)
            if protocol is not None and metadata is not None:
                return protocol, metadata
    snapshot = Snapshot(store, segment)
    return snapshot.protocol, snapshot.metadata


def _read_commits(store: ObservedStore, reading: LogReading) -> None:
    """Search the newest commits; one that cannot be used is noted, and only the current state depends on it."""
    search, commits = store.search, reading.files.commits[-store.newest :]
    reading.history_from = commits[0].first_version if commits else None
    for file, data in _contents(store, [file for file in commits if file.path not in search.looked_at]):
        search.look(file, file.first_version, data)
    reading.torn_files.extend(search.cut_off)
    reading.state_commits = sorted(search.state_commits, key=lambda one: one.file.first_version)
    reading.saw_deletion_vector = search.saw_deletion_vector
    reading.saw_change_file = search.saw_change_file
    start = reading.files.checkpoints[-1].table_version + 1 if reading.files.checkpoints else 0
    problem = search.problem_from(start)
    if problem is not None:
        raise problem


def _contents(store: ObservedStore, commits: Sequence[CommitFile]) -> Iterator[tuple[CommitFile, bytes]]:
    """Each commit with its bytes, in order; one deleted meanwhile is left out."""
    if len(commits) < 2:
        for file in commits:
            data = _find(store, file)
            if data is not None:
                yield file, data
        return
    with ThreadPoolExecutor(min(_FAR_READERS, len(commits))) as pool:
        rest = iter(commits)
        while part := list(islice(rest, 4 * _FAR_READERS)):
            for file, data in zip(part, pool.map(lambda one: _find(store, one), part), strict=True):
                if data is not None:
                    yield file, data


def _find(store: LogStore, file: CommitFile) -> bytes | None:
    try:
        return store.read(file.path)
    except StoredFileMissingError:
        return None


def _is_torn(store: LogStore, checkpoint: CheckpointFiles) -> bool:
    """Whether a Parquet file of the checkpoint does not end as one does."""
    for path, size in zip(checkpoint.paths, checkpoint.sizes, strict=True):
        if not path.endswith(".parquet"):
            continue
        end = store.read_range(path, -8, 8)
        if end[4:] != _PARQUET_END or int.from_bytes(end[:4], "little") > size - 12:
            return True
    return False


def _protocol_before(store: ObservedStore, reading: LogReading) -> Protocol | None:
    """Read from a checkpoint only where a commit after it changed the protocol, which few do."""
    first = next((one for one in reading.state_commits if one.protocol is not None), None)
    if first is None or first.file.first_version == 0:
        return None
    earlier = [one for one in reading.files.checkpoints if one.table_version < first.file.first_version]
    if not earlier:
        return None
    try:
        return first_of(read_state(store.inner, earlier[-1]), Protocol)
    except LogError:
        return None
