"""CONVERT TO DELTA on two copies of a folder of Parquet files, here and by delta-spark."""

from __future__ import annotations

import datetime
import decimal
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import ConversionError
from deltaresolver.spark.tables import DeltaTable
from deltaresolver.spark.writing.statistics.footers import READ_HERE
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

Fill = Callable[[DeltaSpark, Path], None]


def plain(peer: DeltaSpark, folder: Path) -> None:
    rows = peer.spark.sql(
        "select id, cast(id as string) s, date'2024-01-01' d, timestamp'2024-01-01 10:00:00' t, 1.5bd n, "
        "named_struct('a', id, 'l', array(id)) st, map('k', id) m, X'00ff' b, cast('nan' as double) x from range(5)"
    )
    rows.repartition(2).write.parquet(str(folder))


def partitioned(peer: DeltaSpark, folder: Path) -> None:
    texts = "array('a', 'b c', 'd/e', 'f%g', 'h=i', 'ü', null)"
    rows = peer.spark.sql(f"select id, {texts}[id % 7] p, cast(id % 2 as int) q from range(20)")
    rows.write.partitionBy("p", "q").parquet(str(folder))


def of_several_schemas(peer: DeltaSpark, folder: Path) -> None:
    spark = peer.spark
    spark.sql("select cast(1 as byte) a, 'x' b").write.parquet(str(folder / "one"))
    spark.sql("select 70000 A, named_struct('z', 1) c").write.parquet(str(folder / "two"))
    spark.sql("select cast(2 as short) a, named_struct('y', 'v', 'z', 5) c, 'n' b").write.parquet(str(folder / "x/y"))


def of_another_writer(peer: DeltaSpark, folder: Path) -> None:
    folder.mkdir()
    table = pa.table(
        {
            "u": pa.array([1, 2**32 - 1], pa.uint32()),
            "i": pa.array([-1, 5], pa.int8()),
            "x": [1.0, float("nan")],
            "ms": pa.array([1, 10**12], pa.timestamp("ms")),
            "us": pa.array([1, 10**15], pa.timestamp("us", "UTC")),
            "n": [decimal.Decimal("-1.23"), None],
            "d": [datetime.date(1, 1, 1), datetime.date(2024, 1, 1)],
            "l": [[1, None], []],
            "s": ["a" * 100, None],
        }
    )
    pq.write_table(table, folder / "a b%20c.parquet")
    pq.write_table(table.slice(0, 0), folder / "empty.parquet")
    (folder / "_SUCCESS").write_bytes(b"")
    (folder / ".hidden").write_bytes(b"no parquet")


def with_notes(peer: DeltaSpark, folder: Path) -> None:
    plain(peer, folder)
    (folder / "notes.txt").write_text("x")


CASES: list[tuple[Fill, str | None, list[str]]] = [
    (plain, None, ["id > 3", "x > 1", "s = '4'", "st.a = 2"]),
    (partitioned, "p string, q int", ["p is null", "p = 'f%g'", "q = 1 and id < 5"]),
    (of_several_schemas, None, ["a = 70000", "b is not null", "c.y is null", "a is not null"]),
    (of_another_writer, None, ["u > 3000000000", "i < 0", "us > '2001-01-01'", "n < 0", "s like 'aaa%'"]),
]


def copies(peer: DeltaSpark, folder: Path, fill: Fill) -> tuple[str, str]:
    here, there = folder / "he re", folder / "th ere"
    fill(peer, here)
    shutil.copytree(here, there)
    return str(here), str(there)


def digest(frame: Any) -> list[str]:
    return sorted(str(row.asDict(recursive=True)) for row in frame.collect())


