"""Commits whose bytes hold one of some keys, in order, read ahead where waiting would cost more than reading."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from deltaresolver.log.byte_search import contains_any
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.memory_store import MemoryStore

_LARGE = 1 << 16
"""Nearby files from this size on are read by several threads: the work is then outside Python's lock."""

_FEWEST_TOGETHER, _MOST_TOGETHER = 2, 16
"""Nearby files read before they are searched; few at first, as the newest often hold what is sought."""

_NEAR_WORKERS = 3
_FAR_WORKERS = 32


def iterate_matching(
    store: LogStore, commits: Sequence[CommitFile], needles: Sequence[bytes]
) -> Iterator[tuple[CommitFile, bytes]]:
    """Those of `commits` that hold one of `needles`, with their bytes, in the order given.

    A caller that stops early leaves at most a few files read in vain. Raises `StoredFileMissingError`.
    """
    workers = _workers(store, commits)
    if workers == 1:
        yield from _iterate_together(store, commits, needles)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from _iterate_ahead(pool, store, commits, needles, 2 * workers)


def _iterate_together(
    store: LogStore, commits: Sequence[CommitFile], needles: Sequence[bytes]
) -> Iterator[tuple[CommitFile, bytes]]:
    """Small files are searched several at once: beginning a search costs more than going through one of them."""
    last = len(commits) - 1
    start, most = 0, _FEWEST_TOGETHER
    while start < last:
        chosen = commits[start : min(start + most, last)]
        texts = [store.read(commit.path) for commit in chosen]
        # No needle holds a line's end, so none is found where two files meet.
        if contains_any(b"\n".join(texts), needles):
            yield from (found for found in zip(chosen, texts, strict=True) if contains_any(found[1], needles))
        start, most = start + most, min(2 * most, _MOST_TOGETHER)
    # The last one stands alone: nearly always it is a table's first commit, which holds what is sought.
    for commit in commits[last:]:
        data = store.read(commit.path)
        if contains_any(data, needles):
            yield commit, data


def _workers(store: LogStore, commits: Sequence[CommitFile]) -> int:
    if len(commits) < 2:
        return 1
    if not isinstance(store, LocalStore | MemoryStore):
        return min(_FAR_WORKERS, len(commits))
    large = sum(commit.size for commit in commits) >= _LARGE * len(commits)
    return min(_NEAR_WORKERS, len(commits)) if large else 1


def _iterate_ahead(
    pool: ThreadPoolExecutor,
    store: LogStore,
    commits: Sequence[CommitFile],
    needles: Sequence[bytes],
    ahead: int,
) -> Iterator[tuple[CommitFile, bytes]]:
    def read(commit: CommitFile) -> bytes | None:
        data = store.read(commit.path)
        return data if contains_any(data, needles) else None

    waiting = iter(commits)
    jobs: deque[tuple[CommitFile, Future[bytes | None]]] = deque(
        (commit, pool.submit(read, commit)) for commit in islice(waiting, ahead)
    )
    try:
        while jobs:
            commit, job = jobs.popleft()
            data = job.result()
            following = next(waiting, None)
            if following is not None:
                jobs.append((following, pool.submit(read, following)))
            if data is not None:
                yield commit, data
    finally:
        for _, job in jobs:
            job.cancel()
