"""Row ids for an existing table: some files a commit, and a second call continues where the first was killed."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.policies import Proposal
from tests.transactions import add

BATCH = "spark.databricks.delta.rowTracking.backfill.maxNumFiles"
ENABLE = {"delta.enableRowTracking": "true"}


class KilledError(BaseException):
    """Stands for the end of the process."""


@attrs.frozen
class KillAtVersion:
    """A policy that ends whoever wants to commit this version."""

    table_version: int

    def check(self, proposal: Proposal) -> None:
        """Asked before each commit."""
        if proposal.draft.table_version == self.table_version:
            raise KilledError


@pytest.mark.parametrize("killed_at", [None, 3, 4, 5, 6])
def test_row_ids_are_given_in_batches_and_a_killed_run_is_finished(tmp_path: Path, killed_at: int | None) -> None:
    table = Table.create(tmp_path, "id LONG, p STRING", partition_columns=["p"])
    table.start_transaction().commit([add(f"f{number}") for number in range(7)], operations.write())
    if killed_at is not None:
        with pytest.raises(KilledError):
            Table(tmp_path, session={BATCH: "3"}, policies=[KillAtVersion(killed_at)]).alter(ENABLE)
    Table(tmp_path, session={BATCH: "3"}).alter(ENABLE)
    names = [entry.operation for entry in reversed(table.history())]
    assert names[2:] == ["UPGRADE PROTOCOL", *["ROW TRACKING BACKFILL"] * 3, "SET TBLPROPERTIES"]
    assert len({file.base_row_id for file in table.update().add_actions()}) == 7


@pytest.mark.parametrize("text", ["0", "-1", "many"])
def test_an_invalid_number_of_files_is_refused(tmp_path: Path, text: str) -> None:
    Table.create(tmp_path, "id LONG")
    with pytest.raises(PropertyInvalidError, match="maxNumFiles"):
        Table(tmp_path, session={BATCH: text}).alter(ENABLE)
