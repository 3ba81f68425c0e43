"""Read one table's log as far as an audit needs it: one listing, the commits that are left, no file list.

Each commit is read once and searched for the few actions that matter; a checkpoint is opened only where no
commit tells the protocol or the metadata.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

import attrs
import msgspec

from deltaresolver.audit.checkpoint_state import read_state
from deltaresolver.audit.observed_store import ObservedStore
from deltaresolver.errors import CommitMalformedError, LogError, StoredFileMissingError, TableNotFoundError
from deltaresolver.log.build_segment import choose_segment
from deltaresolver.log.checksum import find_valid_checksum
from deltaresolver.log.find_actions import find_actions, key_of
from deltaresolver.log.listing import LogFiles, list_log
from deltaresolver.log.segment import CheckpointFiles, CommitFile, LogSegment
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.model.actions import Action, CommitInfo
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

T = TypeVar("T")
_NO_FILES = LogFiles((), (), (), {})

_PROTOCOL, _METADATA = key_of("protocol"), key_of("metaData")
_DELETION_VECTOR = b'"deletionVector":{'
_CHANGE_FILE = b'{"cdc":'
_FAR_READERS = 16
_PARQUET_END = b"PAR1"
_line_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])


@attrs.frozen(slots=True)
class StateCommit:
    """A commit that set the protocol, the metadata, or both."""

    file: CommitFile
    info: CommitInfo
    protocol: Protocol | None
    metadata: Metadata | None


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
    observed = ObservedStore(store)
    reading = LogReading(store.location)
    try:
        reading.files = list_log(observed)
        reading.seen = observed.seen
        _read(observed, reading, history_limit)
    except Exception as error:  # noqa: BLE001 - whatever a table holds, the next one is to be audited too
        reading.error = error
        reading.seen = observed.seen
    return reading


def _read(store: ObservedStore, reading: LogReading, history_limit: int) -> None:
    if reading.files.is_empty:
        raise TableNotFoundError(
            f"There is no Delta table at {store.location}: its _delta_log holds no commit and no checkpoint.",
            fix="Check the path; it must be the folder that contains _delta_log.",
            details={"location": store.location},
        )
    torn_checkpoints = [each for each in reading.files.checkpoints[-1:] if _is_torn(store, each)]
    for each in torn_checkpoints:
        reading.torn_files.extend(each.paths)
    _read_commits(store, reading, history_limit)
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
            protocol, metadata = _first(found, Protocol), _first(found, Metadata)
            if protocol is not None and metadata is not None:
                return protocol, metadata
    snapshot = Snapshot(store, segment)
    return snapshot.protocol, snapshot.metadata


def _read_commits(store: ObservedStore, reading: LogReading, history_limit: int) -> None:
    """Search the newest commits; one that cannot be used is noted, and only the current state depends on it."""
    commits = reading.files.commits[-history_limit:]
    reading.history_from = commits[0].first_version if commits else None
    start = reading.files.checkpoints[-1].table_version + 1 if reading.files.checkpoints else 0
    failed: Exception | None = None
    for file, data in _contents(store, commits):
        if _is_cut_off(data):
            reading.torn_files.append(file.path)
        reading.saw_deletion_vector = reading.saw_deletion_vector or _DELETION_VECTOR in data
        reading.saw_change_file = reading.saw_change_file or _CHANGE_FILE in data
        try:
            found = _state_commit(file, data)
        except CommitMalformedError as error:
            failed = error if file.first_version >= start else failed
            if file.path not in reading.torn_files:
                reading.torn_files.append(file.path)
            continue
        if found is not None:
            reading.state_commits.append(found)
    torn = set(reading.torn_files)
    needed = next((file for file in commits if file.path in torn and file.first_version >= start), None)
    if failed is None and needed is not None:
        failed = _cut_off(needed)
    if failed is not None:
        raise failed


def _contents(store: ObservedStore, commits: Sequence[CommitFile]) -> Iterator[tuple[CommitFile, bytes]]:
    """Each commit with its bytes, in order; one deleted meanwhile is left out."""
    if isinstance(store.inner, LocalStore) or len(commits) < 2:
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


def _state_commit(file: CommitFile, data: bytes) -> StateCommit | None:
    if _PROTOCOL not in data and _METADATA not in data:
        return None
    found = find_actions(data, ("protocol", "metaData"), file.path)
    if not found:
        return None
    info = _first(find_actions(data, ("commitInfo",), file.path).get("commitInfo"), CommitInfo)
    return StateCommit(
        file, info or CommitInfo(), _first(found.get("protocol"), Protocol), _first(found.get("metaData"), Metadata)
    )


def _first(actions: list[Action] | None, kind: type[T]) -> T | None:
    return next((action for action in actions or () if isinstance(action, kind)), None)


def _is_cut_off(data: bytes) -> bool:
    """Whether the last line is no JSON object: what is left when a writer without atomic puts dies."""
    end = len(data.rstrip())
    last = data[data.rfind(b"\n", 0, end) + 1 : end]
    try:
        _line_decoder.decode(last)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True
    return False


def _cut_off(file: CommitFile) -> CommitMalformedError:
    return CommitMalformedError(
        f"{file.path} cannot be used: it is cut off.",
        fix=f"Restore {file.path} from a backup, or find the writer that left it like this.",
        details={"path": file.path},
    )


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
        return _first(read_state(store.inner, earlier[-1]), Protocol)
    except LogError:
        return None
