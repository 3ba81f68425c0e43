"""What a probe knows of a table before any client is asked: its rows, and what it demands."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from deltaresolver.clients.probe.facts import needs_of_copy
from deltaresolver.clients.probe.measure import readable_here, shipped_tables
from deltaresolver.clients.probe.oracle import rows_of_client, rows_of_table
from deltaresolver.clients.probe.trial import subject_of
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.errors import ProbeTableError
from deltaresolver.model.schema import MapType, StructField, StructType
from deltaresolver.table import Table
from tests.log_reading import read_table


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """All of them, but for a pyarrow of a time before VARIANT."""
    shipped = shipped_tables(tmp_path_factory.mktemp("tables"))
    assert len(shipped) == 106
    readable = readable_here(shipped)
    assert readable == shipped or all("ariant" in path.name for path in {*shipped} - {*readable})
    return readable


def test_every_shipped_table_has_the_ten_rows_it_was_made_with(tables: list[Path]) -> None:
    expected = Counter((number, f"s{number}") for number in range(10))
    for path in tables:
        table = Table(str(path))
        rows = rows_of_table(table.snapshot(), table.log.store, path)
        assert Counter((one["id"], one["s"]) for one in map(json.loads, rows.counted.elements())) == expected, path.name
        nulls = [name for one in map(json.loads, rows.counted) for name, value in one.items() if value is None]
        assert nulls == [], path.name


def test_a_copy_demands_what_a_plain_reading_of_its_log_finds(tables: list[Path]) -> None:
    for path in tables:
        assert needs_of_copy(Table(str(path)).snapshot(), path) == TableNeeds.of(*read_table(path)), path.name


def test_looking_at_a_table_leaves_it_alone(tables: list[Path]) -> None:
    before = {path: path.stat().st_mtime_ns for path in tables[0].rglob("*")}
    subject_of(tables[0])
    assert {path: path.stat().st_mtime_ns for path in tables[0].rglob("*")} == before


@pytest.mark.parametrize("harm", ["no table", "no log", "file missing"])
def test_a_table_that_cannot_be_read_is_named(harm: str, tables: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "table"
    if harm == "no log":
        folder.mkdir()
    if harm == "file missing":
        (source,) = [path for path in tables if path.name == "legacy_1_2"]
        (folder / "_delta_log").mkdir(parents=True)
        for commit in (source / "_delta_log").glob("*.json"):
            (folder / "_delta_log" / commit.name).write_bytes(commit.read_bytes())
    with pytest.raises(ProbeTableError) as raised:
        subject_of(folder)
    assert str(folder) in raised.value.message


COLUMNS = (
    StructField("a", "long"),
    StructField("s", StructType((StructField("x", "double"), StructField("y", "string")))),
    StructField("m", MapType("string", "date")),
    StructField("t", "timestamp"),
)


def test_rows_count_as_equal_whatever_arrow_types_a_client_chose() -> None:
    day, moment = 19_000, 1_700_000_000_000_000
    one = pa.table(
        {
            "a": pa.array([1], pa.int64()),
            "s": pa.array([{"x": 1.5, "y": "é"}], pa.struct([("x", pa.float64()), ("y", pa.string())])),
            "m": pa.array([[("k", day)]], pa.map_(pa.string(), pa.date32())),
            "t": pa.array([moment], pa.timestamp("us", "UTC")),
        }
    )
    other = pa.table(
        {
            "t": pa.array([moment * 1000], pa.timestamp("ns", "Europe/Berlin")),
            "a": pa.array([1], pa.int32()),
            "s": pa.array([{"y": "é", "x": 1.5}], pa.struct([("y", pa.large_string()), ("x", pa.float32())])),
            "m": pa.array([[("k", day)]], pa.map_(pa.large_string(), pa.date32())),
        }
    )
    assert rows_of_client(COLUMNS, one) == rows_of_client(COLUMNS, other)
    null = one.set_column(0, "a", pa.array([None], pa.int64()))
    assert rows_of_client(COLUMNS, one) != rows_of_client(COLUMNS, null)
