"""Statements with conditions that can be misread: the rows that Spark selects change, and no others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.spark.held_settings import session_settings
from tests import nasty

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

NAMES = ("O'Brien", "OBrien", "O''Brien", 'say "x"', "say x", "a\\b", "Smith")
CONSECUTIVE = "spark.sql.legacy.consecutiveStringLiterals.enabled"
ESCAPED = "spark.sql.parser.escapedStringLiterals"
ANSI = "spark.sql.ansi.enabled"
SPELLINGS = ("name = 'O''Brien'", 'name = "say ""x"""', "name IN ('a' '\\\\b', \"O'Brien\")", "name LIKE 'O''%'")
SESSIONS: tuple[Mapping[str, str], ...] = ({}, {CONSECUTIVE: "true"}, {ESCAPED: "true"})


def people(spark: SparkSession) -> DataFrame:
    rows = ", ".join(f"({number}L, cast(X'{name.encode().hex()}' as string))" for number, name in enumerate(NAMES))
    return spark.sql(f"select * from values {rows} as t(id, name)")


def ids(rows: DataFrame) -> list[int]:
    return sorted(row["id"] for row in rows.select("id").collect())


def in_session(spark: SparkSession, settings: Mapping[str, str]) -> AbstractContextManager[None]:
    return session_settings(spark, settings)


@pytest.fixture(params=[(), ("name",)], ids=["files", "partitions"])
def table(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Path:
    """A table with each name in a file of its own."""
    rows = people(spark).coalesce(1)
    ds.write(rows, tmp_path / "t", partition_by=request.param, options={"maxRecordsPerFile": 1})
    return tmp_path / "t"


@pytest.mark.parametrize("settings", SESSIONS, ids=["default", "consecutive", "escaped"])
def test_reading_gives_what_spark_selects(spark: SparkSession, table: Path, settings: Mapping[str, str]) -> None:
    conditions = [f"name = {way}" for name in (NAMES[0], NAMES[3], NAMES[5]) for way in nasty.string_literals(name)]
    with in_session(spark, settings):
        for condition in (*conditions, *SPELLINGS):
            assert ids(ds.read(spark, table, where=condition)) == ids(people(spark).where(condition)), condition


def removed(spark: SparkSession, table: Path, condition: str) -> list[int]:
    ds.delete(spark, table, condition)
    return ids(ds.read(spark, table))


def updated(spark: SparkSession, table: Path, condition: str) -> list[int]:
    ds.DeltaTable.forPath(spark, str(table)).update(condition, {"id": "id + 100"})
    return [number for number in ids(ds.read(spark, table)) if number < 100]


def merged(spark: SparkSession, table: Path, condition: str) -> list[int]:
    one = spark.sql("select 0L n")
    target = ds.DeltaTable.forPath(spark, str(table)).alias("t")
    target.merge(one.alias("s"), f"t.{condition} and s.n = 0").whenMatchedDelete().execute()
    return ids(ds.read(spark, table))


def replaced(spark: SparkSession, table: Path, condition: str) -> list[int]:
    new = people(spark).where(condition).selectExpr("id + 100 id", "name").limit(1)
    ds.write(new, table, mode="overwrite", options={"replaceWhere": condition})
    return [number for number in ids(ds.read(spark, table)) if number < 100]


@pytest.mark.parametrize("change", [removed, updated, merged, replaced])
@pytest.mark.parametrize("settings", [{}, {CONSECUTIVE: "true"}], ids=["default", "consecutive"])
def test_only_what_spark_selects_is_changed(
    spark: SparkSession, table: Path, change: Callable[..., list[int]], settings: Mapping[str, str]
) -> None:
    condition = "name = 'O''Brien'"
    with in_session(spark, settings):
        gone = set(ids(people(spark).where(condition)))
        assert len(gone) == 1
        assert change(spark, table, condition) == [number for number in range(len(NAMES)) if number not in gone]


WIDE: tuple[tuple[str, str, str], ...] = (
    ("tn", "timestamp_ntz", "tn = '2024-01-01'"),
    ("tn", "timestamp_ntz", "tn >= '2024-01-02'"),
    ("tn", "timestamp_ntz", "tn >= '2024-01-02 00:00:00Z'"),
    ("tn", "timestamp_ntz", "tn in ('2024-01-01', '2024-01-02 00:00:00')"),
    ("f", "float", "f = '0.1'"),
    ("f", "float", "f in ('0.1')"),
    ("f", "float", "f <> 0.1"),
    ("ts", "timestamp", "ts in ('2024-01-01', '2024-01-02 00:00:00')"),
    ("ts", "timestamp", "ts not in ('2024-01-01')"),
    ("i", "int", "i in ('01', '2')"),
    ("i", "int", "i not in ('01')"),
    ("d", "date", "d in ('2024-1-1')"),
)
MIXED = """
select 1 id, timestamp_ntz'2024-01-01' tn, float(0.1) f, timestamp'2024-01-01' ts, 1 i, date'2024-01-01' d union all
select 2, timestamp_ntz'2024-01-02', float(0.5), timestamp'2024-01-02', 2, date'2024-01-02'
"""


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_texts_beside_other_types_select_what_spark_selects(
    spark: SparkSession, tmp_path: Path, ansi: str, zone: str
) -> None:
    with in_session(spark, {ANSI: ansi, "spark.sql.session.timeZone": zone}):
        rows = spark.sql(MIXED)
        ds.write(rows.coalesce(1), tmp_path / "t", options={"maxRecordsPerFile": 1})
        for column in sorted({column for column, _, _ in WIDE}):
            ds.write(rows, tmp_path / column, partition_by=column)
        for column, _, condition in WIDE:
            expected = ids(rows.where(condition))
            for path in (tmp_path / "t", tmp_path / column):
                assert ids(ds.read(spark, path, where=condition)) == expected, (condition, path.name)


def test_a_column_that_was_float_is_found_by_the_numbers_it_holds(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.sql("select 1 id, float(3.1) f"), path, properties={"delta.enableTypeWidening": "true"})
    ds.write(spark.sql("select 2 id, 3.1D f"), path, mode="append", options={"mergeSchema": "true"})
    frame = ds.read(spark, path)
    assert dict(frame.dtypes)["f"] == "double"
    for condition in ("f < 3.1D", "f = float(3.1)", "f = 3.0999999046325684D", "f <= 3.0999999046325684D"):
        assert ids(ds.read(spark, path, where=condition)) == ids(frame.where(condition)) == [1], condition
    ds.delete(spark, path, "f < 3.1D")
    assert ids(ds.read(spark, path)) == [2]


def test_all_rows_are_found_by_a_condition_its_opposite_and_null(spark: SparkSession, table: Path) -> None:
    for condition in SPELLINGS:
        found: list[Any] = []
        for each in (condition, f"NOT ({condition})", f"({condition}) IS NULL"):
            found += ids(ds.read(spark, table, where=each))
        assert sorted(found) == list(range(len(NAMES)))
