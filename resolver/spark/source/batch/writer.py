"""Batch writes of `format("deltaresolver")`: Parquet by Arrow in tasks, one commit at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from deltaresolver.model.actions import AddFile
from deltaresolver.spark.schema import delta_schema
from deltaresolver.spark.source.batch.task_files import TaskFiles
from deltaresolver.spark.source.batch.write_plan import WritePlan, plan_write
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import SourceOptions
from deltaresolver.spark.source.told_errors import told

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


class TaskResult(WriterCommitMessage):
    """The files that one task has written, and how many rows it was given for them."""

    def __init__(self, adds: Sequence[AddFile], rows: int) -> None:
        self.adds = tuple(adds)
        self.rows = rows


class BatchWriter(DataSourceArrowWriter):
    """Writes rows once."""

    def __init__(self, asked: SourceOptions, settings: SourceSettings, schema: StructType, *, overwrite: bool) -> None:
        self._plan = plan_write(asked, settings, delta_schema(schema), "overwrite" if overwrite else "append", {})
        self._is_done = self._plan is None or self._plan.is_done()

    @told()
    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskResult:
        """The files of one task. Raises `RowViolationError`, `WriteJobFailedError`; no file is left then."""
        if self._plan is None or self._is_done:
            return TaskResult((), 0)
        return TaskResult(*write_task(self._plan, iterator))

    @told()
    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """One transaction for all tasks. Raises what a commit raises."""
        if self._plan is not None and not self._is_done:
            self._plan.commit(files_of(messages), rows_of(messages))

    @told()
    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Delete what the tasks have written, if there was no commit to try."""
        if self._plan is not None and is_unfinished(messages):
            self._plan.folder.remove()


def is_unfinished(messages: Sequence[WriterCommitMessage | None]) -> bool:
    """Whether some task brought nothing, so that no commit was tried.

    A commit that fails cleans up by itself, unless it may have been made after all: then files must stay.
    """
    return any(message is None for message in messages)


def files_of(messages: Sequence[WriterCommitMessage | None]) -> list[AddFile]:
    """The files of all tasks."""
    return [add for message in messages if isinstance(message, TaskResult) for add in message.adds]


def rows_of(messages: Sequence[WriterCommitMessage | None]) -> int:
    """The rows that all tasks were given. Each message is of the attempt that won, so none is counted twice."""
    return sum(message.rows for message in messages if isinstance(message, TaskResult))


def write_task(plan: WritePlan, batches: Iterator[pa.RecordBatch]) -> tuple[list[AddFile], int]:
    """Write the rows of one task: the files, and how many rows came. Files are deleted again if that fails."""
    from pyspark import TaskContext

    context = TaskContext.get()
    partition = 0 if context is None else context.partitionId()
    shaper = plan.shaper(partition)
    files = TaskFiles(plan.shape, f"{partition:05d}")
    rows = 0
    try:
        for batch in batches:
            rows += batch.num_rows
            files.write(shaper.shape(batch))
        return files.finish(), rows
    except BaseException:
        files.abandon()
        raise
