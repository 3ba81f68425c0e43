"""Rows into data files by Spark's own Parquet writer, and the actions that add them to the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.model.actions import AddFile, ChangeFile
from deltaresolver.model.schema import DataType
from deltaresolver.spark.writing.data_folder import DataFolder
from deltaresolver.spark.writing.file_statistics import StatisticsShape
from deltaresolver.spark.writing.footers import FooterReading, read_statistics, record_count
from deltaresolver.spark.writing.partition_values import log_values

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PARQUET_OPTIONS: Mapping[str, str] = {
    # The older 96-bit form carries no statistics.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Shredded variants are a table feature of their own.
    "spark.sql.variant.inferShreddingSchema": "false",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
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


@attrs.frozen(slots=True)
class WrittenData:
    """What one write has put into its folder."""

    adds: tuple[AddFile, ...]
    rows: int

    @property
    def bytes(self) -> int:
        """The size of all files together."""
        return sum(add.size for add in self.adds)


def write_data(
    rows: DataFrame, folder: DataFolder, layout: FileLayout, options: Mapping[str, str], *, data_change: bool = True
) -> WrittenData:
    """Write rows that have the table's physical columns. Files without rows are deleted again.

    Raises what Spark raises, and `LogError` kinds.
    """
    bounds = {"parquet.statistics.truncate.length": str(_bytes_of_bounds(layout.statistics.prefix_length))}
    save_parquet(rows, folder, [name for name, _ in layout.partition_columns], {**bounds, **options})
    files = folder.files()
    statistics = read_statistics(rows.sparkSession, FooterReading(folder.store, layout.statistics), files)
    depth = folder.name.count("/") + 1
    adds, total = [], 0
    for file in files:
        count = record_count(statistics[file.path])
        if count == 0:
            folder.remove_file(file)
            continue
        total += count
        adds.append(
            AddFile(
                path=file.encoded_path,
                partition_values=log_values(file.path, depth, layout.partition_columns),
                size=file.size,
                modification_time=file.modified_ms,
                data_change=data_change,
                stats=statistics[file.path],
            )
        )
    return WrittenData(tuple(adds), total)


def _bytes_of_bounds(prefix_length: int) -> int:
    """How long bounds of footers may be. Longer ones are cut for the log anyway; uncut, they would be left out."""
    return max(512, 16 * prefix_length)


def write_changes(
    rows: DataFrame, folder: DataFolder, layout: FileLayout, options: Mapping[str, str]
) -> tuple[ChangeFile, ...]:
    """Write change data: rows as for `write_data`, with the column that says what kind of change each is."""
    save_parquet(rows, folder, [name for name, _ in layout.partition_columns], options)
    depth = folder.name.count("/") + 1
    return tuple(
        ChangeFile(file.encoded_path, log_values(file.path, depth, layout.partition_columns), file.size)
        for file in folder.files()
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
