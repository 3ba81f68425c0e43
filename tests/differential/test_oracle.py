"""The oracle without Spark: what needs no expression, and how multisets are compared."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

import pyarrow as pa
import pytest

from tests.differential.expected import RefusedError, WrongError
from tests.differential.judge import ensure_same, net, shaped
from tests.differential.log_files import LogFiles
from tests.differential.oracle import Oracle
from tests.differential.program import (
    AddColumn,
    Append,
    Column,
    Create,
    Delete,
    DropColumn,
    Optimize,
    Overwrite,
    OverwritePartitions,
    RenameColumn,
    Restore,
    Rows,
    Settings,
    Step,
    Vacuum,
    WidenColumn,
)
from tests.differential.tables import MAPPING, WIDENING
from tests.differential.values import as_tuples, counted

KEY, PART = Column("k", "INT"), Column("_day", "STRING")


def rows(*values: tuple[int | None, str | None]) -> Rows:
    return Rows((KEY, PART), values)


def table(*steps: Step) -> Oracle:
    oracle = Oracle(cast("Any", None))
    create = Create(rows((1, "a"), (2, "b"), (3, "")), (KEY, PART), ("_day",), ((MAPPING, "name"), (WIDENING, "true")))
    for step in (create, *steps):
        oracle.accept(step, oracle.expect(step), is_version=True)
    return oracle


def test_an_empty_text_as_a_partition_is_null() -> None:
    assert as_tuples(table().rows) == [(1, "a"), (2, "b"), (3, None)]


def test_an_append_adds_and_an_overwrite_replaces() -> None:
    oracle = table(Append(rows((4, "a"))), Overwrite(rows((5, "c"))))
    assert as_tuples(oracle.rows) == [(5, "c")]
    assert [version.num_rows for _, version in oracle.versions] == [3, 4, 1]


def test_only_partitions_that_get_rows_are_replaced() -> None:
    oracle = table()
    expected = oracle.expect(OverwritePartitions(rows((9, "a"), (8, None))))
    assert sorted(as_tuples(expected.rows), key=str) == [(2, "b"), (8, None), (9, "a")]
    assert as_tuples(expected.kept) == [(2, "b")]
    assert expected.changes is not None
    feed = expected.changes.feed(expected.columns)
    assert feed == counted(
        pa.table({"t": ["insert", "insert", "delete", "delete"], "k": [9, 8, 1, 3], "d": ["a", None, "a", None]})
    )


def test_columns_that_rows_lack_are_null() -> None:
    found = table().expect(Append(Rows((PART,), (("z",),))))
    assert as_tuples(found.rows)[-1] == (None, "z")


def test_columns_are_added_and_dropped() -> None:
    new = Column("v", "FLOAT")
    oracle = table(AddColumn(new), WidenColumn("v", "DOUBLE"), RenameColumn("v", "w"), WidenColumn("k", "BIGINT"))
    assert oracle.columns == (Column("k", "BIGINT"), PART, Column("w", "DOUBLE"))
    assert as_tuples(oracle.rows)[0] == (1, "a", None)
    assert as_tuples(table(AddColumn(new), DropColumn("v")).rows) == as_tuples(table().rows)


def test_a_delete_without_a_condition_removes_all_rows() -> None:
    found = table().expect(Delete(None))
    assert found.rows.num_rows == 0
    assert found.metrics == {"numDeletedRows": 3}


@pytest.mark.parametrize("step", [DropColumn("x"), AddColumn(KEY), Append(Rows((Column("x", "INT"),), ((1,),)))])
def test_what_a_table_cannot_do_is_refused(step: Step) -> None:
    with pytest.raises(RefusedError):
        table().expect(step)


def test_an_earlier_version_is_restored_with_its_columns_and_rules() -> None:
    oracle = table(AddColumn(Column("v", "FLOAT")), Overwrite(rows((5, "c"))), Restore(2))
    assert oracle.columns == (KEY, PART)
    assert sorted(as_tuples(oracle.rows), key=str) == sorted(as_tuples(table().rows), key=str)
    assert as_tuples(table().expect(Restore(1)).rows) == as_tuples(table().rows), "its only version is there already"


def test_upkeep_changes_no_row() -> None:
    oracle = table(Optimize(), Vacuum(), Vacuum(retains=False))
    assert as_tuples(oracle.rows) == as_tuples(table().rows)
    assert oracle.oldest == 2, "files of earlier versions are gone"


def test_a_session_may_overwrite_partitions_only() -> None:
    oracle = table()
    oracle.accept(Settings(dynamic=True), oracle.expect(Settings(dynamic=True)), is_version=False)
    found = oracle.expect(Overwrite(rows((9, "a"))))
    assert sorted(as_tuples(found.rows), key=str) == [(2, "b"), (3, None), (9, "a")]


def test_a_table_made_without_timestamp_ntz_takes_no_such_column() -> None:
    with pytest.raises(RefusedError, match="TIMESTAMP_NTZ"):
        table().expect(AddColumn(Column("v", "TIMESTAMP_NTZ")))


def test_an_insert_and_a_delete_of_the_same_row_cancel_out() -> None:
    feed = Counter({("insert", 1, "a"): 2, ("delete", 1, "a"): 1, ("delete", 2, "b"): 1})
    assert net(feed) == {("insert", 1, "a"): 1, ("delete", 2, "b"): 1}


def test_rows_are_compared_as_multisets() -> None:
    one, two = counted(pa.table({"x": [1, 1]})), counted(pa.table({"x": [1]}))
    with pytest.raises(WrongError, match="1 rows are missing"):
        ensure_same("rows", one, two)
    nan = counted(pa.table({"x": [float("nan"), 0.0]}))
    ensure_same("rows", nan, counted(pa.table({"x": [0.0, float("nan")]})))
    assert nan != counted(pa.table({"x": [float("nan"), -0.0]}))


def test_a_column_of_another_type_or_name_is_noticed() -> None:
    with pytest.raises(WrongError, match="must be INT"):
        shaped("rows", pa.table({"k": pa.array([1], pa.int64())}), [KEY])
    with pytest.raises(WrongError, match="columns are"):
        shaped("rows", pa.table({"x": pa.array([1], pa.int32())}), [KEY])


def test_files_are_looked_at_on_disk(tmp_path: Any) -> None:
    import json

    import pyarrow.parquet as pq

    (tmp_path / "_delta_log").mkdir()
    pq.write_table(pa.table({"k": [1, 2]}), tmp_path / "a b.parquet")
    pq.write_table(pa.table({"k": [1, 2]}), tmp_path / "other.parquet")
    add = {"add": {"path": "a%20b.parquet", "stats": '{"numRecords": 3}'}}
    (tmp_path / "_delta_log" / f"{0:020}.json").write_text(json.dumps(add) + "\n")
    log = LogFiles(str(tmp_path))
    assert log.version() == 0
    assert log.problems(0) == ["a%20b.parquet has 2 rows, and numRecords is 3"]
    assert log.strangers(0) == ["other.parquet"]
