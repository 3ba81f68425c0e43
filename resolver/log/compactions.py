"""Which log compaction files may stand in for the commits they cover.

A compaction must be reconciled: one action per logical file. Some in the wild are not; they hold an add
and a remove of the same file, in no meaningful order. Those are passed over, the commits say it better.
"""

from __future__ import annotations

import msgspec

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.commits import numbered_lines
from deltaresolver.log.segment import CommitFile, LogSegment
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.file_key import FileKey, canonical_path, deletion_vector_id


class _Vector(msgspec.Struct, rename="camel"):
    storage_type: str
    path_or_inline_dv: str
    offset: int | None = None


class _File(msgspec.Struct, rename="camel"):
    path: str
    deletion_vector: _Vector | None = None


class _Line(msgspec.Struct):
    add: _File | None = None
    remove: _File | None = None


_decoder = msgspec.json.Decoder(_Line)


def prefer_compactions(store: LogStore, segment: LogSegment) -> LogSegment:
    """The same version through those compactions that are smaller than what they replace, and sound."""
    usable = [file for file in segment.compactions if _saves_bytes(segment, file) and is_reconciled(store, file)]
    return segment.with_compactions(usable)


def _saves_bytes(segment: LogSegment, file: CommitFile) -> bool:
    covered = [
        commit.size
        for commit in segment.commits
        if file.first_version <= commit.first_version and commit.last_version <= file.last_version
    ]
    return file.size <= sum(covered)


def is_reconciled(store: LogStore, file: CommitFile) -> bool:
    """Whether every line is JSON and no logical file has two actions."""
    seen: set[FileKey] = set()
    try:
        for _, line in numbered_lines(store.read(file.path)):
            action = _decoder.decode(line)
            for found in (action.add, action.remove):
                if found is None:
                    continue
                key = _key(found)
                if key in seen:
                    return False
                seen.add(key)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, CommitMalformedError):
        return False
    return True


def _key(file: _File) -> FileKey:
    vector = file.deletion_vector
    if vector is None:
        return canonical_path(file.path), None
    return canonical_path(file.path), deletion_vector_id(vector.storage_type, vector.path_or_inline_dv, vector.offset)
