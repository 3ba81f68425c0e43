"""ds.enable: format("delta"), names and SQL of one session mean this library, and disable undoes it.

Run by test_without_delta_spark.py in a process of its own.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions

import deltaresolver.spark as ds
from deltaresolver.errors import TableNotFoundError, WriteOptionError
from deltaresolver.spark.tables import DeltaTable
from tests.unit.cli.pages import blocks_of, run_page

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def enabled(spark: SparkSession) -> SparkSession:
    return ds.enable(spark.newSession())


@pytest.fixture
def name(enabled: SparkSession) -> Iterator[str]:
    found = f"e_{uuid.uuid4().hex[:8]}"
    yield found
    ds.enable(enabled)
    enabled.sql(f"DROP TABLE IF EXISTS {found}")
    ds.disable(enabled)


def rows(frame: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=str)


def test_paths_are_written_and_read(enabled: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    enabled.range(3).write.format("delta").save(path)
    with pytest.raises(AnalysisException, match="DELTA_PATH_EXISTS"):
        enabled.range(3).write.format("delta").save(path)
    enabled.range(5, 6).write.mode("append").option("userMetadata", "u").save(path, format="delta")
    assert enabled.read.format("delta").load(path).count() == 4
    assert rows(enabled.read.option("versionAsOf", 0).load(path, "delta")) == [(0,), (1,), (2,)]
    assert enabled.read.format("delta").load(f"{path}@v0").count() == 3
    assert DeltaTable.forPath(enabled, path).history(1).collect()[0]["userMetadata"] == "u"
    ds.disable(enabled)


def test_names_are_written_and_read(enabled: SparkSession, name: str) -> None:
    enabled.range(2).withColumnRenamed("id", "x").write.format("delta").saveAsTable(name)
    enabled.createDataFrame([(7,)], "x bigint").write.format("delta").mode("append").saveAsTable(name)
    enabled.createDataFrame([(8,)], "any_name int").write.insertInto(name)
    assert rows(enabled.table(name)) == rows(enabled.read.table(name)) == [(0,), (1,), (7,), (8,)]
    assert rows(enabled.sql(f"SELECT sum(x) FROM {name}")) == [(16,)]
    enabled.sql(f"ALTER TABLE {name} SET TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    other = enabled.createDataFrame([(1, "a")], "x bigint, y string").write.format("delta").mode("overwrite")
    with pytest.raises(AnalysisException):
        other.saveAsTable(name)
    other.option("overwriteSchema", "true").saveAsTable(name)
    assert rows(enabled.table(name)) == [(1, "a")]
    table = DeltaTable.forName(enabled, name)
    assert table.detail().collect()[0]["properties"] == {"delta.enableChangeDataFeed": "true"}
    told = table.history().collect()
    assert [row["operation"] for row in told][:3] == ["CREATE OR REPLACE TABLE AS SELECT", "SET TBLPROPERTIES", "WRITE"]
    assert told[0]["operationParameters"]["isV1SaveAsTableOverwrite"] == "true"


def test_the_catalog_knows_tables_and_their_columns(enabled: SparkSession, name: str, tmp_path: Path) -> None:
    enabled.sql(
        f"CREATE TABLE {name} (id BIGINT COMMENT 'the id', `b c` ARRAY<INT>, p STRING) USING delta PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name') COMMENT 'all of it'"
    )
    catalog = enabled.catalog
    for known in (name, f"default.{name.upper()}", f"spark_catalog.default.{name}"):
        assert catalog.tableExists(known)
        catalog.refreshTable(known)
    path = str(tmp_path / "p")
    assert not catalog.tableExists(f"delta.`{path}`")
    enabled.range(1).write.format("delta").save(path)
    assert catalog.tableExists(f"delta.`{path}`")
    assert not catalog.tableExists(f"{name}_not")
    found = catalog.getTable(name)
    assert (found.name, found.database, found.description, found.tableType) == (name, "default", "all of it", "MANAGED")
    assert [(each.name, each.tableType) for each in catalog.listTables(pattern=name)] == [(name, "MANAGED")]
    columns = [(each.name, each.description, each.dataType, each.isPartition) for each in catalog.listColumns(name)]
    expected = [("id", "the id", "bigint", False), ("b c", None, "array<int>", False), ("p", None, "string", True)]
    assert columns == expected
    enabled.range(1).createOrReplaceTempView(f"{name}_view")
    assert catalog.tableExists(f"{name}_view")
    assert [each.name for each in catalog.listColumns(f"{name}_view")] == ["id"]
    assert catalog.dropTempView(f"{name}_view")
    ds.disable(enabled)
    assert type(enabled.catalog) is type(enabled.newSession().catalog)


def test_write_to_makes_and_changes_tables(enabled: SparkSession, name: str) -> None:
    frame = enabled.range(2).selectExpr("id", "id AS p")
    frame.writeTo(name).using("delta").partitionedBy(functions.col("p")).tableProperty("k", "v").create()
    frame.writeTo(name).append()
    enabled.createDataFrame([(7, 1)], "id bigint, p bigint").writeTo(name).overwritePartitions()
    enabled.createDataFrame([(8, 0)], "id bigint, p bigint").writeTo(name).overwrite(functions.col("p") == 0)
    assert rows(enabled.table(name)) == [(7, 1), (8, 0)]
    detail = DeltaTable.forName(enabled, name).detail().collect()[0]
    assert (detail["partitionColumns"], detail["properties"]) == (["p"], {"k": "v"})
    frame.writeTo(name).using("delta").createOrReplace()
    assert rows(enabled.table(name)) == [(0, 0), (1, 1)]


def test_streams_read_and_write(enabled: SparkSession, name: str, tmp_path: Path) -> None:
    source, sink = str(tmp_path / "source"), str(tmp_path / "sink")
    enabled.range(4).write.format("delta").save(source)

    def each(batch: Any, number: int) -> None:
        batch.write.format("delta").mode("append").save(str(tmp_path / "each"))

    read = enabled.readStream.format("delta").load(source)
    to_path = read.writeStream.format("delta").option("checkpointLocation", str(tmp_path / "1"))
    to_path.trigger(availableNow=True).start(sink).awaitTermination()
    to_table = read.writeStream.format("delta").option("checkpointLocation", str(tmp_path / "2"))
    to_table.trigger(availableNow=True).toTable(name).awaitTermination()
    by_batch = read.writeStream.foreachBatch(each).option("checkpointLocation", str(tmp_path / "3"))
    by_batch.trigger(availableNow=True).start().awaitTermination()
    for frame in (enabled.read.format("delta").load(sink), enabled.table(name)):
        assert rows(frame) == [(0,), (1,), (2,), (3,)]
    assert enabled.read.format("delta").load(str(tmp_path / "each")).count() == 4
    ds.disable(enabled)


def test_errors_are_caught_as_spark_s_own(enabled: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(AnalysisException, match="is not a Delta table") as raised:
        enabled.read.format("delta").load(str(tmp_path / "none"))
    assert isinstance(raised.value, TableNotFoundError)
    assert raised.value.getCondition() == "PATH_NOT_FOUND"
    with pytest.raises(WriteOptionError):
        enabled.range(1).write.format("delta").save()
    with pytest.warns(UserWarning, match="no meaning"):
        enabled.range(1).write.format("delta").option("header", "true").save(str(tmp_path / "t"))
    ds.disable(enabled)


def test_other_formats_other_sessions_and_later_statements_are_spark_s(
    spark: SparkSession, enabled: SparkSession, tmp_path: Path
) -> None:
    enabled.range(3).write.parquet(str(tmp_path / "parquet"))
    assert enabled.read.parquet(str(tmp_path / "parquet")).count() == 3
    assert type(enabled.newSession()) is type(spark)
    for other in (spark, enabled.newSession(), ds.disable(enabled)):
        with pytest.raises(Exception, match="DATA_SOURCE_NOT_FOUND"):
            other.range(1).write.format("delta").save(str(tmp_path / "never"))
        with pytest.raises(Exception, match="DATA_SOURCE_NOT_FOUND"):
            other.read.format("delta").load(str(tmp_path / "never"))
    assert not (tmp_path / "never").exists()
    assert type(spark.range(1)).write.fget.__module__.startswith("pyspark.")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM T!",
        "INSERT INTO T! VALUES (1)",
        "ALTER TABLE T! SET TBLPROPERTIES ('delta.appendOnly' = 'true')",
        "ALTER TABLE T! ADD COLUMNS (z INT)",
        "ALTER TABLE T! RENAME TO other",
        "COMMENT ON TABLE T! IS 'x'",
        "TRUNCATE TABLE T!",
        "DROP TABLE T!",
        "CREATE OR REPLACE TABLE T! (a INT) USING delta",
    ],
)
def test_plain_spark_fails_on_a_name_that_was_made_here(
    spark: SparkSession, enabled: SparkSession, name: str, statement: str
) -> None:
    enabled.sql(f"CREATE TABLE {name} (a INT) USING delta")
    with pytest.raises(Exception, match=r"DATA_SOURCE_NOT_FOUND|NOT_SUPPORTED|UNSUPPORTED|in plain spark\.sql"):
        spark.sql(statement.replace("T!", name)).collect()
    assert rows(ds.read(spark, name)) == []


def test_two_sessions_see_each_other_s_tables(spark: SparkSession, enabled: SparkSession, name: str) -> None:
    enabled.sql(f"CREATE TABLE {name} (a INT) USING delta")
    ds.sql(spark, f"INSERT INTO {name} VALUES (1)")
    assert rows(enabled.table(name)) == rows(ds.read(spark, name)) == [(1,)]
    ds.write(ds.read(spark, f"default.{name}"), name, mode="append")
    assert DeltaTable.isDeltaTable(spark, name)
    assert rows(DeltaTable.forName(spark, f"spark_catalog.default.{name}").toDF()) == [(1,), (1,)]
    assert name in [row["tableName"] for row in spark.sql("SHOW TABLES").collect()]


def test_rows_of_pandas_and_arrow_are_written(spark: SparkSession, tmp_path: Path) -> None:
    import pandas as pd
    import pyarrow as pa

    table = pa.table({"a": [1, 2], "b": pa.array(["x", None]).dictionary_encode(), "c": [[1], []]})
    ds.write(table, str(tmp_path / "arrow"), spark=spark)
    ds.write(pd.DataFrame({"a": [1, 2], "b": ["x", None]}), str(tmp_path / "pandas"), spark=spark)
    assert rows(ds.read(spark, str(tmp_path / "arrow"))) == [(1, "x", [1]), (2, None, [])]
    assert rows(ds.read(spark, str(tmp_path / "pandas"))) == [(1, "x"), (2, None)]
    with pytest.raises(TypeError, match="must be a DataFrame"):
        ds.write([1], str(tmp_path / "list"), spark=spark)


def test_frames_are_merged_into_names(enabled: SparkSession, name: str) -> None:
    enabled.createDataFrame([(1, "a"), (2, "b"), (3, "c")], "id int, s string").write.format("delta").saveAsTable(name)
    source = enabled.createDataFrame([(2, "B"), (4, "d")], "id int, s string").alias("source")
    writer = source.mergeInto(name, functions.expr(f"source.id = {name}.id"))
    writer = writer.whenMatched(functions.expr("source.s <> 'x'")).update({"s": functions.col("source.s")})
    writer.whenNotMatched().insertAll().whenNotMatchedBySource(functions.col("id") == 3).delete().merge()
    assert rows(enabled.table(name)) == [(1, "a"), (2, "B"), (4, "d")]
    with pytest.raises(AnalysisException):
        source.mergeInto(name, functions.expr("source.nothing = 1")).whenMatched().delete().merge()
    ds.disable(enabled)
    assert type(source.mergeInto(name, functions.expr("true"))).__name__ == "MergeIntoWriter"


def test_rows_for_a_function_need_no_folder_of_a_stream(enabled: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    ds.write(enabled.range(4), path)
    seen: list[int] = []
    query = (
        enabled.readStream.format("delta")
        .load(path)
        .writeStream.format("delta")
        .foreachBatch(lambda rows, _: seen.append(rows.count()))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(60)
    assert sum(seen) == 4


@pytest.mark.parametrize(
    "page",
    ["how-to/move-from-delta-spark", "tutorial/quick-start", "tutorial/upsert", "tutorial/change-feed"],
)
def test_every_block_of_a_page_for_delta_spark_s_users_runs(
    spark: SparkSession, root: Path, tmp_path: Path, page: str
) -> None:
    assert spark.version
    run_page(root / f"docs/{page}.md", tmp_path)


def test_every_block_of_the_page_about_sql_runs(spark: SparkSession, root: Path, tmp_path: Path) -> None:
    """As read: the reader has a session and the table that the page deletes from."""
    ds.write(spark.range(9), str(tmp_path / "lake/old"))
    names: dict[str, Any] = {"spark": spark}
    try:
        for block in blocks_of((root / "docs/sql.md").read_text(encoding="utf-8")):
            if block.language == "python":
                exec(block.text.replace("`/lake", f"`{tmp_path}/lake"), names)
        assert ds.read(spark, "events").collect()[0].id == 2
        assert ds.read(spark, "numbers").count() == 3
        assert 7 not in {row.id for row in ds.read(spark, str(tmp_path / "lake/old")).collect()}
    finally:
        ds.disable(spark)
        for name in ("events", "numbers"):
            ds.sql(spark, f"DROP TABLE IF EXISTS {name}")
