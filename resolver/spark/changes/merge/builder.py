"""DeltaMergeBuilder: a MERGE put together clause by clause, under the names that PySpark users know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.spark.changes.arguments import checked_values, ensure_condition
from deltaresolver.spark.changes.conditions import Given
from deltaresolver.spark.changes.last_commit import LastCommit
from deltaresolver.spark.changes.merge.clauses import ClauseAct, ForRows, MergeClause, MergeClauses
from deltaresolver.spark.changes.merge.statement import Merge
from deltaresolver.spark.spark_errors import told_as_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltaresolver.transaction.commit.committed import Committed


ROW_COUNTS: Mapping[str, str] = {
    "num_updated_rows": "numTargetRowsUpdated",
    "num_deleted_rows": "numTargetRowsDeleted",
    "num_inserted_rows": "numTargetRowsInserted",
}
"""Columns of the result, and what history calls them."""


@attrs.frozen(slots=True, eq=False)
class DeltaMergeBuilder:
    """A MERGE and its clauses so far. Each method gives a new builder.

    Of the clauses for a kind of rows the first is carried out whose condition is true, or that has none. Conditions
    and values are Spark SQL or Columns: for matched rows over table and source, for rows that are not matched over the
    source, and for rows not matched by the source over the table.

    Methods raise `ArgumentInvalidError` (a ValueError) where `set` or `values` is left out, and `ArgumentTypeError` (a
    TypeError) for what is neither text nor a Column.
    """

    _merge: Merge
    _clauses: tuple[MergeClause, ...] = ()
    _last: LastCommit = attrs.field(factory=LastCommit, kw_only=True)

    def whenMatchedUpdate(
        self,
        condition: Given | None = None,
        set: Mapping[str, Given] | None = None,  # noqa: A002 - the name that PySpark users know
    ) -> DeltaMergeBuilder:
        """Give a matched row of the table the values of `set`."""
        return self._with(
            ForRows.MATCHED, ClauseAct.UPDATE, condition, checked_values(set, "'set' in whenMatchedUpdate")
        )

    def whenMatchedUpdateAll(self, condition: Given | None = None) -> DeltaMergeBuilder:
        """Give a matched row of the table the values of the source's columns of the same names."""
        return self._with(ForRows.MATCHED, ClauseAct.UPDATE, condition, takes_all=True)

    def whenMatchedDelete(self, condition: Given | None = None) -> DeltaMergeBuilder:
        """Delete a matched row of the table."""
        return self._with(ForRows.MATCHED, ClauseAct.DELETE, condition)

    def whenNotMatchedInsert(
        self, condition: Given | None = None, values: Mapping[str, Given] | None = None
    ) -> DeltaMergeBuilder:
        """Add a row for a row of the source that matches none; columns without a value get their default, else null."""
        given = checked_values(values, "'values' in whenNotMatchedInsert")
        return self._with(ForRows.NOT_MATCHED, ClauseAct.INSERT, condition, given)

    def whenNotMatchedInsertAll(self, condition: Given | None = None) -> DeltaMergeBuilder:
        """Add a row of the source that matches none, columns by name."""
        return self._with(ForRows.NOT_MATCHED, ClauseAct.INSERT, condition, takes_all=True)

    def whenNotMatchedBySourceUpdate(
        self,
        condition: Given | None = None,
        set: Mapping[str, Given] | None = None,  # noqa: A002 - the name that PySpark users know
    ) -> DeltaMergeBuilder:
        """Give a row of the table that no row of the source matches the values of `set`."""
        given = checked_values(set, "'set' in whenNotMatchedBySourceUpdate")
        return self._with(ForRows.NOT_MATCHED_BY_SOURCE, ClauseAct.UPDATE, condition, given)

    def whenNotMatchedBySourceDelete(self, condition: Given | None = None) -> DeltaMergeBuilder:
        """Delete a row of the table that no row of the source matches."""
        return self._with(ForRows.NOT_MATCHED_BY_SOURCE, ClauseAct.DELETE, condition)

    def withSchemaEvolution(self) -> DeltaMergeBuilder:
        """Add columns of the source to the table that clauses assign and the table lacks."""
        return attrs.evolve(self, merge=attrs.evolve(self._merge, evolves=True))

    @property
    def last_commit(self) -> Committed | None:
        """The commit of the last statement on the DeltaTable, this one included; None where nothing changed."""
        return self._last.committed

    @told_as_spark()
    def execute(self) -> DataFrame:
        """Merge, and give one row with the numbers of rows affected, updated, deleted and inserted.

        Raises `MergeClauseError` for clauses that do not go together, `AssignmentInvalidError`, `MergeAmbiguousError`
        where several rows of the source match one of the table, `PredicateUnreadableError`, `DataWriteError` kinds, and
        what a commit raises; the table is then unchanged.
        """
        outcome = self._merge.run(MergeClauses(self._clauses))
        self._last.committed = outcome.committed
        counts = [outcome.rows.get(name, 0) for name in ROW_COUNTS.values()]
        schema = ", ".join(f"{name} bigint" for name in ("num_affected_rows", *ROW_COUNTS))
        return self._merge.spark.createDataFrame([(sum(counts), *counts)], schema)

    def _with(
        self,
        rows: ForRows,
        act: ClauseAct,
        condition: Given | None,
        values: Mapping[str, Given] | None = None,
        *,
        takes_all: bool = False,
    ) -> DeltaMergeBuilder:
        ensure_condition(condition)
        clause = MergeClause(rows, act, condition, values or {}, takes_all)
        return attrs.evolve(self, clauses=(*self._clauses, clause))
