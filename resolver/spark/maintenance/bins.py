"""Which files OPTIMIZE writes together: small ones of one partition, as many as make up one file of the size wanted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.model.actions import AddFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.changes.live_records import physical_records

_PREFIX = "spark.databricks.delta.optimize."
MAX_FILE_SIZE, MIN_FILE_SIZE = _PREFIX + "maxFileSize", _PREFIX + "minFileSize"
MAX_DELETED_ROWS_RATIO = _PREFIX + "maxDeletedRowsRatio"
TARGET_FILE_SIZE = "delta.targetFileSize"
GIBIBYTE = 1 << 30
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}


@attrs.frozen(slots=True)
class BinSizes:
    """How large files are to become, and which are left as they are.

    max_size           of the files that are written together
    min_size           files of this size and more are left alone
    max_deleted_ratio  but for those of whose rows a larger part is deleted
    """

    max_size: int = GIBIBYTE
    min_size: int = GIBIBYTE
    max_deleted_ratio: float = 0.05

    @classmethod
    def of(cls, metadata: Metadata, session: Mapping[str, str]) -> BinSizes:
        """As the session sets it, else the table, else a gibibyte. Raises `PropertyInvalidError`."""
        of_table = metadata.configuration.get(TARGET_FILE_SIZE)
        default = GIBIBYTE if of_table is None else size_in_bytes(of_table, TARGET_FILE_SIZE)
        max_size = size_in_bytes(session.get(MAX_FILE_SIZE, str(default)), MAX_FILE_SIZE)
        min_size = size_in_bytes(session.get(MIN_FILE_SIZE, str(default)), MIN_FILE_SIZE)
        return cls(max_size, min_size, float(session.get(MAX_DELETED_ROWS_RATIO, "0.05")))

    def bins(self, files: Iterable[AddFile]) -> list[tuple[AddFile, ...]]:
        """Groups of at least two files of one partition."""
        chosen = (file for file in files if file.size < self.min_size or self._has_many_deleted(file))
        return [group for group in self.groups(chosen) if len(group) > 1]

    def groups(self, files: Iterable[AddFile]) -> list[tuple[AddFile, ...]]:
        """All of the files in groups of one partition, each for one file."""
        return [group for found in by_partition(files) for group in self._packed(found)]

    def _has_many_deleted(self, file: AddFile) -> bool:
        if file.deletion_vector is None:
            return False
        records = physical_records(file)
        return not records or file.deletion_vector.cardinality / records > self.max_deleted_ratio

    def _packed(self, files: Sequence[AddFile]) -> Iterator[tuple[AddFile, ...]]:
        group: list[AddFile] = []
        size = 0
        for file in sorted(files, key=lambda each: each.size):
            if group and size + file.size > self.max_size:
                yield tuple(group)
                group, size = [], 0
            group.append(file)
            size += file.size
        if group:
            yield tuple(group)


def by_partition(files: Iterable[AddFile]) -> list[tuple[AddFile, ...]]:
    """The files of each partition."""
    partitions: dict[str, list[AddFile]] = {}
    for file in files:
        partitions.setdefault(partition_key(file), []).append(file)
    return [tuple(found) for found in partitions.values()]


def partition_key(file: AddFile) -> str:
    """The same text for all files of a partition."""
    return json.dumps(sorted((name, value or None) for name, value in file.partition_values.items()))


def size_in_bytes(text: str, key: str) -> int:
    """A size such as `104857600` or `100mb`. Raises `PropertyInvalidError` naming the `key`."""
    digits = str(text).strip().lower()
    unit = digits.lstrip("0123456789").strip()
    number = digits.removesuffix(unit).strip()
    if not number.isdecimal() or int(number) == 0 or unit not in _UNITS:
        raise PropertyInvalidError(
            f"{key} must be a size in bytes, found {text!r}.",
            fix=f"Set {key} to something like 134217728 or 128mb.",
            details={"key": key, "found": str(text)},
        )
    return int(number) * _UNITS[unit]
