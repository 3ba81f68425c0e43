"""Statements change the rows that were asked for and no others: arguments, unstable conditions, Columns, errors."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import functions

import deltaresolver.spark as ds
from deltaresolver.errors import ArgumentInvalidError, ArgumentTypeError, WriteOptionError
from tests.nasty import UNSTABLE_CONDITIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

VECTORS, FEED = "delta.enableDeletionVectors", "delta.enableChangeDataFeed"
APP, APP_VERSION = "spark.databricks.delta.write.txnAppId", "spark.databricks.delta.write.txnVersion"
LAYOUTS = [{}, {VECTORS: "true"}, {FEED: "true"}]


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> ds.DeltaTable:
    path = tmp_path / "t"
    ds.write(spark.range(6).selectExpr("id", "0 v", "cast(id as string) key").coalesce(1), path)
    return ds.DeltaTable.forPath(spark, path)


def rows_of(table: ds.DeltaTable) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in table.toDF().collect()), key=str)


def version_of(table: ds.DeltaTable) -> int:
    return table.table.update().table_version


# --- arguments -------------------------------------------------------------------------------------


def test_none_and_forgotten_arguments_are_refused_at_the_call(spark: SparkSession, table: ds.DeltaTable) -> None:
    source = spark.sql("select 1L id, 7 v, 'b' key").alias("s")
    merge = table.alias("t").merge(source, "t.id = s.id")
    value_error: list[tuple[Callable[[], object], str]] = [
        (lambda: table.merge(None, "true"), "'source' in merge cannot be None"),  # type: ignore[arg-type]
        (lambda: table.merge(source, None), "'condition' in merge cannot be None"),  # type: ignore[arg-type]
        (lambda: table.update("id = 1"), "'set' cannot be None"),
        (merge.whenMatchedUpdate, "'set' in whenMatchedUpdate cannot be None"),
        (lambda: merge.whenMatchedUpdate(set=None), "'set' in whenMatchedUpdate cannot be None"),
        (lambda: merge.whenNotMatchedInsert("s.v > 5"), "'values' in whenNotMatchedInsert cannot be None"),
        (merge.whenNotMatchedInsert, "'values' in whenNotMatchedInsert cannot be None"),
        (merge.whenNotMatchedBySourceUpdate, "'set' in whenNotMatchedBySourceUpdate cannot be None"),
        (lambda: table.addFeatureSupport(12), "featureName needs to be a string but got '<class 'int'>'."),  # type: ignore[arg-type]
    ]
    wrong: Any = 1
    boolean: Any = True
    type_error: list[tuple[Callable[[], object], str]] = [
        (lambda: table.delete(wrong), "'condition' must be a Spark SQL Column or a string (expression in SQL syntax)"),
        (lambda: table.delete(boolean), "'condition' must be a Spark SQL Column or a string"),
        (lambda: table.merge(wrong, "true"), "Type of 'source' in merge must be DataFrame."),
        (lambda: table.merge(source, wrong), "'condition' must be a Spark SQL Column or a string"),
        (lambda: table.update(wrong, {"v": "1"}), "'condition' must be a Spark SQL Column or a string"),
        (lambda: table.update(None, "v = 1"), "'set' must be a dict, found to be <class 'str'>"),  # type: ignore[arg-type]
        (lambda: table.update(None, {wrong: "1"}), "Keys of dict in 'set' must contain only strings with column names"),
        (lambda: merge.whenMatchedDelete(wrong), "'condition' must be a Spark SQL Column or a string"),
        (lambda: merge.whenNotMatchedInsertAll(wrong), "'condition' must be a Spark SQL Column or a string"),
    ]
    values: tuple[Any, ...] = (None, True, 5, 1.5, [])
    for value in values:
        given: Any = {"v": value}
        text = "must contain only Spark SQL Columns or strings (expressions in SQL syntax) as values"
        type_error += [
            (partial(table.update, set=given), f"Values of dict in 'set' {text}"),
            (partial(merge.whenMatchedUpdate, set=given), f"in 'set' in whenMatchedUpdate {text}"),
            (partial(merge.whenNotMatchedInsert, values=given), f"in 'values' in whenNotMatchedInsert {text}"),
        ]
    for act, text in value_error:
        with pytest.raises(ValueError, match=r".") as error:
            act()
        assert isinstance(error.value, ArgumentInvalidError)
        assert text in str(error.value)
    for act, text in type_error:
        with pytest.raises(TypeError) as wrong_type:
            act()
        assert isinstance(wrong_type.value, ArgumentTypeError)
        assert text in str(wrong_type.value)
    assert version_of(table) == 0


def test_arguments_have_the_names_of_delta_tables_and_those_of_before(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    ds.write(spark.range(3), path)
    table = ds.DeltaTable.forPath(sparkSession=spark, path=path, hadoopConf={})
    assert ds.DeltaTable.forPath(spark=spark, path=path).table.snapshot().table_version == 0
    assert ds.DeltaTable.isDeltaTable(sparkSession=spark, identifier=path)
    assert ds.DeltaTable.isDeltaTable(spark=spark, path=path)
    table.alias(aliasName="t").delete(condition="t.id = 0")
    table.alias(name="t").update(condition="t.id = 1", set={"id": "7"})
    source = spark.range(7, 9).alias("s")
    table.alias("t").merge(source=source, condition="t.id = s.id").whenMatchedDelete(condition=None).execute()
    table.addFeatureSupport(featureName="domainMetadata")
    table.addFeatureSupport(feature="domainMetadata")
    assert [row.id for row in table.toDF().collect()] == [2]


# --- conditions that move --------------------------------------------------------------------------


def test_unstable_conditions_are_refused_and_change_nothing(spark: SparkSession, table: ds.DeltaTable) -> None:
    path = table.table.log.store.location
    source = spark.range(4, 8).selectExpr("id", "5 v", "'s' key")
    unstable: Any = functions.udf(lambda _: True, "boolean")
    unnamed = unstable.asNondeterministic()(functions.col("id"))
    for condition in (*UNSTABLE_CONDITIONS, unnamed):
        acts: list[Callable[[], object]] = [
            partial(table.delete, condition),
            partial(table.update, condition, {"v": "1"}),
        ]
        if isinstance(condition, str):
            options = {"replaceWhere": condition}
            acts.append(partial(ds.write, source, path, mode="overwrite", options=options))
            bare = condition.replace("id ", "t.id ") if "id " in condition else condition
            on, by_key = f"t.id = s.id and {bare}", table.alias("t").merge(source.alias("s"), "t.id = s.id")
            clauses = [
                table.alias("t").merge(source.alias("s"), on).whenMatchedDelete(),
                by_key.whenMatchedDelete(bare),
                by_key.whenMatchedUpdate(bare, {"v": "1"}),
                by_key.whenNotMatchedInsertAll(condition),
                by_key.whenNotMatchedBySourceDelete(condition),
            ]
            acts += [clause.execute for clause in clauses]
        for number, act in enumerate(acts):
            with pytest.raises(AnalysisException) as error:
                act()
            assert error.value.getCondition() == "INVALID_NON_DETERMINISTIC_EXPRESSIONS", (condition, number)
    with pytest.raises(AnalysisException, match="INVALID_NON_DETERMINISTIC_EXPRESSIONS"):
        table.update("id = 1", {"v": "cast(rand() * 10 as int)"})
    assert version_of(table) == 0
    # A MERGE computes each value once, so that such a value may be assigned.
    merge = table.alias("t").merge(source.alias("s"), "t.id = s.id").whenMatchedUpdate(set={"key": "uuid()"})
    merge.whenNotMatchedInsert(values={"id": "s.id", "key": "uuid()"}).execute()
    keys = [key for _, _, key in rows_of(table)]
    assert len(keys) == len(set(keys)) == 8


@pytest.fixture
def flips(spark: SparkSession, tmp_path: Path) -> Callable[..., Any]:
    """A function that is true of each value when it is first asked and false ever after, and calls itself stable."""
    folder = tmp_path / "asked"
    folder.mkdir()

    def first(value: Any) -> bool:
        try:
            Path(folder, str(value)).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    # Spark would take a function with types for one of pandas.
    return functions.udf(lambda value: first(value), "boolean")  # noqa: PLW0108


@pytest.mark.parametrize("properties", LAYOUTS, ids=["plain", "vectors", "feed"])
@pytest.mark.parametrize("act", ["delete", "update", "on", "matched", "by source"])
def test_a_condition_is_evaluated_once(
    spark: SparkSession, tmp_path: Path, flips: Callable[..., Any], properties: dict[str, str], act: str
) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(6).selectExpr("id", "0 v").coalesce(1), path, properties=properties)
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    source = spark.range(3).selectExpr("id k", "9 w").alias("s")
    some = flips(functions.col("t.id")) & (functions.col("t.id") % 2 == 0)
    if act == "delete":
        table.delete(some)
        wanted, metric = [(1, 0), (3, 0), (5, 0)], ("numDeletedRows", 3)
    elif act == "update":
        table.update(some, {"v": "1"})
        metric, wanted = ("numUpdatedRows", 3), [(0, 1), (1, 0), (2, 1), (3, 0), (4, 1), (5, 0)]
    else:
        matches = functions.col("t.id") == functions.col("s.k")
        # No plain equality: from that Spark infers the same of the source's keys, and asks twice in one query.
        apart = (functions.col("t.id") - functions.col("s.k") == 0) & (functions.col("t.id") % 2 == 0)
        pair = flips(functions.concat_ws("-", "t.id", "s.w"))
        merge = table.merge(source, apart & pair if act == "on" else matches)
        if act == "by source":
            merge = merge.whenNotMatchedBySourceUpdate(some, {"v": "-1"})
            wanted, count = [(0, 0), (1, 0), (2, 0), (3, 0), (4, -1), (5, 0)], 1
        else:
            merge = merge.whenMatchedUpdate(some if act == "matched" else None, {"v": "s.w"})
            wanted, count = [(0, 9), (1, 0), (2, 9), (3, 0), (4, 0), (5, 0)], 2
        assert merge.execute().collect() == [(count, count, 0, 0)]
        metric = ("numTargetRowsUpdated", count)
    committed = table.last_commit
    assert committed is not None
    assert rows_of(table) == wanted
    assert committed.commit_info.fields["operationMetrics"][metric[0]] == str(metric[1])


def test_a_source_that_moves_is_read_once(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(200).selectExpr("id", "0D v").coalesce(1), path)
    table = ds.DeltaTable.forPath(spark, path).alias("t")
    source = spark.range(400).where("rand() < 0.5").selectExpr("id", "rand() v").alias("s")
    table.merge(source, "t.id = s.id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    committed = table.last_commit
    assert committed is not None
    metrics = committed.commit_info.fields["operationMetrics"]
    changed = [key for key, value in rows_of(table) if value != 0]
    assert len(changed) == int(metrics["numSourceRows"])
    assert sum(key < 200 for key in changed) == int(metrics["numTargetRowsUpdated"])
    assert len({key for key, _ in rows_of(table)}) == table.toDF().count()


@pytest.mark.parametrize(("kind", "last"), [("DATE", "9999-12-31"), ("TIMESTAMP", "9999-12-31 23:00:00")])
def test_a_source_may_have_keys_that_python_cannot_hold(
    spark: SparkSession, tmp_path: Path, kind: str, last: str
) -> None:
    far = f"{kind}'+12024-01-01'"
    path = tmp_path / "t"
    ds.write(
        spark.sql(f"select {kind}'2024-01-01' k, 0 v union all select {far}, 0 union all select {kind}'{last}', 0"),
        path,
    )
    source = spark.sql(
        f"select {far} k, 1 v union all select {kind}'2024-01-01', 2 union all select {kind}'-0044-03-15', 3"
    )
    merge = ds.DeltaTable.forPath(spark, path).alias("t").merge(source.alias("s"), "t.k = s.k")
    merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    found = ds.read(spark, path).selectExpr("cast(k as string) k", "v").collect()
    assert sorted((row.k[:6].rstrip("-"), row.v) for row in found) == [
        ("+12024", 1),
        ("-0044", 3),
        ("2024-0", 2),
        ("9999-1", 0),
    ]


# --- Columns of the table's own DataFrame ----------------------------------------------------------


def test_columns_of_the_tables_own_frame_mean_the_table(spark: SparkSession, table: ds.DeltaTable) -> None:
    rows = table.toDF()
    table.delete(rows["key"] == "0")
    table.update(rows["id"] == 1, {"v": rows["v"] + 1})
    named = table.alias("t")
    named.update(named.toDF()["t.id"] == 2, {"v": named.toDF()["v"] + rows["id"]})
    assert [row[:2] for row in rows_of(table)] == [(1, 1), (2, 2), (3, 0), (4, 0), (5, 0)]
    source = spark.sql("select id, 7 v, 'new' key from range(3, 7)")
    merge = table.merge(source, rows["id"] == source["id"])
    merge = merge.whenMatchedUpdate((rows["id"] == 3) & (source["v"] == 7), {"v": source["v"] + rows["id"]})
    merge.whenMatchedDelete(rows["id"] == 4).whenNotMatchedInsertAll(source["id"] > 5).execute()
    assert [row[:2] for row in rows_of(table)] == [(1, 1), (2, 2), (3, 10), (5, 0), (6, 7)]


def test_a_source_made_of_the_table_keeps_its_own_columns(spark: SparkSession, table: ds.DeltaTable) -> None:
    rows = table.toDF()
    source = rows.where("id < 3").withColumn("v", functions.lit(5))
    merge = table.alias("t").merge(source.alias("s"), "t.id = s.id + 1")
    merge.whenMatchedUpdate(set={"v": source["v"], "key": source["key"]}).execute()
    assert rows_of(table)[:4] == [(0, 0, "0"), (1, 5, "0"), (2, 5, "1"), (3, 5, "2")]


# --- errors ----------------------------------------------------------------------------------------


def test_errors_of_conditions_are_sparks_own(spark: SparkSession, table: ds.DeltaTable) -> None:
    source = spark.range(3).alias("s")
    merge = table.alias("t").merge(source, "t.id = s.id")
    path = table.table.log.store.location
    cases: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: table.delete("q = 1"), AnalysisException, "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        (lambda: table.delete("id"), AnalysisException, "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN"),
        (lambda: table.delete("id ="), ParseException, "PARSE_SYNTAX_ERROR"),
        (lambda: table.delete(functions.col("q") == 1), AnalysisException, "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        (lambda: table.update("q = 1", {"v": "1"}), AnalysisException, "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        (lambda: table.update("id =", {"v": "1"}), ParseException, "PARSE_SYNTAX_ERROR"),
        (lambda: table.update("id = 1", {"v": "q + 1"}), AnalysisException, "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        (lambda: table.alias("t").merge(source, "id = q").whenMatchedDelete().execute(), AnalysisException, ""),
        (lambda: merge.whenMatchedDelete("t.q = 1").execute(), AnalysisException, "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        (lambda: merge.whenMatchedUpdate(set={"v": "s.q"}).execute(), AnalysisException, "UNRESOLVED_COLUMN"),
        (lambda: merge.whenNotMatchedInsert("s.q > 1", {"id": "s.id"}).execute(), AnalysisException, "UNRESOLVED"),
        (lambda: merge.whenNotMatchedBySourceDelete("s.id = 1").execute(), AnalysisException, "UNRESOLVED"),
        (
            lambda: ds.write(table.toDF(), path, mode="overwrite", options={"replaceWhere": "id"}),
            AnalysisException,
            "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
        ),
    ]
    for number, (act, kind, condition) in enumerate(cases):
        with pytest.raises(kind) as error:
            act()
        found: Any = error.value
        assert (found.getCondition() or "").startswith(condition), (number, found)
        assert "__deltaresolver" not in str(found), number
    assert version_of(table) == 0
    table.delete("_metadata.file_name = 'none'")
    assert table.last_commit is None


# --- threads and sessions --------------------------------------------------------------------------


def test_the_data_source_works_in_threads(spark: SparkSession, tmp_path: Path) -> None:
    ds.register(spark)
    rows: DataFrame = spark.range(4)

    def work(number: int) -> int:
        path = str(tmp_path / f"t{number}")
        rows.write.format("deltaresolver").mode("append").save(path)
        rows.write.mode("append").save(path, format="deltaresolver")
        return spark.read.format("deltaresolver").load(path).count()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(work, range(2))) == [8, 8]


def test_the_session_names_the_application_that_writes(spark: SparkSession, table: ds.DeltaTable) -> None:
    path = table.table.log.store.location
    row = spark.sql("select 50L id, 0 v, 'x' key")
    resets = f"{APP_VERSION}.autoReset.enabled"
    source = spark.range(1, 3).alias("s")
    try:
        spark.conf.set(APP, "ingest")
        with pytest.raises(WriteOptionError, match="both must be set"):
            table.delete("id = 1")
        merge = table.alias("t").merge(source, "t.id = s.id").whenMatchedUpdate(set={"v": "v + 1"})

        def commit_of(act: Callable[[], object]) -> object:
            act()
            return table.last_commit

        acts: list[Callable[[], object]] = [
            lambda: ds.write(row, path, mode="append"),
            lambda: commit_of(lambda: table.delete("id = 1")),
            lambda: commit_of(lambda: table.update("id = 2", {"v": "v + 1"})),
            lambda: commit_of(merge.execute),
        ]
        for number, act in enumerate(acts):
            spark.conf.set(APP_VERSION, str(number))
            before = version_of(table)
            assert act() is not None
            assert act() is None
            assert version_of(table) == before + 1
        assert [tuple(each)[:2] for each in rows_of(table)] == [(0, 0), (2, 2), (3, 0), (4, 0), (5, 0), (50, 0)]
        spark.conf.set(resets, "true")
        spark.conf.set(APP_VERSION, "4")
        ds.write(row, path, mode="append")
        assert dict(spark.conf.getAll).get(APP_VERSION) is None
    finally:
        for key in (APP, APP_VERSION, resets):
            spark.conf.unset(key)
