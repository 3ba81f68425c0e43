"""Which partitions a statement leaves out or takes whole is up to Spark; a reading that differs ends the statement."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import PartitionReadingError
from deltaresolver.expressions import conditions
from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.spark.changes import changed_table
from deltaresolver.spark.changes.partition_answers import Narrowed, narrowed
from deltaresolver.table import Table
from tests.nasty import STRINGS, string_literals

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
TEXTS = [text for text in STRINGS if text and text != "__HIVE_DEFAULT_PARTITION__"]


def table_of(spark: SparkSession, path: str, texts: list[str] | None = None) -> None:
    """Two rows for each text, which is the partition, beside null."""
    given = [(place, text) for place, text in enumerate([*(texts or ["O'Brien", "OBrien", "b"]), None] * 2)]
    ds.write(spark.createDataFrame(given, "id int, p string"), path, partition_by=["p"])


def left(spark: SparkSession, path: str) -> set[str | None]:
    return {row.p for row in ds.read(spark, path).collect()}


def jobs(spark: SparkSession, act: Callable[[], object]) -> int:
    """How many jobs it takes."""
    group = "counted"
    spark.sparkContext.setJobGroup(group, group)
    act()
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", "")
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(group))


@pytest.mark.parametrize(
    "condition",
    [
        "p = 'b'",
        "p = 'O''Brien'",
        'P <=> "O\'Brien"',
        "p LIKE 'O%' AND length(p) = 7",
        "p IS NULL",
        "upper(p) = 'B'",
        "coalesce(p, 'b') = 'b'",
        "NOT (p = 'b')",
        "p IN ('b', 'OBrien') OR p IS NULL",
        "1 = 1",
        "current_date() > DATE'2000-01-01' AND p = 'b'",
    ],
)
def test_whole_partitions_are_removed_without_a_job(spark: SparkSession, tmp_path: Path, condition: str) -> None:
    path = str(tmp_path / "t")
    table_of(spark, path)
    stays = {row.p for row in ds.read(spark, path).where(f"NOT coalesce({condition}, false)").collect()}
    table = ds.DeltaTable.forPath(spark, path)
    assert jobs(spark, lambda: table.delete(condition)) == 0
    assert left(spark, path) == stays


def test_each_nasty_text_takes_its_own_partition_only(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    table_of(spark, path, TEXTS)
    table = ds.DeltaTable.forPath(spark, path)
    here: set[str | None] = {*TEXTS, None}
    for place, text in enumerate(TEXTS[::3]):
        spellings = string_literals(text)
        table.delete(f"p = {spellings[place % len(spellings)]}")
        here.discard(text)
        assert left(spark, path) == here, text


def misread(patch: pytest.MonkeyPatch) -> None:
    """`'a''b'` is taken for two literals beside each other."""
    patch.setattr(SqlReading, "of", classmethod(lambda cls, setting: cls(concatenates=True)))


def delete(spark: SparkSession, path: str, condition: str) -> None:
    ds.DeltaTable.forPath(spark, path).delete(condition)


def delete_by_alias(spark: SparkSession, path: str, condition: str) -> None:
    ds.DeltaTable.forPath(spark, path).alias("t").delete(condition.replace("p =", "t.p ="))


def update(spark: SparkSession, path: str, condition: str) -> None:
    ds.DeltaTable.forPath(spark, path).update(condition, {"id": "0"})


def replace(spark: SparkSession, path: str, condition: str) -> None:
    ds.write(spark.createDataFrame([], "id int, p string"), path, mode="overwrite", options={"replaceWhere": condition})


def merge(spark: SparkSession, path: str, condition: str) -> None:
    source = spark.sql("select 0 k, 'x' q union all select 100, 'y'").alias("s")
    merging = ds.DeltaTable.forPath(spark, path).alias("t").merge(source, f"s.k <=> t.id AND ({condition})")
    merging.whenMatchedDelete().whenNotMatchedInsert(values={"id": "s.k", "p": "s.q"}).execute()


@pytest.mark.parametrize("statement", [delete, delete_by_alias, update, replace, merge])
@pytest.mark.parametrize("condition", ["p = 'O''Brien'", "p = 'O''Brien' AND id >= 0", "NOT (p = 'O''Brien')"])
def test_a_condition_that_is_misread_here_changes_nothing(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    statement: Callable[[SparkSession, str, str], None],
    condition: str,
) -> None:
    path = str(tmp_path / "t")
    table_of(spark, path)
    misread(monkeypatch)
    with pytest.raises(PartitionReadingError, match="Brien") as caught:
        statement(spark, path, condition)
    assert caught.value.details["partitions"]
    assert Table(path).snapshot().table_version == 0
    assert left(spark, path) == {"O'Brien", "OBrien", "b", None}


@pytest.mark.parametrize(
    ("condition", "files"),
    [
        ("t.id = s.id AND t.p = 'b'", 1),
        ("t.p <=> NULL AND s.id = t.id", 1),
        ("t.p = s.p AND t.p = 'b'", 1),
        ("t.p = s.q", 2),
        ("s.q = t.p AND s.id + 1 > t.id AND upper(t.p) LIKE 'O%'", 1),
        ("t.id = s.id", 4),
    ],
)
def test_a_merge_reads_the_partitions_that_may_match(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, condition: str, files: int
) -> None:
    path = str(tmp_path / "t")
    ds.write(
        spark.sql("select 1 id, 'b' p union all select 2, 'O''Brien' union all select 3, 'z' union all select 4, null"),
        path,
        partition_by=["p"],
    )
    found: list[Narrowed] = []

    def kept(*given: Any) -> Narrowed:
        found.append(narrowed(*given))
        return found[-1]

    monkeypatch.setattr(changed_table, "narrowed", kept)
    source = spark.sql("select id, q, q p from values (1, 'b'), (2, 'O''Brien'), (4, 'b') t (id, q)").alias("s")
    merging = ds.DeltaTable.forPath(spark, path).alias("t").merge(source, condition)
    merging.whenMatchedDelete().execute()
    assert [len(each.files) for each in found] == [files]


@pytest.mark.parametrize("answer", [True, False])
def test_partition_values_that_are_misread_here_change_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, answer: bool
) -> None:
    path = str(tmp_path / "t")
    table_of(spark, path)
    asked = "surely_holds" if answer else "may_hold"
    monkeypatch.setattr(conditions.PartitionJudge, asked, lambda *_: answer)
    with pytest.raises(PartitionReadingError, match="true for all rows" if answer else "false for all rows"):
        delete(spark, path, "p = 'b'")
    monkeypatch.undo()
    assert left(spark, path) == {"O'Brien", "OBrien", "b", None}


def test_a_condition_that_fails_for_some_partition_is_left_to_the_scan(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    table_of(spark, path, ["1", "x"])
    delete(spark, path, "p <> 'x' AND cast(p AS int) = 1")
    assert left(spark, path) == {"x", None}


def test_a_padded_partition_is_judged_as_rows_have_it(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    Table.create(path, "id INT, p CHAR(4)", partition_columns=("p",))
    ds.write(spark.createDataFrame([(1, "a"), (2, "b")], "id int, p string"), path, mode="append")
    delete(spark, path, "p = 'a'")
    assert [row.id for row in ds.read(spark, path).collect()] == [2]


DYNAMIC = {"partitionOverwriteMode": "dynamic"}
SPELLINGS = [
    ("timestamp", "TIMESTAMP'2024-01-01 12:00:00'", "2024-01-01 12:00:00"),
    ("double", "1.0D", "1"),
    ("double", "0.0D", "-0.0"),
    ("decimal(10,2)", "1.50BD", "1.5"),
    ("date", "DATE'2024-01-01'", "2024-1-1"),
    ("int", "7", "007"),
    ("boolean", "true", "TRUE"),
]


@pytest.mark.parametrize(("kind", "value", "text"), SPELLINGS)
def test_partitions_are_the_same_however_the_log_spells_them(
    spark: SparkSession, tmp_path: Path, kind: str, value: str, text: str
) -> None:
    path = tmp_path / "t"
    ds.write(spark.sql(f"select 1 id, cast({value} as {kind}) p"), str(path), partition_by=["p"])
    commit = path / "_delta_log" / f"{0:020}.json"
    lines = [json.loads(line) for line in commit.read_text().splitlines()]
    for line in lines:
        if "add" in line:
            line["add"]["partitionValues"] = {"p": text}
    commit.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for checksum in (path / "_delta_log").glob("*.crc"):
        checksum.unlink()
    ds.write(spark.sql(f"select 2 id, cast({value} as {kind}) p"), str(path), mode="overwrite", options=DYNAMIC)
    assert [row.id for row in ds.read(spark, str(path)).collect()] == [2]
