"""Auto compaction: after a write, the small files of the partitions it has written to become large ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.model.actions import AddFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.rules import read_boolean
from deltaresolver.spark.maintenance.bins import BinSizes, partition_key, size_in_bytes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.table import Table
    from deltaresolver.transaction.commit.committed import Committed

_PREFIX = "spark.databricks.delta.autoCompact."
ENABLED = _PREFIX + "enabled"
PROPERTY, OLD_PROPERTY = "delta.autoOptimize.autoCompact", "delta.autoOptimize"
MAX_FILE_SIZE, MIN_FILE_SIZE = _PREFIX + "maxFileSize", _PREFIX + "minFileSize"
MIN_FILES, MAX_PARTITIONS = _PREFIX + "minNumFiles", _PREFIX + "maxNumModifiedPartitions"
ONLY_MODIFIED, ONLY_REWRITES = _PREFIX + "modifiedPartitionsOnly.enabled", _PREFIX + "nonBlindAppend.enabled"
_MEBIBYTE = 1 << 20


@attrs.frozen(slots=True)
class AutoCompactSettings:
    """When files are written together after a write, and how large they become."""

    max_size: int = 128 * _MEBIBYTE
    min_size: int = 64 * _MEBIBYTE
    min_files: int = 50
    max_partitions: int = 128
    only_modified: bool = True
    only_rewrites: bool = False
    """Appends that have read nothing do not start it."""

    @classmethod
    def of(cls, session: Mapping[str, str]) -> AutoCompactSettings:
        """As the session sets them. Raises `PropertyInvalidError`."""
        max_size = size_in_bytes(session.get(MAX_FILE_SIZE, str(128 * _MEBIBYTE)), MAX_FILE_SIZE)
        return cls(
            max_size,
            size_in_bytes(session.get(MIN_FILE_SIZE, str(max_size // 2 or 1)), MIN_FILE_SIZE),
            _whole(session, MIN_FILES, 50),
            _whole(session, MAX_PARTITIONS, 128),
            read_boolean(ONLY_MODIFIED, session.get(ONLY_MODIFIED, "true")),
            read_boolean(ONLY_REWRITES, session.get(ONLY_REWRITES, "false")),
        )


@attrs.frozen(slots=True)
class AutoCompaction:
    """The hook that follows a write from Spark. What it fails at is logged: the write stands."""

    spark: SparkSession
    table: Table
    name: str = "Auto Compact"

    def run(self, committed: Committed) -> None:
        """Write small files together where the table or the session wants it and there are enough of them."""
        from deltaresolver.spark.maintenance.optimize import Optimize, optimize
        from deltaresolver.spark.settings.session_values import SessionValues

        adds = [action for action in committed.actions if isinstance(action, AddFile)]
        session = SessionValues(self.spark)
        if not any(add.data_change for add in adds) or not is_wanted(committed.metadata, session):
            return
        settings = AutoCompactSettings.of(session)
        if settings.only_modified and settings.only_rewrites and committed.commit_info.fields.get("isBlindAppend"):
            return
        files = [add_from_row(row) for row in iterate_rows(committed.snapshot.files())]
        chosen = chosen_partitions(files, adds, settings)
        if chosen:
            sizes = BinSizes(settings.max_size, settings.min_size)
            optimize(self.spark, self.table, Optimize(is_auto=True, sizes=sizes, partitions=chosen))

    def handle_error(self, error: Exception, table_version: int) -> None:
        """Logged already; a later write tries again."""


def is_wanted(metadata: Metadata, session: Mapping[str, str]) -> bool:
    """Whether the session wants it or, where that leaves it open, the table. Raises `PropertyInvalidError`."""
    asked = session.get(ENABLED)
    if asked is not None:
        return _is_on(ENABLED, asked.lower())
    properties = metadata.configuration
    if read_boolean(OLD_PROPERTY, properties.get(OLD_PROPERTY, "false")):
        return True
    return _is_on(PROPERTY, properties.get(PROPERTY, "false"))


def chosen_partitions(files: list[AddFile], written: list[AddFile], settings: AutoCompactSettings) -> frozenset[str]:
    """Keys of the partitions with enough small files; only of those just written to, if the settings say so."""
    small = Counter(partition_key(file) for file in files if file.size <= settings.min_size)
    enough = {key for key, count in small.items() if count >= max(settings.min_files, 2)}
    if settings.only_modified:
        enough &= {partition_key(file) for file in written}
        return frozenset(sorted(enough, key=lambda key: -small[key])[: settings.max_partitions])
    return frozenset(enough)


def _is_on(key: str, value: str) -> bool:
    if value not in ("true", "false"):
        raise PropertyInvalidError(
            f"{key} must be true or false, found {value!r}.",
            fix=f"Set {key} to true or false.",
            details={"key": key, "found": value},
            delta_condition="DELTA_INVALID_AUTO_COMPACT_TYPE",
        )
    return value == "true"


def _whole(session: Mapping[str, str], key: str, default: int) -> int:
    text = session.get(key, str(default)).strip()
    if not text.isdecimal():
        raise PropertyInvalidError(
            f"{key} must be a whole number, found {text!r}.",
            fix=f"Set {key} to a number such as {default}.",
            details={"key": key, "found": text},
        )
    return int(text)
