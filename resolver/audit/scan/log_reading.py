"""Read one table's log as far as an audit needs it: one listing and the newest commits, but no list of data files.

Each commit is read once and searched for the few actions that matter; a checkpoint is opened only where no
commit has the protocol or the metadata.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import attrs

from deltaresolver.audit.scan.checkpoint_state import is_one_small_file, read_state
from deltaresolver.audit.scan.commit_search import CommitSearch, StateCommit, first_of
from deltaresolver.audit.scan.deep_reading import find_damage, find_wrong_totals, is_damage
from deltaresolver.audit.scan.held_store import HeldStore
from deltaresolver.audit.scan.local_pass import pass_over
from deltaresolver.audit.scan.observed_store import ObservedStore
from deltaresolver.audit.scan.shortcuts import checksum_problem, hint_problem, shortcut_paths
from deltaresolver.audit.scan.sidecars import find_missing_sidecars, may_have_sidecars
from deltaresolver.errors import LogError, StoredFileMissingError, TableNotFoundError
from deltaresolver.log.build_segment import choose_segment, list_until_settled
from deltaresolver.log.checksum import find_valid_checksum
from deltaresolver.log.listing import LogFiles, list_log
from deltaresolver.log.names import LAST_CHECKPOINT
from deltaresolver.log.segment import CheckpointFiles, CommitFile, LogSegment
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.model.actions import Action
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

_NO_FILES = LogFiles((), (), (), {})

_FAR_READERS = 16
_PARQUET_END = b"PAR1"


@attrs.define(slots=True)
class LogReading:
    """What the log holds, as far as it could be read; `error` is what ended the reading, if anything."""

    location: str
    store: LogStore | None = None
    """The store of the log, which has in memory what was read of checkpoints."""
    files: LogFiles = _NO_FILES
    seen: Sequence[StoredFile | CommitFile] = ()
    segment: LogSegment | None = None
    state_commits: list[StateCommit] = attrs.field(factory=list)
    """The commits with a protocol or metadata, in ascending order."""
    history_from: int | None = None
    protocol: Protocol | None = None
    metadata: Metadata | None = None
    before_first: Protocol | None = None
    """The protocol before the first of `state_commits`, where the older commits are gone and a checkpoint has it."""
    torn_files: list[str] = attrs.field(factory=list)
    missing_sidecars: list[str] = attrs.field(factory=list)
    shortcuts: dict[str, bytes] = attrs.field(factory=dict)
    held_files: dict[str, bytes] = attrs.field(factory=dict)
    """The bytes, by path, of small checkpoints, which are read whole, and of the newest small commits."""
    wrong_hint: str | None = None
    hint_dangles: bool = False
    wrong_checksum: str | None = None
    checksum_is_believed: bool = False
    saw_deletion_vector: bool = False
    saw_change_file: bool = False
    error: Exception | None = None


def read_log(store: LogStore, history_limit: int, *, deep: bool = False) -> LogReading:
    """Read the newest `history_limit` commits of the log in `store`. Never raises for a fault of the table.

    `deep`: also read every file that lists the newest version's data files, and count these.
    """
    reading = LogReading(store.location)

    def read() -> None:
        nonlocal reading
        reading = LogReading(store.location)
        reading.store = HeldStore(store, reading.held_files)
        search = CommitSearch(whole=deep)
        _list(store, reading, search, history_limit)
        _read(store, reading, search, history_limit)
        if deep and reading.segment is not None:
            _read_deeply(store, reading, reading.segment)

    try:
        list_until_settled(read)
    except Exception as error:  # noqa: BLE001 - whatever a table holds, the next one is to be audited too
        reading.error = _without_frames(error)
    return reading


def _without_frames(error: Exception) -> Exception:
    """The error and its causes without tracebacks, whose frames keep the bytes of the log in memory."""
    one: BaseException | None = error
    while one is not None and one.__traceback__ is not None:
        one.__traceback__ = None
        one = one.__cause__ or one.__context__
    return error


def _list(store: LogStore, reading: LogReading, search: CommitSearch, newest: int) -> None:
    """List the log once; on a local disk, where reading costs little more, commits are searched at the same time."""
    if isinstance(store, LocalStore):
        log = pass_over(store, search, newest)
        reading.files, reading.seen = log.files, (*log.files.commits, *log.others)
        reading.shortcuts.update(log.shortcuts)
        return
    observed = ObservedStore(store)
    reading.seen = observed.seen
    reading.files = list_log(observed)


def _read(store: LogStore, reading: LogReading, search: CommitSearch, newest: int) -> None:
    if reading.files.is_empty:
        raise TableNotFoundError(
            f"There is no Delta table at {store.location}: its _delta_log holds no commit and no checkpoint.",
            fix="Check the path; it must be the folder that contains _delta_log.",
            details={"location": store.location},
        )
    torn_checkpoints = [each for each in reading.files.checkpoints[-1:] if _is_torn(store, reading, each)]
    for each in torn_checkpoints:
        reading.torn_files.extend(each.paths)
    _read_commits(store, reading, search, newest)
    reading.segment = choose_segment(reading.files, store.location, avoid=torn_checkpoints)
    protocol = next((one.protocol for one in reversed(reading.state_commits) if one.protocol), None)
    metadata = next((one.metadata for one in reversed(reading.state_commits) if one.metadata), None)
    _check_checksum(store, reading, protocol, metadata)
    if protocol is None or metadata is None:
        # A checksum has both in a few hundred bytes; opening even a small checkpoint takes longer than all the rest.
        checksum = find_valid_checksum(store, reading.segment)
        if checksum is not None:
            protocol, metadata = protocol or checksum.protocol, metadata or checksum.metadata
    if protocol is None or metadata is None:
        older = _state_in_checkpoint(store, reading, reading.segment)
        protocol, metadata = protocol or older[0], metadata or older[1]
    reading.protocol, reading.metadata = protocol, metadata
    reading.before_first = _protocol_before(store, reading)
    _look_for_sidecars(store, reading, protocol)


def _look_for_sidecars(store: LogStore, reading: LogReading, protocol: Protocol) -> None:
    checkpoint = None if reading.segment is None else reading.segment.checkpoint
    if checkpoint is None or not may_have_sidecars(checkpoint, protocol):
        return
    try:
        reading.missing_sidecars = find_missing_sidecars(store, checkpoint)
    except LogError as error:
        _note_damage(reading, checkpoint, error)


def _note_damage(reading: LogReading, checkpoint: CheckpointFiles, error: LogError) -> None:
    if is_damage(error):
        named = error.details.get("path")
        damaged = [path for path in checkpoint.paths if path == named] or checkpoint.paths
        reading.torn_files.extend(path for path in damaged if path not in reading.torn_files)


def _check_checksum(store: LogStore, reading: LogReading, protocol: Protocol | None, metadata: Metadata | None) -> None:
    """Compare the newest version's checksum with its commits."""
    segment = reading.segment
    checksum = None if segment is None else reading.shortcuts.get(segment.checksum_path or "")
    if segment is not None and checksum is not None:
        _note_checksum(store, reading, segment, checksum_problem(checksum, protocol, metadata))