@pytest.mark.parametrize(("fill", "partitions", "conditions"), CASES, ids=lambda each: getattr(each, "__name__", None))
def test_converted_tables_equal_those_of_delta_spark(
    small_delta_spark: DeltaSpark, tmp_path: Path, fill: Fill, partitions: str | None, conditions: list[str]
) -> None:
    spark = small_delta_spark.spark
    here, there = copies(small_delta_spark, tmp_path, fill)
    before = {path for path in Path(here).rglob("*") if path.is_file()}
    ours = DeltaTable.convertToDelta(spark, f"parquet.`{here}`", partitions)
    by = "" if partitions is None else f" PARTITIONED BY ({partitions})"
    spark.sql(f"CONVERT TO DELTA parquet.`{there}`{by}")
    assert {path for path in Path(here).rglob("*") if path.is_file() and "_delta_log" not in path.parts} == before
    one, other = Table(here), Table(there)
    names = [field.name for field in other.metadata.schema.fields]
    # Which of several spellings a column gets, and the order of columns, depends on who reads which file first.
    assert sorted(field.name.lower() for field in one.metadata.schema.fields) == sorted(map(str.lower, names))
    assert digest(ours.toDF().select(*names)) == digest(small_delta_spark.read(there))
    assert digest(small_delta_spark.read(here).select(*names)) == digest(small_delta_spark.read(there))
    for condition in conditions:  # statistics leave files out
        expected = digest(small_delta_spark.read(there).where(condition))
        assert expected, condition
        assert digest(ds.read(spark, here).where(condition).select(*names)) == expected
        assert digest(small_delta_spark.read(here).where(condition).select(*names)) == expected
    types = [{field.name.lower(): field.type for field in each.metadata.schema.fields} for each in (one, other)]
    assert types[0] == types[1]
    assert one.protocol == other.protocol
    assert one.metadata.partition_columns == other.metadata.partition_columns
    adds = [
        {
            unquote(add.path): (add.size, add.partition_values)
            for add in each.snapshot().add_actions()
            if "empty" not in add.path
        }
        for each in (one, other)
    ]
    assert adds[0] == adds[1]
    # A file without rows is named here; there it is lost while rows are counted by file.
    commits = [each.history(1)[0] for each in (one, other)]
    assert commits[0].operation == commits[1].operation == "CONVERT"
    assert dict(commits[0].parameters) == dict(commits[1].parameters)
    fields = ("operationMetrics", "readVersion", "isolationLevel", "isBlindAppend")
    assert [commits[0].info.fields.get(each) for each in fields] == [
        commits[1].info.fields.get(each) for each in fields
    ]
    again = ds.convert_to_delta(spark, f"parquet.`{here}`", partitions)
    assert again.committed is None
    assert ds.convert_to_delta(spark, f"delta.`{here}`").committed is None
    assert one.update().table_version == 0


