"""merge: rows of a source change, delete and add rows of a table, in one transaction."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.expressions.names import EVERYTHING, TargetNames
from deltaresolver.model.actions import AddFile
from deltaresolver.model.operation import Operation
from deltaresolver.spark.call_sites import no_call_sites
from deltaresolver.spark.changes.changed_table import Candidates, ChangedTable
from deltaresolver.spark.changes.conditions import Given, shown, target_condition
from deltaresolver.spark.changes.merge.clauses import ForRows, MergeClauses
from deltaresolver.spark.changes.merge.rows import RowMerge
from deltaresolver.spark.changes.merge.schema import evolved, makings
from deltaresolver.spark.changes.merge.source import MergeSource
from deltaresolver.spark.changes.own_columns import OwnColumns
from deltaresolver.spark.changes.statement_checks import ensure_condition, ensure_values, joined
from deltaresolver.spark.every_row import every_row
from deltaresolver.spark.large.large_log import large_log
from deltaresolver.spark.reading.file_facts import PREFIX
from deltaresolver.spark.writing.applications import ApplicationWrite
from deltaresolver.spark.writing.identity_values import with_marks
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.table_change import merge_policy, merges_by_session
from deltaresolver.spark.writing.table_reads import start_reading
from deltaresolver.spark.writing.table_write import explained, undone_on_failure
from deltaresolver.transaction import operation as operations

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.table import Table
    from deltaresolver.transaction.commit.committed import Committed

TARGET = f"{PREFIX}target"
"""What a table without an alias is called where its own columns must be told from the source's."""


@attrs.frozen(slots=True, eq=False)
class MergeOutcome:
    """The commit of a MERGE, None where nothing changed, and how many rows it changed, by kind."""

    committed: Committed | None = None
    rows: Mapping[str, int] = attrs.field(factory=dict)


@attrs.frozen(slots=True, eq=False)
class Merge:
    """A MERGE as asked: `condition` says which rows of `source` match which of the table called `alias`."""

    spark: SparkSession
    table: Table
    source: DataFrame
    condition: Given
    alias: str | None = None
    evolves: bool = False
    own: OwnColumns = attrs.field(factory=OwnColumns)

    @no_call_sites()
    def run(self, clauses: MergeClauses) -> MergeOutcome:
        """Merge and commit. Raises as `DeltaMergeBuilder.execute`."""
        if all(isinstance(given, str) for given in (self.condition, *clauses.givens)):
            return self.run_named(clauses)
        # Columns of the table's own DataFrames become names, which need something to stand before them.
        alias = TARGET if self.alias is None else self.alias

        def named(given: Given) -> Given:
            found = self.own.named(self.spark, given, alias, self.source)
            assert found is not None, "what is given stays given"
            return found

        merge = attrs.evolve(self, condition=named(self.condition), alias=alias)
        return merge.run_named(clauses.with_givens(named))

    def run_named(self, clauses: MergeClauses) -> MergeOutcome:
        """As `run`, for conditions and values without a Column of the table's own DataFrames."""
        transaction = start_reading(self.table, self.source)
        changed = ChangedTable(transaction, self.table, self.spark)
        application = ApplicationWrite.of(self.spark)
        if application.is_done(transaction, self.table):
            return MergeOutcome()
        before, source = changed.metadata, MergeSource.of(self.source)
        self._check(changed, clauses)
        evolves = self.evolves or merges_by_session(self.table.starter.session)
        if evolves:
            policy = merge_policy(transaction, merges=True, converts=True)
            after = evolved(before, clauses, source, policy, self.alias)
            if after is not before:
                transaction.update_metadata(after)
        making = makings(clauses, changed.metadata, source, self.alias, evolves=evolves)
        with undone_on_failure(transaction, [changed.undo]), every_row(self.spark, changed.metadata.schema):
            began = time.monotonic()
            names = TargetNames.of(before, self.alias, (field.name for field in source.schema.fields), changed.reading)
            if large_log(self.spark, changed.snapshot) is not None or len(changed.snapshot.files()):
                with explained(RuleBook(), changed.location):
                    source = source.kept(self.condition, names, before)
            kept = {"materializeSourceTimeMs": str(round((time.monotonic() - began) * 1000))}
            among = self._candidates(changed, clauses, names, source)
            merge = RowMerge(changed, before, source, self.condition, clauses, making, self.alias)
            merged = merge.run(among)
            if merged.counted:
                adds = [action for action in merged.actions if isinstance(action, AddFile)]
                marked = with_marks(transaction.metadata, merged.counted, adds)
                if marked != transaction.metadata:
                    transaction.replace_staged_metadata(marked)
            checked = changed.ensure_balanced(merged.actions, inserted=merged.inserted, deleted=merged.deleted)
            operation = self._operation(clauses, {**merged.metrics(), **changed.times(), **kept, **checked})
            actions = [*merged.actions, *application.actions()]
            transaction.commit_if_needed(actions, operation, changed.tags)
        application.finish()
        return MergeOutcome(transaction.committed, merged.rows)

    def _check(self, changed: ChangedTable, clauses: MergeClauses) -> None:
        """Raises what Spark raises for conditions and values that it can make no sense of."""
        target = changed.no_rows(self.alias)
        looked_at = {
            ForRows.MATCHED: joined(target, self.source, self.condition),
            ForRows.NOT_MATCHED: self.source,
            ForRows.NOT_MATCHED_BY_SOURCE: target,
        }
        for clause in clauses.clauses:
            if clause.condition is not None:
                ensure_condition(looked_at[clause.rows], clause.condition)
            ensure_values(looked_at[clause.rows], clause.values.values())

    def _candidates(
        self, changed: ChangedTable, clauses: MergeClauses, names: TargetNames, source: MergeSource
    ) -> Candidates:
        """Files with rows that may change, or that rows of the source may match."""
        if clauses.has(ForRows.NOT_MATCHED_BY_SOURCE):
            return changed.candidates(EVERYTHING)
        on_table = target_condition(self.condition, names)
        texts = [on_table.text]
        if not clauses.has(ForRows.NOT_MATCHED):
            found = [target_condition(each.condition, names).text for each in clauses.clauses]
            texts += [] if EVERYTHING in found else [" OR ".join(f"({text})" for text in found)]
        text = " AND ".join(f"({each})" for each in texts if each != EVERYTHING) or EVERYTHING
        given = changed.as_given(self.condition, self.alias, on_table, source.frame)
        return changed.candidates(text, source.bounds, given)

    def _operation(self, clauses: MergeClauses, metrics: Mapping[str, str]) -> Operation:
        plain = operations.merge([shown(self.condition)])
        parameters = {**plain.parameters, **clauses.parameters()}
        return attrs.evolve(plain, parameters=parameters, metrics=metrics)