def _note_checksum(store: LogStore, reading: LogReading, segment: LogSegment, problem: str | None) -> None:
    reading.wrong_checksum = problem
    if problem is not None:
        reading.checksum_is_believed = find_valid_checksum(store, segment) is not None


def _read_deeply(store: LogStore, reading: LogReading, segment: LogSegment) -> None:
    """Read the checkpoint to its last byte and list the files. Raises `LogError` where they cannot be listed."""
    reading.torn_files.extend(path for path in find_damage(store, segment) if path not in reading.torn_files)
    if segment.checkpoint is not None and not reading.torn_files:
        held = _state_of(store, reading, segment.checkpoint)
        changed = [one for one in reading.state_commits if one.file.first_version > segment.checkpoint.table_version]
        if not changed:
            _check_checksum(store, reading, first_of(held, Protocol), first_of(held, Metadata))
    problem = find_wrong_totals(store, segment, reading.shortcuts.get(segment.checksum_path or "", b"{}"))
    if reading.wrong_checksum is None:
        _note_checksum(store, reading, segment, problem)


def _state_in_checkpoint(store: LogStore, reading: LogReading, segment: LogSegment) -> tuple[Protocol, Metadata]:
    """Protocol and metadata where commits lack one of them; from an older checkpoint if the newest is unusable."""
    if segment.checkpoint is not None:
        try:
            found = _state_of(store, reading, segment.checkpoint)
        except LogError as error:
            _note_damage(reading, segment.checkpoint, error)
        else:
            protocol, metadata = first_of(found, Protocol), first_of(found, Metadata)
            if protocol is not None and metadata is not None:
                return protocol, metadata
    snapshot = Snapshot(store, segment)
    return snapshot.protocol, snapshot.metadata