def test_without_statistics_and_with_defaults(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    spark = small_delta_spark.spark
    here, there = copies(small_delta_spark, tmp_path, plain)
    spark.conf.set("spark.databricks.delta.properties.defaults.enableDeletionVectors", "true")
    ds.convert_to_delta(spark, f"parquet.`{here}`", statistics=False)
    spark.sql(f"CONVERT TO DELTA parquet.`{there}` NO STATISTICS")
    spark.conf.unset("spark.databricks.delta.properties.defaults.enableDeletionVectors")
    one, other = Table(here), Table(there)
    assert one.protocol == other.protocol
    assert one.metadata.configuration == other.metadata.configuration
    assert all(add.stats is None for add in one.snapshot().add_actions())
    assert dict(one.history(1)[0].parameters) == dict(other.history(1)[0].parameters)
    ds.delete(spark, here, "id = 1")
    assert small_delta_spark.read(here).count() == 4


@pytest.mark.parametrize(
    ("fill", "partitions"),
    [
        (partitioned, None),
        (partitioned, "p string"),
        (partitioned, "q int, p string"),
        (partitioned, "p string, r int"),
        (partitioned, "p int, q int"),
        (plain, "p string"),
        (lambda peer, folder: folder.mkdir(), None),
        (with_notes, None),
        (
            lambda peer, folder: [
                peer.spark.sql(f"select {value} a").write.parquet(str(folder / name))
                for name, value in (("x", "1"), ("y", "'text'"))
            ],
            None,
        ),
    ],
    ids=["undeclared", "too few", "order", "name", "type", "too many", "empty", "other file", "types"],
)
def test_what_delta_spark_refuses_to_convert_is_refused(
    small_delta_spark: DeltaSpark, tmp_path: Path, fill: Any, partitions: str | None
) -> None:
    spark = small_delta_spark.spark
    here, there = copies(small_delta_spark, tmp_path, fill)
    by = "" if partitions is None else f" PARTITIONED BY ({partitions})"
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - whatever delta-spark raises
        spark.sql(f"CONVERT TO DELTA parquet.`{there}`{by}")
    with pytest.raises(ConversionError) as ours:
        DeltaTable.convertToDelta(spark, f"parquet.`{here}`", partitions)
    condition = getattr(theirs.value, "getCondition", lambda: None)()
    if condition is not None and condition.startswith("DELTA_"):
        assert ours.value.delta_condition == condition
    assert not Path(here, "_delta_log").exists() or not list(Path(here, "_delta_log").glob("*.json"))


def test_other_formats_are_refused_by_name(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    spark = small_delta_spark.spark
    plain(small_delta_spark, tmp_path / "t")
    for name in (f"orc.`{tmp_path}/t`", f"iceberg.`{tmp_path}/t`", f"`{tmp_path}/t`", "db.t"):
        with pytest.raises(ConversionError, match="only supports parquet tables"):
            DeltaTable.convertToDelta(spark, name)
    (tmp_path / "t/metadata").mkdir()
    (tmp_path / "t/metadata/v1.metadata.json").write_text("{}")
    with pytest.raises(ConversionError, match="iceberg source"):
        DeltaTable.convertToDelta(spark, f"parquet.`{tmp_path}/t`")
    plain(small_delta_spark, tmp_path / "u")
    (tmp_path / "u/more").symlink_to(tmp_path / "t")
    with pytest.raises(ConversionError, match="holds links, more"):
        DeltaTable.convertToDelta(spark, f"parquet.`{tmp_path}/u`")
    ds.write(spark.range(3), tmp_path / "v/inner")
    with pytest.raises(ConversionError, match="Delta tables of their own, inner"):
        DeltaTable.convertToDelta(spark, f"parquet.`{tmp_path}/v`")


def test_only_whole_files_of_a_stream_are_taken(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    spark = small_delta_spark.spark
    spark.range(10).write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema("id bigint").parquet(str(tmp_path / "in")).writeStream.format("parquet")
    query = (
        stream.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start(str(tmp_path / "t"))
    )
    query.awaitTermination()
    spark.range(5).coalesce(1).write.parquet(str(tmp_path / "half"))
    for file in (tmp_path / "half").glob("*.parquet"):
        shutil.copy(file, tmp_path / "t" / "half.parquet")
    shutil.copytree(tmp_path / "t", tmp_path / "there")
    table = DeltaTable.convertToDelta(spark, f"parquet.`{tmp_path}/t`")
    assert table.toDF().count() == 10


def test_many_files_are_read_by_tasks(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    spark, folder = small_delta_spark.spark, tmp_path / "t"
    for number in range(READ_HERE + 100):
        (folder / f"p={number % 5}").mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"id": [number], "s": [f"{number}"]}), folder / f"p={number % 5}" / f"{number}.parquet")
    (folder / "p=1" / "bad").write_bytes(b"no parquet")
    with pytest.raises(ConversionError, match="p=1/bad"):
        ds.convert_to_delta(spark, f"parquet.`{folder}`", "p int")
    (folder / "p=1" / "bad").unlink()
    table = DeltaTable.convertToDelta(spark, f"parquet.`{folder}`", "p int")
    expected = [(number, str(number), number % 5) for number in range(READ_HERE + 100)]
    assert sorted(map(tuple, table.toDF().collect())) == expected
    assert all('"numRecords":1' in (add.stats or "") for add in Table(folder).snapshot().add_actions())
    assert small_delta_spark.read(folder).where("id = 7 and p = 2").count() == 1
