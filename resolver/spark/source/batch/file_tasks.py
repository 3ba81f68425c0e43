"""A read cut into tasks: which parts of which files one task reads. Everything here travels to worker processes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

import attrs
import pyarrow as pa

from deltaresolver.log.columnar.file_rows import add_from_row
from deltaresolver.model.actions import AddFile, DeletionVector

MAX_BYTES = 128 << 20
_OPENING_COSTS = 4 << 20
MAX_PARTITION_BYTES = "spark.sql.files.maxPartitionBytes"


@attrs.frozen(slots=True)
class FilePart:
    """The row groups of a file that begin in `start` to `end` (bytes), and what the log knows of the file."""

    path: str
    size: int
    start: int
    end: int
    partition_values: Mapping[str, str | None] = attrs.field(factory=dict, hash=False)
    deletion_vector: DeletionVector | None = None
    constants: Mapping[str, str | None] = attrs.field(factory=dict, hash=False)
    """Values of columns beside the table's: what a change is and when it was made."""
    only: bytes | None = None
    """If given, positions (64 bits each) of the only rows wanted."""
    base_row_id: int | None = None
    default_row_commit_version: int | None = None


@attrs.frozen(slots=True)
class FileTask:
    """What one task reads."""

    parts: tuple[FilePart, ...]


def part_of(add: AddFile) -> FilePart:
    """A whole file."""
    return FilePart(
        add.path,
        add.size,
        0,
        max(add.size, 1),
        add.partition_values,
        add.deletion_vector,
        base_row_id=add.base_row_id,
        default_row_commit_version=add.default_row_commit_version,
    )


def parts_of_files(files: pa.Table) -> list[FilePart]:
    """Whole files of a table shaped `arrow_schema.ADD_FILES`."""
    return [part_of(add_from_row(row)) for row in files.to_pylist()]


def plan_tasks(parts: Sequence[FilePart], settings: Mapping[str, str]) -> list[FileTask]:
    """The parts cut where they are large and put together where they are small, as Spark does for its own files."""
    limit = _as_bytes(settings.get(MAX_PARTITION_BYTES), MAX_BYTES)
    total = sum(part.size + _OPENING_COSTS for part in parts)
    share = total // max(2 * (os.cpu_count() or 1), 1)
    size = min(limit, max(_OPENING_COSTS, share))
    pieces = sorted((piece for part in parts for piece in _cut(part, size)), key=_length, reverse=True)
    tasks: list[FileTask] = []
    current: list[FilePart] = []
    filled = 0
    for piece in pieces:
        if current and filled + _length(piece) > size:
            tasks.append(FileTask(tuple(current)))
            current, filled = [], 0
        current.append(piece)
        filled += _length(piece) + _OPENING_COSTS
    if current:
        tasks.append(FileTask(tuple(current)))
    return tasks


def _length(part: FilePart) -> int:
    return part.end - part.start


def _cut(part: FilePart, size: int) -> Iterable[FilePart]:
    for start in range(part.start, part.end, size):
        yield attrs.evolve(part, start=start, end=min(start + size, part.end))


def _as_bytes(text: str | None, otherwise: int) -> int:
    digits = (text or "").lower().removesuffix("b")
    return int(digits) if digits.isdecimal() and int(digits) > 0 else otherwise
