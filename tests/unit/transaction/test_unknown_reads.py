"""An append whose rows may be the table's own: it is not called blind, and collides with nobody on that account."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.errors import ConcurrentAppendError
from deltaresolver.model.actions import AddFile
from deltaresolver.table import Table
from deltaresolver.transaction.operation import write


@pytest.mark.parametrize("partitioned", [(), ("id",)])
def test_unknown_reads_are_recorded_and_do_not_conflict(tmp_path: Path, partitioned: tuple[str, ...]) -> None:
    table = Table.create(tmp_path / "t", "id BIGINT, v STRING", partition_columns=partitioned)
    values = dict.fromkeys(partitioned, "1")
    one, other = table.start_transaction(), table.start_transaction()
    for transaction in (one, other):
        transaction.track_unknown_reads()
    one.commit([AddFile("a", values, 1, 0, data_change=True)], write())
    assert one.is_blind_append is False
    assert other.commit([AddFile("b", values, 1, 0, data_change=True)], write()) == 2


def test_a_scope_of_another_transaction_counts_as_ones_own(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", "id BIGINT, v STRING", partition_columns=("id",))
    reader, writer, somebody = (table.start_transaction() for _ in range(3))
    reader.filter_files("id = 1")
    writer.track_scope(reader.read_scope)
    somebody.commit([AddFile("a", {"id": "1"}, 1, 0, data_change=True)], write())
    with pytest.raises(ConcurrentAppendError, match="id = 1"):
        writer.commit([AddFile("b", {"id": "2"}, 1, 0, data_change=True)], write())