def _state_of(store: LogStore, reading: LogReading, checkpoint: CheckpointFiles) -> list[Action]:
    """The protocol and metadata actions; a small checkpoint is read only once. Raises `CheckpointUnusableError`."""
    return read_state(reading.store or store, checkpoint)


def _read_commits(store: LogStore, reading: LogReading, search: CommitSearch, newest: int) -> None:
    """Search the newest commits; an unusable one is noted, and is an error only if the current state needs it."""
    commits = reading.files.commits[-newest:]
    reading.history_from = commits[0].first_version if commits else None
    for file, data in _contents(store, _still_to_read(store, reading, commits, search)):
        if isinstance(file, CommitFile):
            search.look(file, data)
        else:
            reading.shortcuts[file.path] = data
    search.finish()
    hint = reading.shortcuts.get(LAST_CHECKPOINT)
    problem = None if hint is None else hint_problem(hint, reading.files)
    if problem is not None:
        reading.wrong_hint, reading.hint_dangles = problem
    reading.held_files.update(search.held)
    reading.torn_files.extend(search.cut_off)
    reading.state_commits = sorted(search.state_commits, key=lambda one: one.file.first_version)
    reading.saw_deletion_vector = search.saw_deletion_vector
    reading.saw_change_file = search.saw_change_file
    start = reading.files.checkpoints[-1].table_version + 1 if reading.files.checkpoints else 0
    malformed = search.problem_from(start)
    if malformed is not None:
        raise malformed


def _still_to_read(
    store: LogStore, reading: LogReading, commits: Sequence[CommitFile], search: CommitSearch
) -> list[StoredFile | CommitFile]:
    """The files not read while listing: in an object store all commits, and the two shortcuts with them."""
    found: list[StoredFile | CommitFile] = []
    if len(search.looked_at) < len(commits):
        found.extend(file for file in commits if file.path not in search.looked_at)
    if not isinstance(store, LocalStore):
        shortcuts = shortcut_paths(reading.files)
        found.extend(file for file in reading.seen if file.path in shortcuts)
    return found


def _contents(
    store: LogStore, commits: Sequence[StoredFile | CommitFile]
) -> Iterator[tuple[StoredFile | CommitFile, bytes]]:
    """Each file with its bytes, in order; a file deleted since the listing is left out."""
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


def _find(store: LogStore, file: StoredFile | CommitFile) -> bytes | None:
    try:
        return store.read(file.path)
    except StoredFileMissingError:
        return None


def _is_torn(store: LogStore, reading: LogReading, checkpoint: CheckpointFiles) -> bool:
    """Whether a Parquet file of the checkpoint does not end as one does."""
    for path, size in zip(checkpoint.paths, checkpoint.sizes, strict=True):
        if not path.endswith(".parquet"):
            continue
        if is_one_small_file(checkpoint):
            # It is usually needed next, and reading all of it costs no more than reading its end.
            reading.held_files[path] = content = store.read(path)
            end = content[-8:]
        else:
            end = store.read_range(path, -8, 8)
        if end[4:] != _PARQUET_END or int.from_bytes(end[:4], "little") > size - 12:
            return True
    return False


def _protocol_before(store: LogStore, reading: LogReading) -> Protocol | None:
    """The protocol at the checkpoint; read only where a commit after it changed the protocol, which is rare."""
    first = next((one for one in reading.state_commits if one.protocol is not None), None)
    if first is None or first.file.first_version == 0:
        return None
    earlier = [one for one in reading.files.checkpoints if one.table_version < first.file.first_version]
    if not earlier:
        return None
    try:
        return first_of(_state_of(store, reading, earlier[-1]), Protocol)
    except LogError:
        return None
