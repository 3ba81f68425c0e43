"""The live files of a small log counted by kind: of a commit's lines only the last ones that count become actions.

An audit asks this of every table whose files can matter to advice, and most logs are small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import attrs
import msgspec

from deltaresolver.log.commits import decode_action, decode_line, numbered_lines
from deltaresolver.log.segment import CheckpointKind, CommitFile, LogSegment
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile
from deltaresolver.model.file_key import FileKey, canonical_path, deletion_vector_id
from deltaresolver.model.frozen import EMPTY
from deltaresolver.value import Value

MAX_COMMITS = 64
MAX_BYTES = 1 << 18
"""Of larger commits Arrow makes columns sooner than this makes objects."""
MAX_CHECKPOINT_BYTES = 1 << 18


@attrs.frozen(slots=True)
class FileKind(Value):
    """The files of one kind: how many, how large together, and the first of them, without its statistics."""

    is_marked: bool
    has_row_ids: bool
    files: int
    size: int
    first: AddFile


class _Vector(msgspec.Struct, rename="camel"):
    storage_type: str
    path_or_inline_dv: str
    offset: int | None = None
    size_in_bytes: int | None = None
    cardinality: int | None = None


class _File(msgspec.Struct, rename="camel"):
    path: str
    partition_values: dict[str, str | None] | None = None
    size: int | None = None
    modification_time: int = 0
    data_change: bool = True
    tags: dict[str, str | None] | None = None
    deletion_vector: _Vector | None = None
    base_row_id: int | None = None
    default_row_commit_version: int | None = None
    clustering_provider: str | None = None


class _Line(msgspec.Struct):
    add: _File | None = None
    remove: _File | None = None


class LiveFile(NamedTuple):
    """What is counted of a file; `whole` makes the action, and raises `CommitMalformedError` or `LogCorruptError`."""

    key: FileKey
    size: int
    is_marked: bool
    has_row_ids: bool
    whole: Callable[[], AddFile]


_decode = msgspec.json.Decoder(_Line).decode


def may_be_few(segment: LogSegment) -> bool:
    """Whether a log is so small that its files are counted sooner one by one."""
    checkpoint, commits = segment.checkpoint, segment.commits
    if len(commits) > MAX_COMMITS or sum(commit.size for commit in commits) > MAX_BYTES:
        return False
    if checkpoint is None:
        return True
    return checkpoint.kind is CheckpointKind.CLASSIC and checkpoint.sizes[0] <= MAX_CHECKPOINT_BYTES


def count_few(store: LogStore, segment: LogSegment) -> list[FileKind] | None:
    """The kinds of live files of a small log, in the order of kinds; None where something is not as it should be.

    Raises what the store raises, and `CommitMalformedError`.
    """
    live: dict[FileKey, LiveFile] = {}
    if segment.checkpoint is not None:
        from deltaresolver.log.checkpoint.few_rows import files_of_checkpoint  # noqa: PLC0415 - loads Arrow

        found = files_of_checkpoint(store, segment.checkpoint)
        if found is None:
            return None
        live.update((file.key, file) for file in found)
    try:
        for commit in segment.commits:
            for key, file in _changes(commit, store.read(commit.path)):
                live.pop(key, None)
                if file is not None:
                    live[key] = file
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return _counted(live.values())


def _changes(commit: CommitFile, data: bytes) -> Iterator[tuple[FileKey, LiveFile | None]]:
    """The files that a commit adds and removes, in the order of its lines."""
    for number, line in numbered_lines(data):
        told = _decode(line)
        if told.remove is not None:
            yield _key(told.remove), None
        if (add := told.add) is not None:
            key = _key(add)
            marked, numbered = add.deletion_vector is not None, add.base_row_id is not None
            whole = partial(_add_of_line, line, commit.path, number)
            yield key, LiveFile(key, add.size or 0, marked, numbered, whole)


def _add_of_line(line: bytes, path: str, number: int) -> AddFile:
    action = decode_action("add", decode_line(line, path, number)["add"], path, number)
    assert isinstance(action, AddFile)
    return attrs.evolve(action, stats=None, extra=EMPTY)


def _key(file: _File) -> FileKey:
    vector = file.deletion_vector
    if vector is None:
        return canonical_path(file.path), None
    unique = deletion_vector_id(vector.storage_type, vector.path_or_inline_dv, vector.offset)
    return canonical_path(file.path), unique


def _counted(live: Iterable[LiveFile]) -> list[FileKind]:
    kinds: dict[tuple[bool, bool], list[LiveFile]] = {}
    for file in live:
        kinds.setdefault((file.is_marked, file.has_row_ids), []).append(file)
    return [
        FileKind(*kind, len(files), sum(file.size for file in files), files[0].whole())
        for kind, files in sorted(kinds.items())
    ]
