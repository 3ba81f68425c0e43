"""The rows of a MERGE: one join finds which rows of the table change, another pass makes them and the new ones.

The first join looks only at the columns that conditions need. It tells where rows lie that clauses change, and which
rows of the source match none. Files are then marked, or written anew without those rows, and new rows are written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import attrs
import msgspec
import numpy as np

from deltaresolver.errors import MergeAmbiguousError
from deltaresolver.log.deletion_vectors import Rows
from deltaresolver.model.actions import Action
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.reading.file_facts import FILE, PREFIX, ROW
from deltaresolver.spark.reading.scan import ROW_COMMIT_VERSION, ROW_ID
from deltaresolver.spark.writing.change_metrics import FileChanges
from deltaresolver.spark.writing.changed_table import (
    CHANGE_FEED,
    CHANGE_TYPE,
    POSTIMAGE,
    PREIMAGE,
    VECTORS,
    Candidates,
    ChangedTable,
)
from deltaresolver.spark.writing.conditions import Given, as_column
from deltaresolver.spark.writing.copied_rows import copied, is_tracked, kept_ids
from deltaresolver.spark.writing.fitted_columns import quoted, spark_type
from deltaresolver.spark.writing.marked_files import live_records, mark, with_earlier
from deltaresolver.spark.writing.merge_clauses import Act, ForRows, MergeClause, MergeClauses
from deltaresolver.spark.writing.merge_source import SOURCE_ROW, MergeSource
from deltaresolver.spark.writing.new_rows import CLAUSE, CompleteRows, Making, NewRows
from deltaresolver.spark.writing.row_plan import TableRules
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.table_write import explained

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, types

_IDS = {ROW_ID: f"{PREFIX}{ROW_ID}", ROW_COMMIT_VERSION: f"{PREFIX}{ROW_COMMIT_VERSION}"}
"""Ids of rows under names that no source has."""
_BY_SOURCE = f"{PREFIX}by_source"


@attrs.frozen(slots=True, eq=False)
class MergedRows:
    """The actions of a merge, and what they amount to."""

    actions: tuple[Action, ...] = ()
    counted: tuple[str, ...] = ()
    """Identity columns whose values were made."""
    rows: Mapping[str, int] = attrs.field(factory=dict)

    def metrics(self) -> Mapping[str, str]:
        """For history."""
        return {
            **FileChanges.of(self.actions).merge_metrics(),
            **{name: str(count) for name, count in self.rows.items()},
        }


@attrs.frozen(slots=True, eq=False)
class _Found:
    """Where rows of the table lie that each clause changes, and the pairs of rows that match."""

    among: Candidates
    by_clause: Mapping[int, Mapping[int, Rows]]
    pairs: DataFrame | None = None

    def of(self, clauses: Iterable[int]) -> dict[int, Rows]:
        """The rows of some clauses, by file."""
        wanted = [self.by_clause[number] for number in clauses if number in self.by_clause]
        files = sorted({file for rows in wanted for file in rows})
        return {file: np.unique(np.concatenate([rows[file] for rows in wanted if file in rows])) for file in files}

    def count(self, clauses: Iterable[int]) -> int:
        """How many rows that is."""
        return sum(map(len, self.of(clauses).values()))


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
        with explained(RuleBook(), self.changed.location):
            found = self._find(among)
        gone = found.of([*self.clauses.of(Act.UPDATE), *self.clauses.of(Act.DELETE)])
        made = self._made(found)
        feeds = self.changed.is_on(CHANGE_FEED) and bool(gone)
        if made is not None and feeds:
            with explained(RuleBook(), self.changed.location):
                # The same values go into the table and into its change data, whatever they are computed by.
                made = attrs.evolve(made, frame=made.frame.localCheckpoint())
        written: list[Action] = []
        counted: tuple[str, ...] = () if made is None else made.counted
        count = 0
        if made is not None:
            planned = self._new_rows(self.makings).checked(made)
            with explained(planned.rules, self.changed.location):
                data = self.changed.write(planned.frame)
            written, count = [*data.adds], data.rows
        with explained(RuleBook(), self.changed.location):
            taken, copies = self._take_out(among, gone)
            changes = self._changes(found, made) if feeds else ()
        inserted = count - found.count(self.clauses.of(Act.UPDATE))
        return MergedRows((*taken, *written, *changes), counted, self._rows(found, inserted, copies))

    def _rows(self, found: _Found, inserted: int, copies: int) -> Mapping[str, int]:
        updates, deletes = self.clauses.of(Act.UPDATE), self.clauses.of(Act.DELETE)
        matched = frozenset(self.clauses.numbered(ForRows.MATCHED))
        by_source = frozenset(self.clauses.numbered(ForRows.NOT_MATCHED_BY_SOURCE))
        counts = {
            "numTargetRowsInserted": inserted,
            "numTargetRowsUpdated": found.count(updates),
            "numTargetRowsDeleted": found.count(deletes),
            "numTargetRowsCopied": copies,
            "numOutputRows": inserted + found.count(updates) + copies,
            "numTargetRowsMatchedUpdated": found.count(updates & matched),
            "numTargetRowsMatchedDeleted": found.count(deletes & matched),
            "numTargetRowsNotMatchedBySourceUpdated": found.count(updates & by_source),
            "numTargetRowsNotMatchedBySourceDeleted": found.count(deletes & by_source),
        }
        return counts if self.source.count is None else {"numSourceRows": self.source.count, **counts}

    # --- which rows ----------------------------------------------------------------------------

    def _find(self, among: Candidates) -> _Found:
        from pyspark.sql import functions

        if not among.adds:
            return _Found(among, {})
        by_source = self.clauses.numbered(ForRows.NOT_MATCHED_BY_SOURCE)
        matched = self.clauses.numbered(ForRows.MATCHED)
        rows = self._named(self.changed.scan(positions=True, metadata=self.before).rows(among.files))
        if by_source:
            rows = rows.withColumn(_BY_SOURCE, _first(by_source))
        joined = rows.join(self.source.for_join, as_column(self.condition), "left" if by_source else "inner")
        number = _first(matched)
        if by_source:
            is_matched = functions.col(SOURCE_ROW).isNotNull()
            number = functions.when(is_matched, number).otherwise(functions.col(_BY_SOURCE))
        pairs = joined.select(FILE, ROW, SOURCE_ROW, number.alias(CLAUSE))
        inserts = self.clauses.has(ForRows.NOT_MATCHED)
        if not matched and not by_source:
            return _Found(among, {}, pairs)
        if inserts:
            pairs = pairs.localCheckpoint()
        if by_source:
            pairs = pairs.where(functions.col(SOURCE_ROW).isNotNull() | functions.col(CLAUSE).isNotNull())
        return _Found(among, self._positions(among, pairs), pairs if inserts else None)

    def _positions(self, among: Candidates, pairs: DataFrame) -> Mapping[int, Mapping[int, Rows]]:
        """The rows of the table that each clause changes. Raises `MergeAmbiguousError`."""
        from pyspark.sql import functions

        grouped = pairs.groupBy(FILE, CLAUSE).agg(functions.collect_list(ROW).alias(ROW)).toArrow()
        by_clause: dict[int, dict[int, Rows]] = {}
        by_file: dict[int, list[Rows]] = {}
        numbers = grouped.column(CLAUSE).to_pylist()
        for name, number, listed in zip(grouped.column(FILE).to_pylist(), numbers, grouped.column(ROW), strict=True):
            rows, file = np.asarray(listed.values, np.int64), among.keys[name]
            by_file.setdefault(file, []).append(rows)
            if number is not None:
                by_clause.setdefault(number, {})[file] = np.unique(rows)
        if not self.clauses.may_match_twice:
            self._ensure_matched_once(by_file)
        return by_clause

    def _ensure_matched_once(self, by_file: Mapping[int, Sequence[Rows]]) -> None:
        twice = 0
        for parts in by_file.values():
            _, times = np.unique(np.concatenate(parts), return_counts=True)
            twice += int(np.count_nonzero(times > 1))
        if twice:
            location = self.changed.location
            raise MergeAmbiguousError(
                f"{twice:,} rows of {location} are matched by more than one row of the source.",
                fix="Leave one row for each key in the source, and merge again.",
                details={"location": location, "rows": twice},
            )

    # --- new rows ------------------------------------------------------------------------------

    def _new_rows(self, numbers: Collection[int]) -> NewRows:
        """How some clauses make rows. Others are left out, since their values look at other frames."""
        changed = self.changed
        rules = TableRules.of(changed.metadata, changed.transaction.protocol, changed.catalog)
        ids = kept_ids(changed.metadata)
        kept = {_IDS[ROW_ID]: ids[ROW_ID]} if ROW_ID in ids else {}
        versions = {_IDS[ROW_COMMIT_VERSION]: ids[ROW_COMMIT_VERSION]} if ROW_COMMIT_VERSION in ids else {}
        fields = {field.name: field for field in self.before.schema.fields}
        before = {name: msgspec.structs.replace(fields[name], name=column) for name, column in self._old_names.items()}
        own = {number: making for number, making in self.makings.items() if number in numbers}
        return NewRows(rules, own, before, {**kept, **versions})

    @property
    def _old_names(self) -> Mapping[str, str]:
        """What frames call the columns of rows as they were."""
        return {field.name: f"{PREFIX}before_{place}" for place, field in enumerate(self.before.schema.fields)}

    def _made(self, found: _Found) -> CompleteRows | None:
        """The rows that clauses change or insert; None where there are no such clauses."""
        parts = []
        for rows in ForRows:
            numbered = self.clauses.numbered(rows)
            frame = self._frame(rows, numbered, found)
            if frame is not None:
                parts.append(self._new_rows(numbered).complete(frame, tuple(self._old_names.values())))
        return reduce(_together, parts) if parts else None

    def _frame(self, rows: ForRows, numbered: Mapping[int, MergeClause], found: _Found) -> DataFrame | None:
        """What clauses for one kind of rows make theirs of, and which clause it is for each; None without any."""
        if rows is ForRows.NOT_MATCHED:
            return self._unmatched(found, numbered) if numbered else None
        where = found.of(numbered.keys() & self.clauses.of(Act.UPDATE))
        if not where:
            return None
        frame = self._old_rows(found.among, where)
        if rows is ForRows.MATCHED:
            frame = frame.join(self.source.told_apart, as_column(self.condition), "left")
        return frame.withColumn(CLAUSE, _first(numbered))

    def _old_rows(self, among: Candidates, where: Mapping[int, Rows]) -> DataFrame:
        """Rows of the table at these places, their columns once more under other names, and their ids."""
        from pyspark.sql import functions

        tracked = is_tracked(self.changed.metadata)
        scan = self.changed.scan(row_tracking=tracked, metadata=self.before)
        rows = scan.only(among.take(where), list(where.values()))
        names = [field.name for field in self.before.schema.fields]
        rows = rows.toDF(*names, *(_IDS.values() if tracked else ()))
        copies = [functions.col(quoted(name)).alias(copy) for name, copy in self._old_names.items()]
        rows = rows.select("*", *copies)
        if tracked:
            rows = rows.withColumn(_IDS[ROW_COMMIT_VERSION], functions.lit(None).cast("bigint"))
        return self._named(rows)

    def _unmatched(self, found: _Found, numbered: Mapping[int, MergeClause]) -> DataFrame:
        """The rows of the source that match none, and that some clause inserts."""
        from pyspark.sql import functions

        rows = self.source.told_apart
        if found.pairs is not None:
            matched = found.pairs.where(functions.col(SOURCE_ROW).isNotNull()).select(SOURCE_ROW)
            rows = rows.join(matched, SOURCE_ROW, "left_anti")
        rows = rows.withColumn(CLAUSE, _first(numbered)).where(functions.col(CLAUSE).isNotNull())
        nothing = {copy: functions.lit(None).cast(_type(self.before, name)) for name, copy in self._old_names.items()}
        ids = {name: functions.lit(None).cast("bigint") for name in _IDS.values()}
        return rows.withColumns({**nothing, **ids})

    def _named(self, rows: DataFrame) -> DataFrame:
        return rows if self.alias is None else rows.alias(self.alias)

    # --- files ---------------------------------------------------------------------------------

    def _take_out(self, among: Candidates, gone: Mapping[int, Rows]) -> tuple[Sequence[Action], int]:
        """Mark rows, or write their files anew without them; how many rows were written so."""
        changed = self.changed
        if not gone or changed.is_on(VECTORS):
            return mark(changed, among, gone), 0
        removals = changed.removals(among.adds[number] for number in gone)
        partly = {number: rows for number, rows in gone.items() if len(rows) != live_records(among.adds[number])}
        if not partly:
            return removals, 0
        marked = with_earlier(changed, among, partly)
        scan = changed.scan(row_tracking=is_tracked(changed.metadata))
        rows = scan.without(among.take(marked), list(marked.values()))
        written = changed.write(copied(rows, changed.metadata))
        return [*removals, *written.adds], written.rows

    def _changes(self, found: _Found, made: CompleteRows | None) -> Sequence[Action]:
        """Change data of all that changes."""
        from pyspark.sql import functions

        names = [field.name for field in self.changed.metadata.schema.fields]
        parts = []
        deleted = found.of(self.clauses.of(Act.DELETE))
        if deleted:
            rows = self.changed.scan().only(found.among.take(deleted), list(deleted.values()))
            parts.append(rows.withColumn(CHANGE_TYPE, functions.lit("delete")))
        if made is not None:
            inserts = functions.col(CLAUSE).isin(sorted(self.clauses.of(Act.INSERT)))
            kind = functions.when(inserts, "insert").otherwise(POSTIMAGE)
            parts.append(made.frame.select(*map(quoted, names), kind.alias(CHANGE_TYPE)))
            before = [
                self._new_rows(()).before_column(field).alias(field.name)
                for field in self.changed.metadata.schema.fields
            ]
            parts.append(made.frame.where(~inserts).select(*before, functions.lit(PREIMAGE).alias(CHANGE_TYPE)))
        return self.changed.write_changes(reduce(lambda one, other: one.unionByName(other), parts))


def _first(clauses: Mapping[int, MergeClause]) -> Column:
    """The number of the first clause whose condition holds; null where none does."""
    from pyspark.sql import functions

    chain: Column | None = None
    for number, clause in clauses.items():
        holds = functions.lit(True) if clause.condition is None else as_column(clause.condition)
        chain = functions.when(holds, number) if chain is None else chain.when(holds, number)
    return functions.lit(None).cast("int") if chain is None else chain


def _together(one: CompleteRows, other: CompleteRows) -> CompleteRows:
    """The rows of two frames; what some clause gives a value for is checked in all."""
    known = {each.name for each in one.conditions}
    conditions = (*one.conditions, *(each for each in other.conditions if each.name not in known))
    counted = tuple(dict.fromkeys((*one.counted, *other.counted)))
    frame = one.frame.unionByName(other.frame)
    return attrs.evolve(one, frame=frame, conditions=conditions, counted=counted)


def _type(metadata: Metadata, name: str) -> types.DataType:
    return spark_type(next(field.type for field in metadata.schema.fields if field.name == name))
