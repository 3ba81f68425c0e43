"""Rows into data files by Spark's own Parquet writer, and the actions that add them to the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.model.actions import AddFile, ChangeFile
from deltaresolver.model.schema import DataType
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.writing.data_folder import DataFolder, WrittenFile
from deltaresolver.spark.writing.partition_values import log_values
from deltaresolver.spark.writing.row_balance import CHECKED_ROWS, ensure_all_written
from deltaresolver.spark.writing.row_count import ROWS, RowCount
from deltaresolver.spark.writing.statistics.file_statistics import StatisticsShape
from deltaresolver.spark.writing.statistics.footers import FooterReading, read_statistics, record_count
from deltaresolver.spark.writing.void_columns import without_voids

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

PARQUET_OPTIONS: Mapping[str, str] = {
    # The older 96-bit form carries no statistics.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Shredded variants are a table feature of their own.
    "spark.sql.variant.inferShreddingSchema": "false",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}

_WITH_IDS: Mapping[str, str] = {
    # Readers of a table that is mapped by id find no column in a file without ids. Spark takes no option for it.
    "spark.sql.parquet.fieldId.write.enabled": "true",
}

LOCAL_OPTIONS: Mapping[str, str] = {
    # Without this, every local file gets a checksum file of Hadoop's beside it, which no Delta reader looks at; and as
    # Hadoop sets permissions by starting a program, each of those costs as much as a small data file.
    "fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "fs.file.impl.disable.cache": "true",
}


@attrs.frozen(slots=True)
class FileLayout:
    """How the data files of a table look."""

    partition_columns: tuple[tuple[str, DataType], ...]
    """Physical names and types, in order."""
    statistics: StatisticsShape
    has_voids: bool = False
    """Whether columns may be VOID, which files do not hold."""
    tags: dict[str, str] | None = None
    """What the log says of every new file."""
    has_ids: bool = False
    """Whether files say which column has which id, as column mapping demands."""

    @property
    def settings(self) -> Mapping[str, str]:
        """What the session has to say while such files are written."""
        return _WITH_IDS if self.has_ids else {}


@attrs.frozen(slots=True)
class WrittenData:
    """What one write has put into its folder.

    rows       in the files together
    produced   how many rows Spark has produced, all under `ROWS`, others under the names they were asked for by; None
               where Spark did not report it
    """

    adds: tuple[AddFile, ...]
    rows: int
    produced: Mapping[str, int] | None = None

    @property
    def metrics(self) -> Mapping[str, str]:
        """That the rows were counted twice, for the commit."""
        return {} if self.produced is None else {CHECKED_ROWS: str(self.rows)}

    @property
    def bytes(self) -> int:
        """The size of all files together."""
        return sum(add.size for add in self.adds)


@attrs.frozen(slots=True, eq=False)
class CountedKinds:
    """Kinds of rows that are to be counted while they are written, and the columns that tell them, which are not."""

    kinds: Mapping[str, Column]
    helpers: tuple[str, ...]


def write_data(
    rows: DataFrame,
    folder: DataFolder,
    layout: FileLayout,
    options: Mapping[str, str],
    *,
    data_change: bool = True,
    counted: CountedKinds | None = None,
) -> WrittenData:
    """Write rows that have the table's physical columns. Files without rows are deleted again.

    Raises `RowsUnaccountedError` if the files do not hold all rows, what Spark raises, and `LogError` kinds.
    """
    bounds = {"parquet.statistics.truncate.length": str(_bytes_of_bounds(layout.statistics.prefix_length))}
    count = RowCount(rows, counted.kinds if counted else None)
    frame = count.frame.drop(*counted.helpers) if counted else count.frame
    frame = without_voids(frame) if layout.has_voids else frame
    with session_settings(rows.sparkSession, layout.settings):
        save_parquet(frame, folder, [name for name, _ in layout.partition_columns], {**bounds, **options})
    files, left_over = folder.contents()
    statistics = read_statistics(rows.sparkSession, FooterReading(folder.store, layout.statistics), files)
    counts = {path: record_count(text) for path, text in statistics.items()}
    total, produced = sum(counts.values()), count.found()
    ensure_all_written(folder.store.location, None if produced is None else produced[ROWS], total)
    for file in [*left_over, *(file for file in files if counts[file.path] == 0)]:
        folder.remove_file(file)
    adds = _adds([file for file in files if counts[file.path]], statistics, folder, layout, data_change=data_change)
    return WrittenData(tuple(adds), total, produced)


def _adds(
    files: Sequence[WrittenFile],
    statistics: Mapping[str, str],
    folder: DataFolder,
    layout: FileLayout,
    *,
    data_change: bool,
) -> Iterator[AddFile]:
    depth = folder.name.count("/") + 1
    for file in files:
        yield AddFile(
            path=file.encoded_path,
            partition_values=log_values(file.path, depth, layout.partition_columns),
            size=file.size,
            modification_time=file.modified_ms,
            data_change=data_change,
            stats=statistics[file.path],
            tags=layout.tags,
        )


def _bytes_of_bounds(prefix_length: int) -> int:
    """How long bounds of footers may be. Longer ones are cut for the log anyway; uncut, they would be left out."""
    return max(512, 16 * prefix_length)


def write_changes(
    rows: DataFrame, folder: DataFolder, layout: FileLayout, options: Mapping[str, str]
) -> tuple[ChangeFile, ...]:
    """Write change data: rows as for `write_data`, with the column that says what kind of change each is.

    Raises as `write_data`.
    """
    count = RowCount(rows)
    frame = without_voids(count.frame) if layout.has_voids else count.frame
    with session_settings(rows.sparkSession, layout.settings):
        save_parquet(frame, folder, [name for name, _ in layout.partition_columns], options)
    files = folder.files()
    counts = read_statistics(rows.sparkSession, FooterReading(folder.store, StatisticsShape(())), files)
    produced = count.found()
    in_files = sum(map(record_count, counts.values()))
    ensure_all_written(
        folder.store.location, None if produced is None else produced[ROWS], in_files, "rows of change data"
    )
    depth = folder.name.count("/") + 1
    return tuple(
        ChangeFile(file.encoded_path, log_values(file.path, depth, layout.partition_columns), file.size)
        for file in files
    )


def save_parquet(
    rows: DataFrame, folder: DataFolder, partition_columns: Sequence[str], options: Mapping[str, str]
) -> None:
    """One job of Spark's, into a folder that does not exist yet."""
    local = LOCAL_OPTIONS if isinstance(folder.store, LocalStore) else {}
    writer = rows.write.mode("append").options(**{**PARQUET_OPTIONS, **local, **options})
    if partition_columns:
        writer = writer.partitionBy(*partition_columns)
    writer.parquet(folder.spark_path)
