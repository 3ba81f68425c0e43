"""Check every file of a table without writing anything."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from deltaresolver.audit.scan.deep_reading import is_damage
from deltaresolver.audit.verify.data_files import FileCheck
from deltaresolver.audit.verify.log_files import problem_of_checksum, problems_of_checkpoint, problems_of_commits
from deltaresolver.audit.verify.problem import FileProblem, ProblemKind, Verification
from deltaresolver.errors import DeltaResolverError, LogError, TableNotFoundError
from deltaresolver.log.listing import list_log
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile
from deltaresolver.spark.reading.file_location import TableRoot
from deltaresolver.transaction.progress import stage

_AT_A_TIME = 8
_NONE: Mapping[str, str] = {}


def verify_table(
    location: str | os.PathLike[str], storage_options: Mapping[str, str] | None = None, *, pages: bool = False
) -> Verification:
    """Whether the table's log, checkpoints, data files and deletion vectors are there and whole.

    Commits and checkpoints are read to their end; of data files only the footers, with `pages` everything. Faults of
    the table are in the result. A storage that does not answer raises `StorageUnavailableError` or a similar error,
    and a folder without a table `TableNotFoundError`.
    """
    storage = _NONE if storage_options is None else storage_options
    store = open_store(location, storage)
    files = list_log(store)
    if files.is_empty:
        DeltaLog(store).snapshot()
        raise TableNotFoundError(f"There is no Delta table at {store.location}.", fix="Check the path.")
    with stage(f"VERIFY {store.location}: reading its log"):
        problems = list(problems_of_commits(store, files))
        for checkpoint in files.checkpoints:
            problems += problems_of_checkpoint(store, files, checkpoint)
        snapshot = _snapshot(store, problems)
    if snapshot is None:
        return Verification(
            store.location, None, tuple(problems), len(files.commits), len(files.checkpoints), reads_pages=pages
        )
    live = snapshot.files()
    listed = None if store.is_nearby else {file.path: file for file in store.list_below("")}
    check = FileCheck(store, TableRoot.of(os.fspath(location), store), storage, listed, pages)
    with stage(f"VERIFY {store.location}: looking at {len(live):,} files") as working:
        problems += _problems_of_files(check, working.each(snapshot.add_actions(), len(live)))
    return Verification(
        store.location,
        snapshot.table_version,
        tuple(problems),
        len(files.commits),
        len(files.checkpoints),
        len(live),
        len(live) - live.column("deletionVector").null_count,
        sum(size or 0 for size in live.column("size").to_pylist()),
        pages,
    )


def _snapshot(store: LogStore, problems: list[FileProblem]) -> Snapshot | None:
    """The newest version, None if it cannot be read. A checksum with other counts is added to the problems."""
    try:
        snapshot = DeltaLog(store).snapshot()
        snapshot.files()
        _ = snapshot.metadata.schema
        problem = problem_of_checksum(store, snapshot.segment)
    except DeltaResolverError as error:
        if isinstance(error, LogError) and not is_damage(error):
            raise
        problems.append(FileProblem(ProblemKind.STATE_UNREADABLE, "_delta_log", error.message))
        return None
    problems.extend(() if problem is None else (problem,))
    return snapshot


def _problems_of_files(check: FileCheck, adds: Iterable[AddFile]) -> Iterator[FileProblem]:
    """The problems in the log's order; a few files are checked at a time, so that few results wait."""
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        waiting: deque[Future[list[FileProblem]]] = deque()
        for add in adds:
            waiting.append(pool.submit(check.problems, add))
            if len(waiting) >= 2 * _AT_A_TIME:
                yield from waiting.popleft().result()
        for done in islice(waiting, None):
            yield from done.result()
