"""What replaceWhere takes out of a table without Spark: whole files where partition values tell, else row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.errors import SourceRuleUnsupportedError
from deltaresolver.expressions.arrow import evaluate, parse_expression, unsupported
from deltaresolver.expressions.chars import as_filled_up
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.model.facts.columns import mapping_mode
from deltaresolver.model.facts.keys import CHANGE_DATA_FEED, ROW_TRACKING
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.reading.file_location import TableRoot
from deltaresolver.spark.reading.select_files import JudgedParts, judged_parts, select_files
from deltaresolver.spark.source.batch.char_conditions import char_lengths, filled_up
from deltaresolver.spark.source.batch.file_rows import RowSource
from deltaresolver.spark.source.batch.file_tasks import FileTask, part_of
from deltaresolver.spark.source.batch.parquet_types import arrow_fields
from deltaresolver.spark.source.batch.partition_readings import ensure_readings_agree
from deltaresolver.spark.source.batch.shaped_rows import as_array
from deltaresolver.spark.source.batch.task_files import FileShape, TaskFiles
from deltaresolver.spark.writing.row_balance import ensure_balanced
from deltaresolver.transaction.commit.removed_files import removal
from deltaresolver.transaction.transaction import OptimisticTransaction

_KEPT_ROWS_NEED = {CHANGE_DATA_FEED: "change data", ROW_TRACKING: "row ids"}


@attrs.frozen(slots=True)
class RowReplacement:
    """Takes the rows for which `where` is true out of what a transaction has read; `zone` is the session's."""

    transaction: OptimisticTransaction
    shape: FileShape
    location: str
    where: str
    zone: str
    storage: Mapping[str, str]
    calendar_modes: Mapping[str, str] = attrs.field(factory=dict)
    keeps_lengths: bool = True
    """Whether char(n) is filled up; conditions on such columns are refused in sessions that take them for strings."""

    def actions(self) -> list[Action]:
        """Removals, and files with the rows that stay.

        Raises `SourceRuleUnsupportedError`, `PartitionReadingError`, and as `RowSource.rows`.
        """
        snapshot, metadata = self.transaction.snapshot, self.transaction.metadata
        assert snapshot is not None
        judged = judged_parts(self.where, metadata, self.zone)
        listed = snapshot.files().column("partitionValues").to_pylist() if metadata.partition_columns else ()
        partitions = [dict(items) for items in dict.fromkeys(tuple(items or ()) for items in listed)]
        ensure_readings_agree(judged, metadata, partitions, self.zone, self.location)
        adds = [add_from_row(row) for row in iterate_rows(select_files(snapshot, self.where, self.zone))]
        self.transaction.track_read_predicates(*judged.texts_read)
        self.transaction.track_files_read(adds)
        lengths = char_lengths(metadata) if self.keeps_lengths else {}
        whole = [add for add in adds if judged.surely_holds(add.partition_values)]
        now = milliseconds_now()
        found: list[Action] = [removal(add, now, data_change=self.shape.data_change) for add in whole]
        if len(whole) == len(adds):
            return found
        condition = _row_condition(judged, lengths)
        known = {add.path for add in whole}
        for number, add in enumerate(adds):
            if add.path not in known:
                found.extend(self._by_row(add, condition, lengths, number, now))
        return found

    def _by_row(self, add: AddFile, condition: Any, lengths: Mapping[str, int], number: int, now: int) -> list[Action]:
        files = TaskFiles(self.shape, f"kept-{number:05d}")
        gone = stays = 0
        try:
            for batch in self._source().rows(FileTask((part_of(add),))):
                goes = pc.fill_null(
                    as_array(evaluate(condition, filled_up(batch, lengths)), pa.bool_(), batch.num_rows), False
                )
                kept = batch.filter(pc.invert(goes))
                gone, stays = gone + batch.num_rows - kept.num_rows, stays + kept.num_rows
                files.write(kept)
            if not gone:
                files.abandon()
                return []
            if stays:
                _ensure_rewritable(self.transaction.metadata, add)
            actions: list[Action] = [removal(add, now, data_change=self.shape.data_change), *files.finish()]
            ensure_balanced(self.location, actions, deleted=gone)
            return actions
        except BaseException:
            files.abandon()
            raise

    def _source(self) -> RowSource:
        metadata, store = self.transaction.metadata, self.shape.store
        return RowSource(
            store,
            TableRoot.of(self.location, store),
            metadata.schema.fields,
            arrow_fields(metadata.schema.fields, "none"),
            mapping_mode(metadata),
            frozenset(name.lower() for name in metadata.partition_columns),
            self.zone,
            self.storage,
            calendar_modes=self.calendar_modes,
        )


def _row_condition(judged: JudgedParts, lengths: Mapping[str, int]) -> Any:
    """The tree of all of the condition, for rows that are filled up. Raises `SourceRuleUnsupportedError`."""
    parts = list(judged.parts)
    for part in judged.missing:
        filled = as_filled_up(part, lengths)
        if filled is None:
            raise unsupported(part.text, "replaceWhere")
        parts.append(filled)
    return parse_expression(" AND ".join(f"({part.text})" for part in parts), "replaceWhere")


def _ensure_rewritable(metadata: Metadata, add: AddFile) -> None:
    for key, needed in _KEPT_ROWS_NEED.items():
        if metadata.is_on(key):
            raise SourceRuleUnsupportedError(
                f"replaceWhere takes only some rows out of {add.path}, and {key} asks for {needed} of such a change, "
                'which format("deltaresolver") does not write.',
                fix="Write with deltaresolver.spark.write.",
                details={"path": add.path, "property": key},
            )
