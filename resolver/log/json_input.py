"""Commits cut into blocks of whole lines: many small files become one block, a large file becomes several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deltaresolver.log.json_blocks import JsonBlock, make_block
from deltaresolver.log.segment import CommitFile
from deltaresolver.log.store import LogStore

BLOCK_BYTES = 2 << 20
MOST_FILES = 512
"""Of one block: opening small files costs more than parsing them, so threads should share that work too."""


def group_commits(commits: Sequence[CommitFile]) -> Iterator[tuple[CommitFile, ...]]:
    """Consecutive commits that make up one block each; a large commit stands alone."""
    group: list[CommitFile] = []
    size = 0
    for commit in commits:
        if group and (size + commit.size > BLOCK_BYTES or len(group) == MOST_FILES):
            yield tuple(group)
            group, size = [], 0
        group.append(commit)
        size += commit.size
    if group:
        yield tuple(group)


def read_blocks(store: LogStore, group: tuple[CommitFile, ...]) -> Iterator[JsonBlock]:
    """The text of one group. Raises `StoredFileMissingError`."""
    if len(group) == 1 and group[0].size > 2 * BLOCK_BYTES:
        yield from _cut(store, group[0].path)
        return
    yield make_block([(store.read(commit.path), 1, commit.path) for commit in group])


def _cut(store: LogStore, path: str) -> Iterator[JsonBlock]:
    """A large file in blocks, read range by range so that it is never in memory whole."""
    start, line, rest = 0, 1, b""
    while True:
        piece = store.read_range(path, start, BLOCK_BYTES)
        start += len(piece)
        data = rest + piece
        if len(piece) < BLOCK_BYTES:
            yield make_block([(data, line, path)])
            return
        end = data.rfind(b"\n") + 1
        if end:
            yield make_block([(data[:end], line, path)])
            line += data.count(b"\n", 0, end)
        rest = data[end:]
