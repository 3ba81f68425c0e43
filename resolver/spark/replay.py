"""The live files of one huge table, replayed on Spark: for logs beyond the memory of one machine.

Commits and checkpoint files are read by tasks; the actions are hash-partitioned by the file they name, and in each
partition the last action of a file counts. The result of `replay` is that of `Snapshot.files`, in no order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltaresolver.log.columnar.action_rows import ActionRows
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.columnar.fast.arrow_numpy import from_flags, from_numbers, nulls_of
from deltaresolver.log.columnar.file_keys import exact_keys, find_keys
from deltaresolver.log.columnar.json_blocks import parse_block
from deltaresolver.log.columnar.json_input import group_commits, read_blocks
from deltaresolver.log.columnar.parquet_parts import CheckpointPiece, read_piece, split_checkpoint
from deltaresolver.log.columnar.projection import project_adds
from deltaresolver.log.compactions import prefer_compactions
from deltaresolver.log.pruning.chosen_files import Keep
from deltaresolver.log.segment import CommitFile, LogSegment
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.spark.session import find_setting
from deltaresolver.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

SNAPSHOT_PARTITIONS = "spark.databricks.delta.snapshotPartitions"
DEFAULT_PARTITIONS = 50
READS_PER_PARTITION = 2
"""Tasks that read the log, for each partition: enough to be shared out evenly, few enough to be worth starting."""
_VECTOR = (
    "struct<storageType:string,pathOrInlineDv:string,offset:int,sizeInBytes:int,cardinality:bigint,maxRowIndex:bigint>"
)
LIVE_FILES = (
    "path string, partitionValues map<string,string>, size bigint, modificationTime bigint, dataChange boolean, "
    f"stats string, tags map<string,string>, deletionVector {_VECTOR}, baseRowId bigint, "
    "defaultRowCommitVersion bigint, clusteringProvider string"
)
POSITION = "position"
_NUMBER = "number"
_KEYED = f"filePrint bigint, fileKey string, {POSITION} bigint, isAdd boolean, {LIVE_FILES}"
_KEYED_ARROW = pa.schema(
    [("filePrint", pa.int64()), ("fileKey", pa.string()), (POSITION, pa.int64()), ("isAdd", pa.bool_())]
    + [field.with_nullable(True) for field in ADD_FILES]
)
_ROWS_AT_ONCE = 10_000
_PART_ROWS, _PARTS = 1 << 24, 1 << 15
"""A position is the place of an input, of a part in it, and of a row in that; together they fit in 63 bits."""


def replay(
    spark: SparkSession,
    location: str,
    partitions: int | None = None,
    *,
    storage_options: Mapping[str, str] | None = None,
    version: int | None = None,
) -> DataFrame:
    """The live files of a table version: the columns of `Snapshot.files`, hash-partitioned by file.

    `partitions` is by default what `spark.databricks.delta.snapshotPartitions` says, else 50. The driver reads the
    listing and the table's small actions, executors the rest when the frame is used. Raises as `DeltaLog.snapshot`;
    a file of the log that turns out to be unreadable fails the job.
    """
    count = partitions or int(find_setting(spark, SNAPSHOT_PARTITIONS) or DEFAULT_PARTITIONS)
    return replay_chosen(spark, Table(location, storage_options).snapshot(version), count).select(*ADD_FILES.names)


def replay_chosen(spark: SparkSession, snapshot: Snapshot, partitions: int, keep: Keep | None = None) -> DataFrame:
    """What `keep` leaves of the live files of a snapshot, and the `POSITION` of each action in the log.

    `keep` is asked where the log is read, by executors, for some files at a time with a column more than
    `ADD_FILES` has; what it does not leave is shuffled as its key alone. Raises as `replay`.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

    inputs = _inputs(snapshot, keep)
    if not inputs.pieces:
        return spark.createDataFrame([], f"{POSITION} bigint, {LIVE_FILES}")
    numbers = spark.range(0, len(inputs.pieces), 1, min(len(inputs.pieces), READS_PER_PARTITION * partitions))
    # By a fingerprint first: keys begin alike, and telling two of them apart costs a sort most of its time.
    keyed = numbers.mapInArrow(inputs.read, _KEYED).repartition(partitions, "filePrint")
    newest = Window.partitionBy("filePrint", "fileKey").orderBy(F.col(POSITION).desc())
    last = keyed.withColumn("place", F.row_number().over(newest)).where("place = 1 AND isAdd")
    return last.select(POSITION, *ADD_FILES.names)


