"""merge: rows of a source change, delete and add rows of a table, in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from deltaresolver.model.actions import AddFile
from deltaresolver.model.operation import Operation
from deltaresolver.spark.writing.changed_table import Candidates, ChangedTable
from deltaresolver.spark.writing.conditions import Given, shown, target_condition
from deltaresolver.spark.writing.identity_values import with_marks
from deltaresolver.spark.writing.merge_clauses import ForRows, MergeClauses
from deltaresolver.spark.writing.merge_schema import evolved, makings
from deltaresolver.spark.writing.merge_source import MergeSource
from deltaresolver.spark.writing.row_merge import MergedRows, RowMerge
from deltaresolver.spark.writing.row_violations import RuleBook
from deltaresolver.spark.writing.table_change import merge_policy, merges_by_session
from deltaresolver.spark.writing.table_reads import start_reading
from deltaresolver.spark.writing.table_write import explained, undone_on_failure
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.predicate_names import EVERYTHING, TargetNames

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.table import Table
    from deltaresolver.transaction.committed import Committed


@attrs.frozen(slots=True, eq=False)
class Merge:
    """A MERGE as asked: `condition` says which rows of `source` match which of the table called `alias`."""

    spark: SparkSession
    table: Table
    source: DataFrame
    condition: Given
    alias: str | None = None
    evolves: bool = False

    def run(self, clauses: MergeClauses) -> Committed | None:
        """Merge and commit; None where nothing changes. Raises as `DeltaMergeBuilder.execute`."""
        transaction = start_reading(self.table, self.source)
        changed = ChangedTable(transaction, self.table, self.spark)
        before, source = changed.metadata, MergeSource.of(self.source)
        evolves = self.evolves or merges_by_session(self.table.starter.session)
        if evolves:
            policy = merge_policy(transaction, merges=True, converts=True)
            after = evolved(before, clauses, source, policy, self.alias)
            if after is not before:
                transaction.update_metadata(after)
        making = makings(clauses, changed.metadata, source, self.alias, evolves=evolves)
        with undone_on_failure(transaction, [changed.undo]):
            names = TargetNames.of(before, self.alias, (field.name for field in source.schema.fields))
            if len(changed.snapshot.files()):
                with explained(RuleBook(), changed.location):
                    source = source.kept(self.condition, names, before)
            among = self._candidates(changed, clauses, names, source)
            merge = RowMerge(changed, before, source, self.condition, clauses, making, self.alias)
            merged = merge.run(among)
            if merged.counted:
                adds = [action for action in merged.actions if isinstance(action, AddFile)]
                marked = with_marks(transaction.metadata, merged.counted, adds)
                if marked != transaction.metadata:
                    transaction.replace_staged_metadata(marked)
            transaction.commit_if_needed(merged.actions, self._operation(clauses, merged), changed.tags)
        return transaction.committed

    def _candidates(
        self, changed: ChangedTable, clauses: MergeClauses, names: TargetNames, source: MergeSource
    ) -> Candidates:
        """Files with rows that may change, or that rows of the source may match."""
        if clauses.has(ForRows.NOT_MATCHED_BY_SOURCE):
            return changed.candidates(EVERYTHING)
        texts = [target_condition(self.condition, names).text]
        if not clauses.has(ForRows.NOT_MATCHED):
            found = [target_condition(each.condition, names).text for each in clauses.clauses]
            texts += [] if EVERYTHING in found else [" OR ".join(f"({text})" for text in found)]
        text = " AND ".join(f"({each})" for each in texts if each != EVERYTHING) or EVERYTHING
        return changed.candidates(text, source.bounds)

    def _operation(self, clauses: MergeClauses, merged: MergedRows) -> Operation:
        plain = operations.merge([shown(self.condition)])
        parameters = {**plain.parameters, **clauses.parameters()}
        return attrs.evolve(plain, parameters=parameters, metrics=merged.metrics())
