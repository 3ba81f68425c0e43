"""The rows of a MERGE: one join finds which rows of the table change, another pass makes them and the new ones.

The first join looks only at the columns that conditions need. It tells where rows lie that clauses change, and which
rows of the source match none. Files are then marked, or written anew without those rows, and new rows are written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import attrs
import msgspec

from deltaresolver.model.actions import Action
from deltaresolver.model.facts.keys import CHANGE_DATA_FEED
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import quoted
from deltaresolver.spark.changes.change_metrics import FileChanges
from deltaresolver.spark.changes.changed_table import (
    CHANGE_TYPE,
    POSTIMAGE,
    PREIMAGE,
    Candidates,
    ChangedTable,
    are_few,
)
from deltaresolver.spark.changes.conditions import Given, as_column, is_repeatable
from deltaresolver.spark.changes.copied_rows import is_tracked, kept_ids
from deltaresolver.spark.changes.marked_files import take_out
from deltaresolver.spark.changes.merge.clauses import ClauseAct, ForRows, MergeClause, MergeClauses
from deltaresolver.spark.changes.merge.matching import MAX_PAIRS_BROADCAST, MatchedRows, Matching, first_clause
from deltaresolver.spark.changes.merge.source import SOURCE_ROW, MergeSource
from deltaresolver.spark.changes.new_rows import CLAUSE, CompleteRows, Making, NewRows
from deltaresolver.spark.changes.row_places import Positions
from deltaresolver.spark.folding import union
from deltaresolver.spark.reading.file_facts import FILE, PREFIX, ROW
from deltaresolver.spark.reading.marked_rows import RowSets
from deltaresolver.spark.reading.scan import ROW_COMMIT_VERSION, ROW_ID
from deltaresolver.spark.writing.fitted_columns import spark_type
from deltaresolver.spark.writing.row_balance import ensure_counted
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.table_write import explained
from deltaresolver.spark.writing.written_data import CountedKinds, WrittenData

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, types

_PAIR_FILE, _PAIR_ROW, _PAIR_SOURCE = f"{PREFIX}pair_file", f"{PREFIX}pair_row", f"{PREFIX}pair_source"


_INSERTED, _DELETED = "numTargetRowsInserted", "numTargetRowsDeleted"


@attrs.frozen(slots=True, eq=False)
class MergedRows:
    """The actions of a merge, and what they amount to."""

    actions: tuple[Action, ...] = ()
    counted: tuple[str, ...] = ()
    """Identity columns whose values were made."""
    rows: Mapping[str, int] = attrs.field(factory=dict)

    @property
    def inserted(self) -> int:
        """How many rows are new."""
        return self.rows.get(_INSERTED, 0)

    @property
    def deleted(self) -> int:
        """How many rows are gone."""
        return self.rows.get(_DELETED, 0)

    def metrics(self) -> Mapping[str, str]:
        """For history."""
        return {
            **FileChanges.of(self.actions).merge_metrics(),
            **{name: str(count) for name, count in self.rows.items()},
        }


@attrs.frozen(slots=True, eq=False)
class RowMerge:
    """Changes the rows of a table by those of a source. Nothing is committed.

    before   the metadata that the table was read with; columns that are new since then are null in its rows
    makings  how clauses make rows, by number
    alias    what conditions and values call the table
    """

    changed: ChangedTable
    before: Metadata
    source: MergeSource
    condition: Given
    clauses: MergeClauses
    makings: Mapping[int, Making]
    alias: str | None = None

    def run(self, among: Candidates) -> MergedRows:
        """Find, take out and write. `source` is kept unless there are no candidates.

        Raises `MergeAmbiguousError`, `DataWriteError` kinds, and `SparkReadError` kinds.
        """
        changed, clauses = self.changed, self.clauses
        matching = Matching(changed, self.before, self.source, self.condition, clauses, self.alias, self._once)
        with explained(RuleBook(), changed.location):
            found = matching.find(among)
            gone = found.of(clauses.of(ClauseAct.UPDATE) | clauses.of(ClauseAct.DELETE))
            feeds = changed.is_on(CHANGE_DATA_FEED) and bool(gone)
            made = self._made(found)
            if made is not None and feeds:
                # The same values go into the table and into its change data, whatever they are computed by.
                made = attrs.evolve(made, frame=made.frame.localCheckpoint())
        updated = found.count(clauses.of(ClauseAct.UPDATE))
        written = WrittenData((), 0) if made is None else self._write(made, found, updated)
        inserted = self._inserted(written, found, updated)
        with explained(RuleBook(), changed.location):
            taken, copies = take_out(changed, among, gone)
            changes = self._changes(found, made) if feeds else ()
        counts = self._counts(found, inserted, copies)
        return MergedRows((*taken, *written.adds, *changes), () if made is None else made.counted, counts)

    def _write(self, made: CompleteRows, found: MatchedRows, updated: int) -> WrittenData:
        from pyspark.sql import functions

        planned = self._new_rows(self.makings).checked(made, keeps_clause=True)
        inserts = functions.col(CLAUSE).isin(sorted(self.clauses.of(ClauseAct.INSERT)))
        counted = CountedKinds({_INSERTED: inserts}, (CLAUSE,))
        with explained(planned.rules, self.changed.location):
            few = updated > 0 and are_few(updated, found.among.adds)
            gathers = few or bool(self.changed.metadata.partition_columns)
            most = updated + (self.source.count or 0) - (found.matched_sources or 0)
            return self.changed.write(planned.frame, gathers=most if gathers else None, counted=counted)

    def _inserted(self, written: WrittenData, found: MatchedRows, updated: int) -> int:
        """How many of the rows written are new. Raises `RowsUnaccountedError` if the others are not those found."""
        if written.produced is None:
            return written.rows - updated
        location, inserted = self.changed.location, written.produced[_INSERTED]
        ensure_counted(location, "updated rows", updated, written.rows - inserted)
        self._ensure_source_used(found, inserted)
        return inserted

    def _ensure_source_used(self, found: MatchedRows, inserted: int) -> None:
        """Every row of the source matches or is inserted; fewer are inserted only where clauses have conditions."""
        clauses = self.clauses.numbered(ForRows.NOT_MATCHED).values()
        if not clauses or self.source.count is None or found.matched_sources is None:
            return
        left = self.source.count - found.matched_sources
        if any(clause.condition is None for clause in clauses) or inserted > left:
            ensure_counted(self.changed.location, "inserted rows", left, inserted)

    def _counts(self, found: MatchedRows, inserted: int, copies: int) -> Mapping[str, int]:
        updates, deletes = self.clauses.of(ClauseAct.UPDATE), self.clauses.of(ClauseAct.DELETE)
        matched = frozenset(self.clauses.numbered(ForRows.MATCHED))
        by_source = frozenset(self.clauses.numbered(ForRows.NOT_MATCHED_BY_SOURCE))
        counts = {
            _INSERTED: inserted,
            "numTargetRowsUpdated": found.count(updates),
            _DELETED: found.count(deletes),
            "numTargetRowsCopied": copies,
            "numOutputRows": inserted + found.count(updates) + copies,
            "numTargetRowsMatchedUpdated": found.count(updates & matched),
            "numTargetRowsMatchedDeleted": found.count(deletes & matched),
            "numTargetRowsNotMatchedBySourceUpdated": found.count(updates & by_source),
            "numTargetRowsNotMatchedBySourceDeleted": found.count(deletes & by_source),
        }
        return counts if self.source.count is None else {"numSourceRows": self.source.count, **counts}

    # --- new rows ------------------------------------------------------------------------------

    def _new_rows(self, numbers: Collection[int]) -> NewRows:
        """How some clauses make rows. Others are left out, since their values look at other frames."""
        changed = self.changed
        rules = changed.rules
        fields = {field.name: field for field in self.before.schema.fields}
        before = {name: msgspec.structs.replace(fields[name], name=column) for name, column in self._old_names.items()}
        own = {number: making for number, making in self.makings.items() if number in numbers}
        return NewRows(rules, own, before, kept_ids(changed.metadata))

    @property
    def _old_names(self) -> Mapping[str, str]:
        """What frames call the columns of rows as they were."""
        return {field.name: f"{PREFIX}before_{place}" for place, field in enumerate(self.before.schema.fields)}

    def _made(self, found: MatchedRows) -> CompleteRows | None:
        """The rows that clauses change or insert; None without such clauses."""
        parts = []
        for rows in ForRows:
            numbered = self.clauses.numbered(rows)
            frame = self._frame(rows, numbered, found)
            if frame is not None:
                parts.append(self._new_rows(numbered).complete(frame, tuple(self._old_names.values())))
        return reduce(_together, parts) if parts else None

    def _frame(self, rows: ForRows, numbered: Mapping[int, MergeClause], found: MatchedRows) -> DataFrame | None:
        """What clauses for one kind of rows make theirs of, and which clause it is for each; None without any."""
        if rows is ForRows.NOT_MATCHED:
            return self._unmatched(found, numbered) if numbered else None
        where = found.of(numbered.keys() & self.clauses.of(ClauseAct.UPDATE))
        if not where:
            return None
        frame = self._old_rows(found.among, where)
        if self._once:
            return self._as_found(frame, rows, found)
        if rows is ForRows.MATCHED:
            frame = frame.join(self.source.for_join, as_column(self.condition), "left")
        return frame.withColumn(CLAUSE, first_clause(numbered))

    @property
    def _once(self) -> bool:
        """Whether conditions may give another answer when they are evaluated once more."""
        columns = {field.name.lower() for field in (*self.before.schema.fields, *self.source.schema.fields)}
        deciding = [clause.condition for clause in self.clauses.clauses if clause.rows is not ForRows.NOT_MATCHED]
        return not all(is_repeatable(condition, columns) for condition in (self.condition, *deciding))

    def _as_found(self, frame: DataFrame, rows: ForRows, found: MatchedRows) -> DataFrame:
        """Old rows with the clause and the row of the source that the first join found for them."""
        from pyspark.sql import functions

        assert found.pairs is not None, "pairs are kept where conditions are evaluated once"
        is_matched = functions.col(SOURCE_ROW).isNotNull()
        pairs = found.pairs.where(is_matched if rows is ForRows.MATCHED else ~is_matched)
        pairs = pairs.select(
            functions.col(FILE).alias(_PAIR_FILE),
            functions.col(ROW).alias(_PAIR_ROW),
            functions.col(SOURCE_ROW).alias(_PAIR_SOURCE),
            CLAUSE,
        )
        at_place = (functions.col(FILE) == functions.col(_PAIR_FILE)) & (functions.col(ROW) == functions.col(_PAIR_ROW))
        frame = frame.join(pairs, at_place)
        if rows is not ForRows.MATCHED:
            return frame
        return frame.join(self.source.for_join, functions.col(SOURCE_ROW) == functions.col(_PAIR_SOURCE), "left")

    def _old_rows(self, among: Candidates, where: Positions) -> DataFrame:
        """Rows of the table at these places, their columns once more under other names, and their ids."""
        from pyspark.sql import functions

        tracked = is_tracked(self.changed.metadata)
        scan = self.changed.scan(row_tracking=tracked, positions=self._once, metadata=self.before)
        rows = scan.only(among.take(where), RowSets(where.values()))
        copies = [functions.col(quoted(name)).alias(copy) for name, copy in self._old_names.items()]
        rows = rows.select("*", *copies)
        if tracked:
            rows = rows.withColumn(ROW_COMMIT_VERSION, functions.lit(None).cast("bigint"))
        return self._named(rows)

    def _unmatched(self, found: MatchedRows, numbered: Mapping[int, MergeClause]) -> DataFrame:
        """The rows of the source that match none, and that some clause inserts."""
        from pyspark.sql import functions

        rows = self.source.told_apart
        if found.pairs is not None:
            matched = found.pairs.where(functions.col(SOURCE_ROW).isNotNull()).select(SOURCE_ROW)
            few = self.source.is_small and found.pair_count <= MAX_PAIRS_BROADCAST
            rows = rows.join(functions.broadcast(matched) if few else matched, SOURCE_ROW, "left_anti")
        rows = rows.withColumn(CLAUSE, first_clause(numbered)).where(functions.col(CLAUSE).isNotNull())
        nothing = {copy: functions.lit(None).cast(_type(self.before, name)) for name, copy in self._old_names.items()}
        ids = {name: functions.lit(None).cast("bigint") for name in (ROW_ID, ROW_COMMIT_VERSION)}
        return rows.withColumns({**nothing, **ids})

    def _named(self, rows: DataFrame) -> DataFrame:
        return rows if self.alias is None else rows.alias(self.alias)

    # --- change data ---------------------------------------------------------------------------

    def _changes(self, found: MatchedRows, made: CompleteRows | None) -> Sequence[Action]:
        """Change data of all that changes."""
        from pyspark.sql import functions

        names = [field.name for field in self.changed.metadata.schema.fields]
        parts = []
        deleted = found.of(self.clauses.of(ClauseAct.DELETE))
        if deleted:
            rows = self.changed.scan().only(found.among.take(deleted), RowSets(deleted.values()))
            parts.append(rows.withColumn(CHANGE_TYPE, functions.lit("delete")))
        if made is not None:
            inserts = functions.col(CLAUSE).isin(sorted(self.clauses.of(ClauseAct.INSERT)))
            kind = functions.when(inserts, "insert").otherwise(POSTIMAGE)
            parts.append(made.frame.select(*map(quoted, names), kind.alias(CHANGE_TYPE)))
            images = self._new_rows(())
            before = [images.before_column(field).alias(field.name) for field in self.changed.metadata.schema.fields]
            parts.append(made.frame.where(~inserts).select(*before, functions.lit(PREIMAGE).alias(CHANGE_TYPE)))
        return self.changed.write_changes(union(parts))


def _together(one: CompleteRows, other: CompleteRows) -> CompleteRows:
    """The rows of two frames; what some clause gives a value for is checked in all."""
    known = {each.name for each in one.conditions}
    conditions = (*one.conditions, *(each for each in other.conditions if each.name not in known))
    counted = tuple(dict.fromkeys((*one.counted, *other.counted)))
    frame = one.frame.unionByName(other.frame)
    return attrs.evolve(one, frame=frame, conditions=conditions, counted=counted)


def _type(metadata: Metadata, name: str) -> types.DataType:
    return spark_type(next(field.type for field in metadata.schema.fields if field.name == name))