@attrs.frozen(slots=True)
class _Inputs:
    """The files of a segment, oldest first; checkpoint files in reverse, since the first action counts in them."""

    store: LogStore
    pieces: tuple[CheckpointPiece | tuple[CommitFile, ...], ...]
    keep: Keep | None = None

    def read(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: numbers of inputs in, keyed actions out."""
        for batch in batches:
            for number in batch.column(0).to_pylist():
                piece = self.pieces[number]
                first = number * _PARTS
                if isinstance(piece, CheckpointPiece):
                    for part, rows in enumerate(read_piece(self.store, piece, _EVERYTHING, use_threads=False)):
                        yield from _keyed(rows, first + _PARTS - 1 - part, self.keep)
                    continue
                part = 0
                for block in read_blocks(self.store, piece):
                    for rows in parse_block(block, _EVERYTHING):
                        yield from _keyed(rows, first + part, self.keep)
                        part += 1


_EVERYTHING = project_adds(tuple(ADD_FILES.names))


def _inputs(snapshot: Snapshot, keep: Keep | None) -> _Inputs:
    # Asked for first: a checkpoint whose small actions cannot be read is left aside by the snapshot.
    snapshot.protocol  # noqa: B018 - for what it reads
    store = snapshot.store
    segment: LogSegment = prefer_compactions(store, snapshot.segment)
    checkpoint = [] if segment.checkpoint is None else split_checkpoint(store, segment.checkpoint)
    return _Inputs(store, (*reversed(checkpoint), *group_commits(segment.commits)), keep)


def _keyed(actions: ActionRows, part: int, keep: Keep | None) -> Iterator[pa.RecordBatch]:
    """The file actions of one part with their keys; of a remove, or an add that is not kept, nothing but its key."""
    keys = find_keys(actions)
    positions = part * _PART_ROWS + np.arange(len(keys.rows), dtype=np.int64)
    for is_add, array in ((True, actions.add), (False, actions.remove)):
        chosen = keys.is_add == is_add
        rows, places, prints = keys.rows[chosen], positions[chosen], keys.prints[chosen].view(np.int64)
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = slice(start, start + _ROWS_AT_ONCE)
            told = [from_numbers(prints[some]), exact_keys(array, rows[some]), from_numbers(places[some])]
            if not is_add:
                yield _batch(told, None)
                continue
            files = _files(actions, rows[some])
            if keep is None:
                yield _batch(told, files.columns)
                continue
            yield from _batches_of_kept(told, files, keep)


def _files(actions: ActionRows, rows: npt.NDArray[np.int64]) -> pa.RecordBatch:
    taken = actions.source.take(rows)
    return pa.RecordBatch.from_arrays([taken.field(name) for name in ADD_FILES.names], schema=ADD_FILES)


def _batches_of_kept(told: Sequence[pa.Array], files: pa.RecordBatch, keep: Keep) -> Iterator[pa.RecordBatch]:
    """Those that are kept, whole; of the others the key."""
    numbered = pa.Table.from_batches([files]).append_column(_NUMBER, from_numbers(np.arange(len(files))))
    kept = keep(numbered).column(_NUMBER).to_numpy()
    is_kept = np.zeros(len(files), np.bool_)
    is_kept[kept] = True
    for places, whole in ((np.flatnonzero(is_kept), True), (np.flatnonzero(~is_kept), False)):
        if len(places):
            taken = from_numbers(places)
            yield _batch([one.take(taken) for one in told], files.take(taken).columns if whole else None)


def _batch(told: Sequence[pa.Array], fields: Sequence[pa.Array] | None) -> pa.RecordBatch:
    count = len(told[0])
    is_add = from_flags(np.full(count, fields is not None))
    if fields is None:
        fields = [nulls_of(count, field.type) for field in ADD_FILES]
    return pa.RecordBatch.from_arrays([*told, is_add, *fields], schema=_KEYED_ARROW)


def in_log_order(files: pa.Table, snapshot: Snapshot) -> pa.Table:
    """The frame of `replay_chosen`, collected, as `Snapshot.files` orders and shapes it. Raises as `replay`."""
    checkpoint = snapshot.segment.checkpoint
    pieces = 0 if checkpoint is None else len(split_checkpoint(snapshot.store, checkpoint))
    positions = files.column(POSITION).to_numpy()
    parts, rows = np.divmod(positions, _PART_ROWS)
    numbers, parts = np.divmod(parts, _PARTS)
    # Files of a checkpoint, and the parts of each, are numbered in reverse.
    of_checkpoint = numbers < pieces
    numbers = np.where(of_checkpoint, pieces - 1 - numbers, numbers)
    parts = np.where(of_checkpoint, _PARTS - 1 - parts, parts)
    ordered = files.take(from_numbers(np.lexsort((rows, parts, numbers)))).select(ADD_FILES.names)
    return ordered.cast(ADD_FILES)
