"""VACUUM with an inventory: only what it names is looked at, and the storage has the last word."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa
import pytest

from deltaresolver.errors import ArgumentInvalidError
from deltaresolver.transaction.vacuum.inventory import COLUMNS
from tests import nasty
from tests.logs import add, remove
from tests.unit.transaction.vacuum.test_vacuum import DAY_S, below, put, table_with

OLD_MS = 1_000


def inventory(*rows: tuple[str | None, bool, int | None]) -> pa.Table:
    """Rows of a path, whether it is a folder, and its time."""
    columns = ([path for path, _, _ in rows], [7] * len(rows), [each for _, each, _ in rows], [ms for _, _, ms in rows])
    return pa.table(dict(zip(COLUMNS, map(pa.array, columns, COLUMNS.values()), strict=True)))


def test_only_files_that_are_listed_old_and_unneeded_are_deleted(tmp_path: Path) -> None:
    now = time.time_ns() // 1_000_000
    table = table_with(tmp_path, add("live.parquet"), remove("gone.parquet", now - 1_000))
    for name in ("live.parquet", "gone.parquet", "orphan.parquet", "unnamed.parquet", "claimed young.parquet"):
        put(tmp_path / name)
    put(tmp_path / "claimed old.parquet", age_s=60)
    named = ["live.parquet", "gone.parquet", "orphan.parquet", "claimed old.parquet", "never there.parquet"]
    rows = [(f"file:{tmp_path}/{name}", False, OLD_MS) for name in named]
    rows += [(f"{tmp_path}/claimed young.parquet", False, now), (f"{tmp_path}", True, OLD_MS)]

    listed = table.vacuum(inventory=inventory(*rows), dry_run=True)
    assert listed.paths == ("orphan.parquet",)
    outcome = table.vacuum(inventory=inventory(*rows))

    assert outcome.deleted.files == 1
    assert below(tmp_path) == {
        "live.parquet", "gone.parquet", "unnamed.parquet", "claimed young.parquet", "claimed old.parquet"
    }  # fmt: skip


def test_paths_outside_hidden_ones_and_those_of_tables_inside_stay(tmp_path: Path) -> None:
    table = table_with(tmp_path / "t", partitions=("_day",))
    table_with(tmp_path / "t" / "inner")
    inside = ["_day=1/a.parquet", "_hidden/b.parquet", ".c.parquet", "inner/d.parquet", "inner/p=1/e.parquet"]
    for name in inside:
        put(tmp_path / "t" / name)
    put(tmp_path / "f.parquet")
    put(tmp_path / "t2" / "g.parquet")
    log = put(tmp_path / "t" / "_delta_log" / "h.json")
    (tmp_path / "t" / "linked").symlink_to(tmp_path / "t2")
    names = [*inside, "../f.parquet", "../t2/g.parquet", "linked/g.parquet", "_delta_log/h.json", "./_day=1/../x"]
    rows = [(f"{tmp_path}/t/{name}", False, OLD_MS) for name in names]

    outcome = table.vacuum(inventory=inventory(*rows, (None, False, 1), (f"{tmp_path}/t2/g.parquet", False, None)))

    assert outcome.paths == ("_day=1/a.parquet",)
    assert outcome.deleted.files == 1
    assert below(tmp_path / "t") == {*inside[1:], "linked"} | {"inner/_delta_log/00000000000000000000.json"}
    assert outcome.other_tables == ("inner",)
    assert log.exists()
    assert (tmp_path / "f.parquet").exists()
    assert (tmp_path / "t2" / "g.parquet").exists()


def test_nasty_names_are_those_of_the_folder(tmp_path: Path) -> None:
    names = [f"p={value}" for value in nasty.STRINGS if value and not set(value) & set("/\0") and len(value) < 80]
    table = table_with(tmp_path)
    for name in names:
        put(tmp_path / name)
    rows = [(f"file://{tmp_path}/{name}", False, OLD_MS) for name in names]
    assert table.vacuum(inventory=inventory(*rows)).deleted.files == len(set(names))
    assert below(tmp_path) == set()


def test_the_newest_row_of_a_file_counts(tmp_path: Path) -> None:
    table = table_with(tmp_path)
    put(tmp_path / "a.parquet", age_s=40 * DAY_S)
    now = time.time_ns() // 1_000_000
    both = [(f"{tmp_path}/a.parquet", False, OLD_MS), (f"{tmp_path}/a.parquet", False, now)]
    assert table.vacuum(inventory=inventory(*both)).deleted.files == 0


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_that_is_missing_or_of_another_type_is_refused(tmp_path: Path, column: str) -> None:
    table, full = table_with(tmp_path), inventory((f"{tmp_path}/a", False, OLD_MS))
    other = full.set_column(full.column_names.index(column), column, pa.array([1.5]))
    for wrong in (full.drop_columns([column]), other):
        with pytest.raises(ArgumentInvalidError, match=f"Required fields are.*{column}"):
            table.vacuum(inventory=wrong)


def test_lite_takes_no_inventory(tmp_path: Path) -> None:
    with pytest.raises(ArgumentInvalidError, match="Inventory option is not compatible with LITE"):
        table_with(tmp_path).vacuum(kind="LITE", inventory=inventory())
