"""Which rows of a table a MERGE changes, by which clause, and which rows of its source match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import MergeAmbiguousError
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.changes.changed_table import Candidates, ChangedTable
from deltaresolver.spark.changes.conditions import Given, as_column
from deltaresolver.spark.changes.merge.clauses import ForRows, MergeClause, MergeClauses
from deltaresolver.spark.changes.merge.source import SOURCE_ROW, MergeSource
from deltaresolver.spark.changes.new_rows import CLAUSE
from deltaresolver.spark.changes.row_places import FoundRows, Positions, find_places, union
from deltaresolver.spark.changes.shuffle_parts import parts_for
from deltaresolver.spark.reading.file_facts import FILE, PREFIX, ROW

if TYPE_CHECKING:
    from pyroaring import BitMap64
    from pyspark.sql import Column, DataFrame

_BY_SOURCE = f"{PREFIX}by_source"
MAX_PAIRS_BROADCAST = 1 << 20
"""Few pairs: every task may get the numbers of their source rows, at most some 16 MiB."""


@attrs.frozen(slots=True, eq=False)
class MatchedRows:
    """Where rows of the table lie that each clause changes, and the pairs of rows that match.

    pairs             only the rows of the source, each once, where no clause is for rows that match
    matched_sources   how many rows of the source match; None where no clause inserts, so that nobody asks
    pair_count        how many pairs there are
    """

    among: Candidates
    by_clause: Mapping[int, Positions]
    pairs: DataFrame | None = None
    matched_sources: int | None = None
    pair_count: int = 0

    def of(self, clauses: Iterable[int]) -> Positions:
        """The rows of some clauses, by file."""
        wanted = [self.by_clause[number] for number in clauses if number in self.by_clause]
        files = sorted({file for rows in wanted for file in rows})
        return {file: union(rows[file] for rows in wanted if file in rows) for file in files}

    def count(self, clauses: Iterable[int]) -> int:
        """How many rows that is; no row is changed by two clauses."""
        return sum(len(rows) for number in clauses for rows in self.by_clause.get(number, {}).values())


@attrs.frozen(slots=True, eq=False)
class Matching:
    """Finds them; `before` is the metadata that the table was read with, `alias` what conditions call it."""

    changed: ChangedTable
    before: Metadata
    source: MergeSource
    condition: Given
    clauses: MergeClauses
    alias: str | None = None
    once: bool = False
    """Whether conditions are evaluated here and nowhere else, so that pairs must be kept."""

    def find(self, among: Candidates) -> MatchedRows:
        """One join over the columns that conditions need. Raises `MergeAmbiguousError`, and what Spark raises."""
        from pyspark.sql import functions

        if not among.adds:
            return MatchedRows(among, {}, matched_sources=0)
        by_source = self.clauses.numbered(ForRows.NOT_MATCHED_BY_SOURCE)
        matched = self.clauses.numbered(ForRows.MATCHED)
        rows = self.changed.scan(positions=True, metadata=self.before).rows(among.files)
        rows = rows if self.alias is None else rows.alias(self.alias)
        if by_source:
            rows = rows.withColumn(_BY_SOURCE, first_clause(by_source))
        joined = rows.join(self.source.for_join, as_column(self.condition), "left" if by_source else "inner")
        number = first_clause(matched)
        if by_source:
            is_matched = functions.col(SOURCE_ROW).isNotNull()
            number = functions.when(is_matched, number).otherwise(functions.col(_BY_SOURCE))
        # Under another id than the source's own, which Spark would change in a join of the two.
        source_row = functions.col(SOURCE_ROW).alias(SOURCE_ROW)
        pairs = joined.select(FILE, ROW, source_row, number.alias(CLAUSE))
        keeps = self.once or self.clauses.has(ForRows.NOT_MATCHED)
        if not matched and not by_source:
            seen = pairs.select(SOURCE_ROW).distinct().localCheckpoint()
            count = seen.count()
            return MatchedRows(among, {}, seen, count, count)
        matched_sources = None
        if keeps:
            pairs = pairs.localCheckpoint()
        if by_source:
            pairs = pairs.where(functions.col(SOURCE_ROW).isNotNull() | functions.col(CLAUSE).isNotNull())
        by_clause, count = self._positions(among, pairs)
        if keeps:
            matched_sources = _matched_sources(pairs, count)
        return MatchedRows(among, by_clause, pairs if keeps else None, matched_sources, count)

    def _positions(self, among: Candidates, pairs: DataFrame) -> tuple[Mapping[int, Positions], int]:
        """The rows of the table that each clause changes, and how many pairs. Raises `MergeAmbiguousError`."""
        by_clause: dict[int, dict[int, BitMap64]] = {}
        by_file: dict[int, list[FoundRows]] = {}
        for found in find_places(pairs, among.keys, among.adds, (CLAUSE,)):
            by_file.setdefault(found.file, []).append(found)
            (number,) = found.key
            if number is not None:
                by_clause.setdefault(number, {})[found.file] = found.rows
        if not self.clauses.may_match_twice:
            self._ensure_matched_once(pairs, by_file.values())
        return by_clause, sum(each.times for found in by_file.values() for each in found)

    def _ensure_matched_once(self, pairs: DataFrame, by_file: Iterable[Sequence[FoundRows]]) -> None:
        from pyspark.sql import functions

        if any(sum(each.times for each in found) > len(union(each.rows for each in found)) for found in by_file):
            # Only now they are counted, by Spark; at least one there is.
            twice = max(1, pairs.groupBy(FILE, ROW).count().where(functions.col("count") > 1).count())
            location = self.changed.location
            raise MergeAmbiguousError(
                f"{twice:,} rows of {location} are matched by more than one row of the source.",
                fix="Leave one row for each key in the source, and merge again.",
                details={"location": location, "rows": twice},
            )


def _matched_sources(pairs: DataFrame, count: int) -> int:
    """How many rows of the source are in these pairs, of which there are `count`."""
    from pyspark.sql import functions

    rows = pairs.select(SOURCE_ROW).where(functions.col(SOURCE_ROW).isNotNull())
    few = count <= MAX_PAIRS_BROADCAST
    return (rows.repartition(parts_for(count), SOURCE_ROW) if few else rows).distinct().count()


def first_clause(clauses: Mapping[int, MergeClause]) -> Column:
    """The number of the first clause whose condition holds; null where none does."""
    from pyspark.sql import functions

    chain: Column | None = None
    for number, clause in clauses.items():
        holds = functions.lit(True) if clause.condition is None else as_column(clause.condition)
        chain = functions.when(holds, number) if chain is None else chain.when(holds, number)
    return functions.lit(None).cast("int") if chain is None else chain
