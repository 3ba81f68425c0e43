"""Commits whose bytes hold one of some keys, in order, read ahead where waiting would cost more than reading."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from deltaresolver.log.byte_search import contains_any
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.storage.log_store import LogStore

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_LARGE = 1 << 16
"""Nearby files from this size on are read by several threads: the work is then outside Python's lock."""

_MIN_TOGETHER, _MAX_TOGETHER = 2, 16
"""Nearby files read before they are searched; few at first, as the newest often hold what is sought."""

_NEAR_WORKERS = 3
_FAR_WORKERS = 32


def iterate_matching(
    store: LogStore, commits: Sequence[CommitFile], needles: Sequence[bytes]
) -> Iterator[tuple[CommitFile, bytes]]:
    """Those of `commits` that hold one of `needles`, with their bytes, in the order given.

    A caller that stops early leaves at most a few files read in vain. Raises `StoredFileMissingError`.
    """
    if not store.is_nearby and len(commits) > 1:
        yield from _iterate_ahead(_FAR_WORKERS, store, commits, needles)
        return
    # How large files are is known once some are read: to look sizes up would cost as much as reading small ones.
    start, most = 0, _MIN_TOGETHER
    last = len(commits) - 1
    while start < last:
        chosen = commits[start : min(start + most, last)]
        texts = [store.read(commit.path) for commit in chosen]
        yield from _matching(chosen, texts, needles)
        start, most = start + len(chosen), min(2 * most, _MAX_TOGETHER)
        if len(commits) - start > 1 and sum(map(len, texts)) >= _LARGE * len(texts):
            yield from _iterate_ahead(_NEAR_WORKERS, store, commits[start:], needles)
            return
    # The last one stands alone: nearly always it is a table's first commit, which holds what is sought.
    for commit in commits[start:]:
        yield from _matching([commit], [store.read(commit.path)], needles)


def _matching(
    commits: Sequence[CommitFile], texts: Sequence[bytes], needles: Sequence[bytes]
) -> Iterator[tuple[CommitFile, bytes]]:
    """Small files are searched several at once: beginning a search costs more than going through one of them."""
    if len(texts) > 1 and sum(map(len, texts)) < _LARGE * len(texts) and not contains_any(b"\n".join(texts), needles):
        # No needle holds a line's end, so none is found where two files meet.
        return
    yield from (found for found in zip(commits, texts, strict=True) if contains_any(found[1], needles))


def _iterate_ahead(
    most: int, store: LogStore, commits: Sequence[CommitFile], needles: Sequence[bytes]
) -> Iterator[tuple[CommitFile, bytes]]:
    # Small logs nearby are read without threads, and should not wait for the import.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    workers = min(most, len(commits))
    with ThreadPoolExecutor(workers) as pool:
        yield from _iterate_in_pool(pool, store, commits, needles, 2 * workers)


def _iterate_in_pool(
    pool: ThreadPoolExecutor, store: LogStore, commits: Sequence[CommitFile], needles: Sequence[bytes], ahead: int
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
