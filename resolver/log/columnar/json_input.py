"""Commits cut into blocks of whole lines: many small files become one block, a large file becomes several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.columnar.column_pool import column_pool
from deltaresolver.log.columnar.json_blocks import JsonBlock, TextSource, make_block
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.storage.log_store import LogStore

BLOCK_BYTES = 2 << 20
_SMALLEST_BLOCK, _LARGEST_BLOCK = 1 << 20, 6 << 20
_BLOCKS = 10
_MAX_READS = 16
"""Requests at a time to a store that is not nearby, for each thread that reads a block."""
_WORTH_ONE_READ = 1 << 16
"""Files that are longer on average are read into one piece of memory: shorter ones are joined in less time."""
MAX_LINE_BYTES = 1 << 30
"""Of one action."""
_NEWLINE = ord("\n")
MAX_FILES = 512
"""Of one block: opening small files costs more than parsing them, so threads should share that work too."""


def block_bytes_for(total: int) -> int:
    """How large blocks should be for threads that share `total` bytes.

    Every step of work on a block hands Python's lock from thread to thread, which in small blocks costs more than
    the work. But there must be blocks enough for all threads, and what is under way takes memory.
    """
    return min(max(total // _BLOCKS, _SMALLEST_BLOCK), _LARGEST_BLOCK)


def group_commits(commits: Sequence[CommitFile], block_bytes: int = BLOCK_BYTES) -> Iterator[tuple[CommitFile, ...]]:
    """Consecutive commits that make up one block each; a large commit stands alone."""
    group: list[CommitFile] = []
    size = 0
    for commit in commits:
        if group and (size + commit.size > block_bytes or len(group) == MAX_FILES):
            yield tuple(group)
            group, size = [], 0
        group.append(commit)
        size += commit.size
    if group:
        yield tuple(group)


def read_blocks(store: LogStore, group: tuple[CommitFile, ...], block_bytes: int = BLOCK_BYTES) -> Iterator[JsonBlock]:
    """The text of one group. Raises `StoredFileMissingError`."""
    if len(group) == 1 and group[0].size > 2 * block_bytes:
        yield from _cut(store, group[0].path, block_bytes)
        return
    block = _read_side_by_side(store, group) if store.is_nearby else None
    if block is not None:
        yield block
        return
    paths = [commit.path for commit in group]
    yield make_block((text, 1, path) for text, path in zip(_read_all(store, paths), paths, strict=True))


def _read_side_by_side(store: LogStore, group: tuple[CommitFile, ...]) -> JsonBlock | None:
    """The files behind each other in memory that is filled once; None where one is not as long as it was listed.

    That memory is the columns' allocator's, which gives it to the next block when this one is done with.
    """
    total = sum(commit.size for commit in group)
    if total < _WORTH_ONE_READ * len(group):
        return None
    # For each file a byte more, to see that it ends there, or for the line's end that it may lack.
    room = memoryview(pa.allocate_buffer(total + len(group), memory_pool=column_pool()))
    sources: list[TextSource] = []
    begin = 0
    for commit in group:
        sources.append(TextSource(begin, 1, commit.path))
        end = begin + commit.size
        if store.read_into(commit.path, room[begin : end + 1]) != commit.size:
            return None
        if end > begin and room[end - 1] != _NEWLINE:
            room[end] = _NEWLINE
            end += 1
        begin = end
    return JsonBlock(room[:begin], tuple(sources))


def _read_all(store: LogStore, paths: Sequence[str]) -> list[bytes]:
    if store.is_nearby or len(paths) == 1:
        return [store.read(path) for path in paths]
    with ThreadPoolExecutor(min(_MAX_READS, len(paths))) as pool:
        return list(pool.map(store.read, paths))


def _cut(store: LogStore, path: str, block_bytes: int) -> Iterator[JsonBlock]:
    """A large file in blocks, read range by range so that it is never in memory whole."""
    start, line, length = 0, 1, 0
    rest: list[bytes] = []
    while True:
        piece = store.read_range(path, start, block_bytes)
        start += len(piece)
        if len(piece) < block_bytes:
            yield make_block([(b"".join([*rest, piece]), line, path)])
            return
        end = piece.rfind(b"\n") + 1
        if end:
            data = b"".join([*rest, piece[:end]])
            yield make_block([(data, line, path)])
            line += data.count(b"\n")
            rest, length = [], 0
        # Joined once, when its end is found: a line may be as long as a file.
        rest.append(piece[end:])
        length += len(piece) - end
        if length > MAX_LINE_BYTES:
            raise _too_long(path, line)


def _too_long(path: str, line: int) -> CommitMalformedError:
    reason = f"it is longer than {MAX_LINE_BYTES:,} bytes"
    return CommitMalformedError(
        f"Line {line} of {path} cannot be used: {reason}.",
        fix=f"Find the writer that left {path} like this.",
        details={"path": path, "line": line, "reason": reason},
    )
