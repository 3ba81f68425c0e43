"""The live files of a small log as actions, without Arrow: to load it takes longer than to read such a log.

They are those of the columnar replay, in the same order unless a commit adds a file twice.
"""

from __future__ import annotations

import attrs

from deltaresolver.log.commits import decode_commit
from deltaresolver.log.segment import LogSegment
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile, RemoveFile
from deltaresolver.model.file_key import FileKey
from deltaresolver.model.frozen import EMPTY

MAX_COMMITS = 32
MAX_BYTES = 1 << 18
"""Reading more takes longer than loading Arrow and letting it read."""


def is_small(segment: LogSegment) -> bool:
    """Whether a log is read sooner without Arrow."""
    if segment.checkpoint is not None or len(segment.commits) > MAX_COMMITS:
        return False
    return sum(commit.size for commit in segment.commits) <= MAX_BYTES


def live_files(store: LogStore, segment: LogSegment) -> list[AddFile]:
    """The live files of a segment without a checkpoint, oldest first.

    Raises `CommitMalformedError`, `StoredFileMissingError`.
    """
    live: dict[FileKey, AddFile] = {}
    for commit in segment.commits:
        for action in decode_commit(store.read(commit.path), commit.path):
            if isinstance(action, (AddFile, RemoveFile)):
                live.pop(action.key, None)
            if isinstance(action, AddFile):
                live[action.key] = action
    return [attrs.evolve(file, extra=EMPTY) for file in live.values()]
