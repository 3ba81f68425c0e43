"""Dropping what data files hold: they are rewritten where that is possible, else the exact statement is shown."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from deltaresolver.actions import AddFile, DeletionVector, RemoveFile
from deltaresolver.errors import FeatureInUseError, HistoryUsesFeatureError, PlanStepElsewhereError
from deltaresolver.model.operation import Operation
from deltaresolver.planning.rewriting_files.drop import drop_with_rewriting
from deltaresolver.planning.rewriting_files.rewriter import MetadataChange
from deltaresolver.planning.steps import Cost
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from tests.transactions import SCHEMA

VECTOR = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 40, 6, 1)


@attrs.frozen
class Rewriter:
    """Replaces every file by one that holds nothing odd; `asked` are the operations."""

    asked: list[str] = attrs.field(factory=list)

    def purge(self, table: Table, operation: Operation) -> int:
        return self._rewrite(table, None, operation)

    def rewrite(self, table: Table, change: MetadataChange, operation: Operation) -> int:
        return self._rewrite(table, change, operation)

    def _rewrite(self, table: Table, change: MetadataChange | None, operation: Operation) -> int:
        self.asked.append(operation.name)
        transaction = table.start_transaction()
        old = transaction.filter_files()
        if change is not None:
            transaction.update_metadata(change(table.update()))
        new = [attrs.evolve(file, path=f"new-{file.path}", deletion_vector=None, data_change=False) for file in old]
        return transaction.commit(
            [
                *(RemoveFile(file.path, 1, data_change=False, deletion_vector=file.deletion_vector) for file in old),
                *new,
            ],
            operation,
        )


def table_with(path: Path, properties: dict[str, str], vector: DeletionVector | None = None) -> Table:
    table = Table.create(path, SCHEMA, properties=properties)
    table.start_transaction().commit(
        [
            AddFile(
                "a", {}, 9, 1, data_change=True, stats='{"numRecords":2,"tightBounds":false}', deletion_vector=vector
            )
        ],
        operations.write("Append"),
    )
    return table


@attrs.frozen
class Case:
    """A feature, what a table uses it by, and how files are rid of it."""

    feature: str
    properties: dict[str, str]
    vector: DeletionVector | None
    operation: str
    statement: str


VECTORS = Case("deletionVectors", {"delta.enableDeletionVectors": "true"}, VECTOR, "REORG", "APPLY (PURGE)")
MAPPING = Case("columnMapping", {"delta.columnMapping.mode": "name"}, None, "REMOVE COLUMN MAPPING", "DROP FEATURE")


@pytest.mark.parametrize("truncate", [False, True])
@pytest.mark.parametrize("case", [VECTORS, MAPPING], ids=lambda case: case.feature)
def test_files_are_written_again_and_the_feature_is_removed(tmp_path: Path, case: Case, *, truncate: bool) -> None:
    table = table_with(tmp_path / "t", case.properties, case.vector)
    feature = case.feature
    dry = drop_with_rewriting(table, feature, None, truncate_history=truncate, dry_run=True)
    assert dry.rewritten == Cost(bytes=9, files=1, steps=1, aborting=1)
    with pytest.raises(PlanStepElsewhereError) as elsewhere:
        drop_with_rewriting(table, feature, None, truncate_history=truncate)
    assert case.statement in (elsewhere.value.fix or "")
    assert table.update().table_version == 1

    rewriter = Rewriter()
    if truncate:
        with pytest.raises(HistoryUsesFeatureError):
            drop_with_rewriting(table, feature, rewriter, truncate_history=True)
        assert table.update().files().num_rows == 1
        return
    done = drop_with_rewriting(table, feature, rewriter)
    assert rewriter.asked == [case.operation]
    assert done.rewritten == dry.rewritten
    assert [done.outcome.commits[0].operation, done.outcome.commits[-1].operation] == [case.operation, "DROP FEATURE"]
    assert table.update().protocol == dry.outcome.after == done.outcome.after
    assert feature not in table.protocol.writer_feature_names


def test_what_rewriting_would_not_help_is_refused_as_before(tmp_path: Path) -> None:
    table = table_with(tmp_path / "t", {"delta.constraints.positive": "id > 0"})
    with pytest.raises(FeatureInUseError):
        drop_with_rewriting(table, "checkConstraints", Rewriter())
    plain = table_with(tmp_path / "u", {"delta.enableDeletionVectors": "true"})
    done = drop_with_rewriting(plain, "deletionVectors", Rewriter())
    assert done.rewritten is None
    assert "deletionVectors" not in plain.update().protocol.writer_feature_names
