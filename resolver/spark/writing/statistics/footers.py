"""Footers of data files: read here for a few files, by Spark's tasks for many."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.file_key import canonical_path
from deltaresolver.spark.writing.data_folder import WrittenFile
from deltaresolver.spark.writing.statistics.file_statistics import StatisticsShape, file_statistics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

READ_HERE = 512
"""Up to so many files, starting tasks costs more than it saves."""
_GUESS = 64 * 1024
_FILES_PER_TASK = 256


@attrs.frozen(slots=True)
class FooterReading:
    """Everything a process needs to read statistics of files: picklable."""

    store: LogStore
    shape: StatisticsShape

    def statistics(self, file: WrittenFile) -> str:
        """The statistics of one file. Raises `LogError` kinds."""
        return file_statistics(read_footer(self.store, file), self.shape)

    def in_batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: files in, their paths and statistics out."""
        for batch in batches:
            rows = batch.to_pylist()
            found = [self.statistics(WrittenFile(row["path"], row["size"], 0)) for row in rows]
            yield pa.RecordBatch.from_pydict({"path": [row["path"] for row in rows], "stats": found})


def read_statistics(spark: SparkSession, reading: FooterReading, files: Sequence[WrittenFile]) -> dict[str, str]:
    """The statistics of files by path. Raises `LogError` kinds."""
    if len(files) <= READ_HERE:
        return {file.path: reading.statistics(file) for file in files}
    rows = spark.createDataFrame([(file.path, file.size) for file in files], "path string, size bigint")
    spread = rows.repartition(max(2, len(files) // _FILES_PER_TASK))
    found = spread.mapInArrow(reading.in_batches, "path string, stats string").collect()
    return {row["path"]: row["stats"] for row in found}


def read_footer(store: LogStore, file: WrittenFile) -> pq.FileMetaData:
    """The footer of a data file. Raises `LogError` kinds."""
    if isinstance(store, LocalStore):
        return pq.read_metadata(Path(store.location, file.path))
    length = min(file.size, _GUESS)
    tail = store.read_range(file.path, -length, length)
    needed = int.from_bytes(tail[-8:-4], "little") + 8
    if needed > len(tail):
        tail = store.read_range(file.path, -needed, needed)
    return pq.read_metadata(pa.BufferReader(b"PAR1" + tail))


def stored_path(store: LogStore, logged_path: str) -> str:
    """The file that a log calls so, as its store names it; a local one elsewhere by its absolute path."""
    path = unquote(canonical_path(logged_path)).removeprefix("./")
    return path.removeprefix("file:") if isinstance(store, LocalStore) else path


def record_count(statistics: str) -> int:
    """The number of rows that the statistics cover."""
    return int(json.loads(statistics)["numRecords"])
