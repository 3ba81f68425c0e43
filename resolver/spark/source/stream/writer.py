"""The sink of `format("deltaresolver")`: each batch of a query is committed once, however often it is tried."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
from pyspark.sql.datasource import WriterCommitMessage

from deltaresolver.errors import LogError, SinkUnsupportedError, StreamMetadataChangedError
from deltaresolver.log.storage.locations import open_store
from deltaresolver.model.actions import AddFile
from deltaresolver.model.schema import StructType
from deltaresolver.spark.schema import delta_schema
from deltaresolver.spark.source.batch.write_plan import WritePlan, plan_write
from deltaresolver.spark.source.batch.writer import TaskResult, files_of, is_unfinished, rows_of, write_task
from deltaresolver.spark.source.older_spark import DataSourceStreamArrowWriter
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import SourceOptions
from deltaresolver.spark.source.told_errors import told
from deltaresolver.transaction import operation as operations

if TYPE_CHECKING:
    from pyspark.sql import types

_QUERY_ID = "sql.streaming.queryId"
APPLICATION = "txnappid"


class StreamTaskResult(TaskResult):
    """What one task of a batch has written, by which plan, and for which query."""

    def __init__(self, plan: WritePlan, adds: Sequence[AddFile], rows: int, query: str | None) -> None:
        super().__init__(adds, rows)
        self.plan = plan
        self.query = query


class StreamWriter(DataSourceStreamArrowWriter):
    """Writes batches. Spark makes one for the tasks of a batch and another to commit it."""

    def __init__(
        self, asked: SourceOptions, settings: SourceSettings, schema: types.StructType, *, overwrite: bool
    ) -> None:
        self._application = {key.lower(): value for key, value in asked.others.items()}.get(APPLICATION)
        others = {key: value for key, value in asked.others.items() if key.lower() != APPLICATION}
        self._asked = attrs.evolve(asked, others=others)
        self._settings = settings
        self._given: StructType = delta_schema(schema)
        self._overwrites = overwrite
        self._plan = self._planned()

    @told()
    def write(self, iterator: Iterator[pa.RecordBatch]) -> StreamTaskResult:
        """The files of one task. Raises `RowViolationError`, `WriteJobFailedError`; no file is left then."""
        from pyspark import TaskContext

        context = TaskContext.get()
        query = None if context is None else context.getLocalProperty(_QUERY_ID)
        return StreamTaskResult(self._plan, *write_task(self._plan, iterator), query)

    @told()
    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:
        """One transaction for the batch, unless it was committed before.

        Raises `SinkUnsupportedError`, `StreamMetadataChangedError`, and what a commit raises.
        """
        results = [message for message in messages if isinstance(message, StreamTaskResult)]
        query = self._query_id(results, batchId)
        application = (query, batchId)
        current = attrs.evolve(self._plan, asked=attrs.evolve(self._plan.asked, application=application))
        folders = {result.plan.shape.folder: result.plan.folder for result in results}
        if current.is_done():
            for folder in folders.values():
                folder.remove()
            return
        adds, rows = files_of(messages), rows_of(messages)
        if not rows and not self._overwrites and not current.changes_metadata:
            return
        plan = _as_written(current, results)
        mode = "Complete" if self._overwrites else "Append"
        plan.commit(adds, rows, operations.streaming_update(mode, query, batchId))

    @told()
    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:
        """Delete the files that tasks have reported, if no commit was tried."""
        del batchId
        if is_unfinished(messages):
            for message in messages:
                if isinstance(message, StreamTaskResult):
                    message.plan.folder.remove()

    def _planned(self) -> WritePlan:
        mode = "overwrite" if self._overwrites else "append"
        plan = plan_write(attrs.evolve(self._asked, save_mode=None), self._settings, self._given, mode, {})
        assert plan is not None
        return plan

    def _query_id(self, results: Sequence[StreamTaskResult], batch: int) -> str:
        """What tells this query from others, across restarts."""
        if self._application is not None:
            return self._application
        known = next((result.query for result in results if result.query), None) or self._of_checkpoint()
        if known is None:
            raise SinkUnsupportedError(
                f"The sink does not know the id of the query whose batch {batch} it is to write.",
                fix="Give the query the option checkpointLocation, or txnAppId as a name of its own.",
                details={"batch": batch},
            )
        return known

    def _of_checkpoint(self) -> str | None:
        if self._asked.checkpoint is None:
            return None
        try:
            text = open_store(self._asked.checkpoint, self._asked.storage).read("metadata")
            found: Mapping[str, object] = json.loads(text)
        except (LogError, ValueError):
            return None
        return str(found["id"]) if "id" in found else None


def _as_written(current: WritePlan, results: Sequence[StreamTaskResult]) -> WritePlan:
    """The plan to commit by: of now, for files that were written by an earlier look at the table."""
    for result in results:
        if result.plan.metadata != current.metadata and not _creates(result.plan, current):
            raise StreamMetadataChangedError(
                f"The table {current.options.path} was changed while a batch for it was written.",
                fix="Restart the query: the batch is then written anew.",
                details={"path": current.options.path},
            )
    if not results:
        return current
    written = results[0].plan
    if _creates(written, current):
        return attrs.evolve(written, asked=current.asked)
    return attrs.evolve(current, shape=written.shape)


def _creates(written: WritePlan, current: WritePlan) -> bool:
    """Whether the batch is the table's first: both plans made up metadata for it, and the files follow one."""
    return written.read_version < 0 and current.read_version < 0
