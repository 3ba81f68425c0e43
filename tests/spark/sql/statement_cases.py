"""ds.sql carries out statements on Delta tables, by name and by path."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException, ParseException

import deltaresolver.spark as ds
from deltaresolver.errors import (
    CatalogDisagreesError,
    ConversionError,
    InsertMismatchError,
    MergeAmbiguousError,
    PartitionFoldersError,
    RowViolationError,
    SqlUnsupportedError,
    StatementUnreadableError,
    TableNameError,
    TableNotFoundError,
)
from deltaresolver.spark.names.session_catalog import catalog_of
from deltaresolver.spark.session import plain_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

REST = [(2, "b", 1), (3, "c", 1)]


class Tables:
    """Statements in which `t` stands for a table of this test alone, and `{path}` for one by path."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        self.name = f"t_{uuid.uuid4().hex[:8]}"
        self.path = str(folder / "by path")

    def run(self, text: str, args: Any = None) -> Any:
        return ds.sql(self.spark, text.replace("T!", self.name).replace("P!", f"delta.`{self.path}`"), args)

    def rows(self, text: str, args: Any = None) -> list[tuple[Any, ...]]:
        return sorted((tuple(row) for row in self.run(text, args).collect()), key=str)

    def operations(self) -> list[str]:
        return [row["operation"] for row in self.run("DESCRIBE HISTORY T!").collect()]


@pytest.fixture
def tables(spark: SparkSession, tmp_path: Path) -> Iterator[Tables]:
    made = Tables(spark, tmp_path)
    yield made
    for name in (made.name, f"{made.name}_2", f"{made.name}_3"):
        ds.sql(spark, f"DROP TABLE IF EXISTS {name}")


@pytest.fixture
def filled(tables: Tables) -> Tables:
    tables.run("CREATE TABLE T! (id BIGINT, s STRING, p INT) USING delta PARTITIONED BY (p)")
    tables.run("INSERT INTO T! VALUES (1, 'a', 0), (2, 'b', 1), (3, 'c', 1)")
    return tables


def test_a_managed_table_is_made_and_dropped_with_its_name(tables: Tables) -> None:
    tables.run("CREATE TABLE T! (id BIGINT) USING delta")
    tables.run("INSERT INTO T! VALUES 1, 2")
    path = tables.run("DESCRIBE DETAIL T!").collect()[0]["location"].removeprefix("file:")
    assert tables.rows("SELECT * FROM T!") == [(1,), (2,)] == tables.rows("SELECT * FROM spark_catalog.default.T!")
    assert tables.operations() == ["WRITE", "CREATE TABLE"]
    tables.run("DROP TABLE T!")
    assert not Path(path).exists()
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        tables.run("SELECT * FROM T!")


def test_an_external_table_outlives_its_name(tables: Tables) -> None:
    tables.run(f"CREATE TABLE T! (id BIGINT) USING delta LOCATION '{tables.path}'")
    tables.run("INSERT INTO P! VALUES (5)")
    assert tables.rows("SELECT * FROM T!") == [(5,)]
    tables.run("DROP TABLE T!")
    assert tables.rows("SELECT * FROM P!") == [(5,)]
    tables.run(f"CREATE TABLE T! USING delta LOCATION '{tables.path}'")
    assert tables.rows("SELECT * FROM T!") == [(5,)]
    with pytest.raises(TableNameError, match="other columns"):
        tables.run(f"CREATE TABLE T!_2 (other INT) USING delta LOCATION '{tables.path}'")


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("INSERT INTO T! SELECT 4, 'd', 2", [(1, "a", 0), (2, "b", 1), (3, "c", 1), (4, "d", 2)]),
        ("INSERT INTO T! (p, id) VALUES (2, 4)", [(1, "a", 0), (2, "b", 1), (3, "c", 1), (4, None, 2)]),
        ("INSERT INTO T! BY NAME SELECT 2 AS p, 4 AS id", [(1, "a", 0), (2, "b", 1), (3, "c", 1), (4, None, 2)]),
        ("INSERT INTO T! PARTITION (p = 2) SELECT 4, 'd'", [(1, "a", 0), (2, "b", 1), (3, "c", 1), (4, "d", 2)]),
        ("INSERT INTO T! VALUES ('4', 5, '6')", [(1, "a", 0), (2, "b", 1), (3, "c", 1), (4, "5", 6)]),
        ("INSERT OVERWRITE T! VALUES (4, 'd', 2)", [(4, "d", 2)]),
        ("INSERT OVERWRITE TABLE T! PARTITION (p = 1) VALUES (4, 'd')", [(1, "a", 0), (4, "d", 1)]),
        ("INSERT OVERWRITE T! PARTITION (p = '1') TABLE src", [(1, "a", 0), (8, "n", 1)]),
        ("INSERT INTO T! REPLACE WHERE id >= 2 SELECT 9, 'n', 5", [(1, "a", 0), (9, "n", 5)]),
        ("INSERT INTO T! SELECT id + 10, s, p FROM T! WHERE p = 0", [(1, "a", 0), (11, "a", 0), *REST]),
        ("WITH w AS (SELECT * FROM T!) INSERT INTO T! SELECT 7, s, p FROM w LIMIT 0", [(1, "a", 0), *REST]),
        ("UPDATE T! SET s = 'x''y', T!.id = T!.id * 10 WHERE p = 1", [(1, "a", 0), (20, "x'y", 1), (30, "x'y", 1)]),
        ("UPDATE T! AS u SET u.s = DEFAULT WHERE u.id = 1", [(1, None, 0), (2, "b", 1), (3, "c", 1)]),
        ("DELETE FROM T! WHERE id IN (SELECT max(id) FROM T!)", [(1, "a", 0), (2, "b", 1)]),
        ("DELETE FROM T! x WHERE x.p = 1", [(1, "a", 0)]),
        ("DELETE FROM T!", []),
    ],
)  # fmt: skip
def test_a_statement_leaves_the_rows_it_should(filled: Tables, statement: str, rows: list[Any]) -> None:
    filled.spark.sql("SELECT 8 AS id, 'n' AS s").createOrReplaceTempView("src")
    filled.run(statement)
    assert filled.rows("SELECT * FROM T!") == sorted(rows, key=str)


def test_an_overwrite_replaces_the_partitions_of_its_rows_where_the_session_has_it_so(filled: Tables) -> None:
    filled.spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        filled.run("INSERT OVERWRITE T! VALUES (9, 'z', 1)")
    finally:
        filled.spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert filled.rows("SELECT * FROM T!") == [(1, "a", 0), (9, "z", 1)]


def test_a_merge_may_have_all_clauses(filled: Tables) -> None:
    counts = filled.run(
        """
        MERGE INTO T! AS t USING (SELECT * FROM VALUES (1, 'x'), (2, 'gone'), (7, 'new') AS v(id, s)) s
        ON t.id = s.id AND CASE WHEN t.p IS NULL THEN false ELSE true END
        WHEN MATCHED AND s.s = 'gone' THEN DELETE
        WHEN MATCHED THEN UPDATE SET t.s = CASE WHEN true THEN upper(s.s) END
        WHEN NOT MATCHED AND s.id > (SELECT count(*) FROM T!) THEN INSERT (id, s, p) VALUES (s.id, DEFAULT, 9)
        WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN UPDATE SET s = 'left'
        """
    )
    names = ["num_affected_rows", "num_updated_rows", "num_deleted_rows", "num_inserted_rows"]
    assert counts.columns == names
    assert [tuple(row) for row in counts.collect()] == [(4, 2, 1, 1)]
    assert filled.rows("SELECT * FROM T!") == [(1, "X", 0), (3, "left", 1), (7, None, 9)]


def test_merge_evolves_the_schema_where_the_statement_asks_for_it(filled: Tables) -> None:
    statement = (
        "INTO T! USING (SELECT 1 AS id, 's' AS s, 0 AS p, true AS more) AS s ON T!.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    filled.run("MERGE WITH SCHEMA EVOLUTION " + statement)
    assert filled.rows("SELECT * FROM T! WHERE more") == [(1, "s", 0, True)]


def test_a_merge_that_is_ambiguous_changes_nothing(filled: Tables) -> None:
    with pytest.raises(MergeAmbiguousError):
        filled.run("MERGE INTO T! USING (VALUES (1), (1)) s(i) ON id = i WHEN MATCHED THEN UPDATE SET s = 'x'")
    assert filled.operations() == ["WRITE", "CREATE TABLE"]


def test_counts_are_those_of_delta_spark(filled: Tables) -> None:
    updated = filled.run("UPDATE T! SET s = '' WHERE p = 1")
    assert (updated.columns, [tuple(row) for row in updated.collect()]) == (["num_affected_rows"], [(2,)])
    assert filled.rows("DELETE FROM T! WHERE false") == [(0,)]
    assert filled.run("INSERT INTO T! VALUES (1, 'a', 1)").columns == []


def test_earlier_versions_and_changes_are_queried(filled: Tables) -> None:
    filled.run("ALTER TABLE T! SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    filled.run("DELETE FROM T! WHERE p = 1")
    assert filled.rows("SELECT count(*) FROM T! VERSION AS OF 1") == [(3,)]
    assert filled.rows("SELECT count(*) FROM T! FOR VERSION AS OF '1' AS x JOIN T! y ON x.id = y.id") == [(1,)]
    assert filled.rows("SELECT id FROM table_changes('T!', 3) WHERE _change_type = 'delete'") == [(2,), (3,)]
    with pytest.raises(Exception, match="before"):
        filled.run("SELECT * FROM T! TIMESTAMP AS OF '1999-01-01'")


def test_tables_are_made_of_queries(filled: Tables) -> None:
    filled.run(
        "CREATE TABLE T!_2 USING delta PARTITIONED BY (p) COMMENT 'c' TBLPROPERTIES (k = 'v') AS SELECT * FROM T!"
    )
    assert filled.rows("SELECT * FROM T!_2") == filled.rows("SELECT * FROM T!")
    filled.run("CREATE OR REPLACE TABLE T!_2 USING delta AS SELECT id AS only FROM T!_2 WHERE p = 1")
    assert filled.rows("SELECT * FROM T!_2") == [(2,), (3,)]
    told = [row["operation"] for row in filled.run("DESCRIBE HISTORY T!_2").collect()]
    assert told == ["CREATE OR REPLACE TABLE AS SELECT", "CREATE TABLE AS SELECT"]
    filled.run("CREATE TABLE T!_3 LIKE T!")
    assert [row[0] for row in filled.run("DESCRIBE T!_3").collect()][:3] == ["id", "s", "p"]
    with pytest.raises(TableNameError, match="already exists"):
        filled.run("CREATE TABLE T!_2 (a INT) USING delta")
    filled.run("CREATE TABLE IF NOT EXISTS T!_2 (a INT) USING delta")


def test_tables_are_altered_renamed_and_described(filled: Tables) -> None:
    filled.run("ALTER TABLE T! ADD COLUMNS (z INT COMMENT 'it''s')")
    filled.run("ALTER TABLE T! ADD CONSTRAINT small CHECK (id < 100)")
    with pytest.raises(RowViolationError):
        filled.run("INSERT INTO T! (id) VALUES (100)")
    filled.run("COMMENT ON TABLE T! IS 'told'")
    filled.run("ALTER TABLE T! RENAME TO T!_2")
    shown = {row["key"]: row["value"] for row in filled.run("SHOW TBLPROPERTIES T!_2").collect()}
    assert shown["delta.constraints.small"] == "id < 100"
    assert filled.rows("SHOW COLUMNS IN T!_2") == [("id",), ("p",), ("s",), ("z",)]
    assert filled.rows("SHOW PARTITIONS T!_2") == [(0,), (1,)]
    described = [tuple(row) for row in filled.run("DESCRIBE TABLE EXTENDED T!_2").collect()]
    assert ("z", "int", "it's") in described
    assert ("Comment", "told", "") in described
    with pytest.raises(AnalysisException):
        filled.run("SELECT * FROM T!")


def test_upkeep_is_done_by_statements(filled: Tables) -> None:
    filled.run("INSERT INTO T! VALUES (4, 'd', 1)")
    (optimized,) = filled.run("OPTIMIZE T! WHERE p = 1").collect()
    assert optimized["metrics"]["numFilesAdded"] == 1
    filled.run("RESTORE TABLE T! TO VERSION AS OF 1")
    assert filled.rows("VACUUM T! RETAIN 200 HOURS DRY RUN") == []
    assert len(filled.rows("VACUUM T!")) == 1
    filled.run("GENERATE symlink_format_manifest FOR TABLE T!")
    assert filled.operations()[:2] == ["VACUUM END", "VACUUM START"]
    lying = filled.spark.sql("SELECT '/x' AS path, 1L AS length, false AS isDir, 0L AS modificationTime")
    lying.createOrReplaceTempView("lying_here")
    assert len(filled.rows("VACUUM T! USING INVENTORY lying_here RETAIN 200 HOURS")) == 1
    assert filled.rows("VACUUM T! DRY RUN USING INVENTORY (SELECT * FROM lying_here)") == []
    with pytest.raises(AnalysisException, match="DELTA_INVALID_INVENTORY_SCHEMA"):
        filled.run("VACUUM T! USING INVENTORY T!")
    assert filled.rows("SELECT count(*) FROM T!") == [(3,)]


def test_history_shows_conditions_as_they_were_written(filled: Tables) -> None:
    condition = f"id IN (SELECT max(id) FROM {filled.name})"
    filled.run(f"DELETE FROM T! WHERE {condition}")
    assert condition in filled.run("DESCRIBE HISTORY T! LIMIT 1").collect()[0]["operationParameters"]["predicate"]


def test_a_script_carries_out_its_statements_in_order(tables: Tables) -> None:
    script = """
        CREATE TABLE T! (a INT, s STRING) USING delta; -- a ; in a comment
        INSERT INTO T! VALUES (1, ';'), (?, ?);
        INSERT INTO T! SELECT a + ?, s FROM T!;;
        SELECT sum(a), max(s) FROM T!
    """
    assert tables.rows(script, [2, "it's", 10]) == [(26, "it's")]
    with pytest.raises(AnalysisException) as raised:
        tables.run("INSERT INTO T! VALUES (5, ''); SELECT * FROM no_such_table; DROP TABLE T!")
    assert any("In statement 2 of 3" in note for note in raised.value.__notes__)
    assert tables.rows("SELECT count(*) FROM T!") == [(5,)]


def test_parameters_are_given_by_name(filled: Tables) -> None:
    nasty = "it's \\ {x} :id ?"
    filled.run("UPDATE T! SET s = :s WHERE id = :id", {"s": nasty, "id": 1})
    assert filled.rows("SELECT s, '{}', ':id' AS `c` FROM T! WHERE s = :s", {"s": nasty}) == [(nasty, "{}", ":id")]
    assert filled.rows("DELETE FROM IDENTIFIER(:t) WHERE id = 2", {"t": filled.name}) == [(1,)]


def test_statements_are_read_as_the_session_reads_them(filled: Tables) -> None:
    key = "spark.sql.parser.escapedStringLiterals"
    filled.spark.conf.set(key, "true")
    try:
        filled.run(r"INSERT INTO T! VALUES (5, 'a\nb', 1)")
        filled.run(r"UPDATE T! SET s = 'c\\d' WHERE s = 'a'")
        filled.run(r"COMMENT ON TABLE T! IS 'e\tf'")
    finally:
        filled.spark.conf.unset(key)
    assert {row[0] for row in filled.rows("SELECT s FROM T!")} == {"a\\nb", "c\\\\d", "b", "c"}
    assert filled.run("DESCRIBE DETAIL T!").collect()[0]["description"] == "e\\tf"


@pytest.mark.parametrize(
    ("statement", "error", "code"),
    [
        ("INSERT INTO T! VALUES (1, 'a')", InsertMismatchError, "DR773"),
        ("INSERT INTO T! (id, nix) VALUES (1, 'a')", InsertMismatchError, "DR773"),
        ("INSERT INTO T! (id, ID) VALUES (1, 2)", InsertMismatchError, "DR773"),
        ("INSERT INTO T! BY NAME SELECT 1 AS nix", InsertMismatchError, "DR773"),
        ("INSERT INTO T! VALUES ('x', 'a', 1)", RowViolationError, "DR713"),
        ("TRUNCATE TABLE T! PARTITION (p = 1)", SqlUnsupportedError, "DR771"),
        ("ANALYZE TABLE T! COMPUTE STATISTICS", SqlUnsupportedError, "DR771"),
        ("MSCK REPAIR TABLE T!", SqlUnsupportedError, "DR771"),
        ("WITH w AS (SELECT 1) DELETE FROM T! WHERE id IN (SELECT * FROM w)", SqlUnsupportedError, "DR771"),
        ("INSERT OVERWRITE T! PARTITION (p = 1) IF NOT EXISTS SELECT 1, 'a'", SqlUnsupportedError, "DR771"),
        ("DROP TABLE P!", SqlUnsupportedError, "DR771"),
        ("UPDATE T! SET s = 'a', s = 'b'", StatementUnreadableError, "DR524"),
        ("DELETE FROM T! WHERE id = 1 ORDER BY id", ParseException, None),
        ("DELETE FROM T! LIMIT 1", StatementUnreadableError, "DR524"),
        ("MERGE INTO T! USING T! ON true WHEN MATCHED THEN NOTHING", StatementUnreadableError, "DR524"),
        ("REPLACE TABLE T!_9 (a INT) USING delta", TableNameError, "DR774"),
        ("UPDATE delta.`/no/such/table` SET a = 1", TableNotFoundError, "DR410"),
        ("SELECT * FROM T! TIMESTAMP AS OF 'no moment'", Exception, None),
        ("OPTIMIZE T! WHERE id = 1", Exception, "DR746"),
    ],
)
def test_what_is_not_carried_out_is_refused_and_changes_nothing(
    filled: Tables, statement: str, error: type[Exception], code: str | None
) -> None:
    with pytest.raises(error) as raised:
        filled.run(statement).collect()
    assert code is None or getattr(raised.value, "code", None) == code
    assert filled.operations() == ["WRITE", "CREATE TABLE"]


def test_a_statement_without_a_delta_table_is_left_to_spark(tables: Tables) -> None:
    assert tables.rows("SELECT 1 AS a, '{x}' AS b") == [(1, "{x}")]
    tables.run("CREATE TABLE T!_2 USING parquet AS SELECT 1 AS a")
    tables.run("INSERT INTO T!_2 VALUES (2)")
    assert tables.rows("SELECT * FROM T!_2") == [(1,), (2,)]
    assert tables.rows("SET spark.sql.shuffle.partitions") == [("spark.sql.shuffle.partitions", "2")]
    with pytest.raises(ParseException):
        tables.run("SELEKT 1")
    with pytest.raises(ParseException):
        tables.run("SELECT 'open")


def test_a_temporary_view_is_meant_before_a_table_of_its_name(filled: Tables) -> None:
    filled.spark.sql("SELECT 42 AS only").createOrReplaceTempView(filled.name)
    assert filled.rows("SELECT * FROM T!") == [(42,)]
    assert filled.rows("SELECT count(*) FROM default.T!") == [(3,)]
    filled.spark.catalog.dropTempView(filled.name)


def test_no_view_is_left_behind(filled: Tables) -> None:
    before = {row["tableName"] for row in filled.spark.sql("SHOW TABLES").collect()}
    filled.rows("SELECT * FROM T! WHERE id IN (SELECT id FROM T!)")
    filled.run("DELETE FROM T! WHERE id IN (SELECT id FROM T!)")
    assert {row["tableName"] for row in filled.spark.sql("SHOW TABLES").collect()} == before


def test_a_catalog_that_plain_spark_altered_is_not_believed(tables: Tables) -> None:
    ds.register(tables.spark)
    tables.run("CREATE TABLE P! (id BIGINT) USING delta")
    # As by somebody who has not called `register`.
    plain_sql(tables.spark, f"CREATE TABLE {tables.name} (id BIGINT) USING deltaresolver LOCATION '{tables.path}'")
    assert tables.rows("SELECT * FROM T!") == []
    altered = f"ALTER TABLE {tables.name} SET TBLPROPERTIES ('delta.appendOnly' = 'true')"
    with pytest.raises(SqlUnsupportedError, match=r"ALTER TABLE in plain spark\.sql"):
        tables.spark.sql(altered)
    plain_sql(tables.spark, altered)
    with pytest.raises(CatalogDisagreesError, match="appendOnly"):
        tables.run("SELECT * FROM T!")
    tables.spark.sql(f"ALTER TABLE {tables.name} UNSET TBLPROPERTIES ('delta.appendOnly')")
    tables.run("ALTER TABLE T! SET TBLPROPERTIES ('delta.appendOnly' = 'true')")


def test_rows_read_and_written_by_one_statement_conflict_as_others_do(filled: Tables) -> None:
    query = ds.sql(filled.spark, f"SELECT id, s, p FROM {filled.name} WHERE id = 1")
    filled.run("DELETE FROM T! WHERE id = 1")
    with pytest.raises(Exception, match="removed data that this transaction read"):
        ds.insert_into(query, filled.name)
    assert filled.rows("SELECT count(*) FROM T!") == [(2,)]


def test_a_parquet_table_of_the_catalog_is_converted_by_its_name(tables: Tables) -> None:
    rows = tables.spark.range(6).selectExpr("id", "concat('k ', id % 2) k")
    rows.write.format("parquet").partitionBy("k").saveAsTable(tables.name)
    with pytest.raises(PartitionFoldersError, match="partitioned by k string"):
        tables.run("CONVERT TO DELTA T! PARTITIONED BY (k INT)")
    tables.run("CONVERT TO DELTA T!")
    tables.run("CONVERT TO DELTA T!")
    tables.run("INSERT INTO T! VALUES (7, 'k 9')")
    assert tables.operations() == ["WRITE", "CONVERT"]
    assert tables.rows("SELECT k, count(*) FROM T! GROUP BY k") == [("k 0", 3), ("k 1", 3), ("k 9", 1)]
    assert tables.rows("SHOW PARTITIONS T!") == [("k 0",), ("k 1",), ("k 9",)]
    assert tables.rows("DESCRIBE T! k")[2] == ("data_type", "string")


def test_a_table_with_a_partition_elsewhere_is_not_converted(tables: Tables) -> None:
    rows = tables.spark.range(4).selectExpr("id", "id % 2 p")
    rows.write.format("parquet").partitionBy("p").option("path", tables.path).saveAsTable(tables.name)
    plain_sql(tables.spark, f"ALTER TABLE {tables.name} PARTITION (p = 1) SET LOCATION '{tables.folder}/elsewhere'")
    with pytest.raises(ConversionError, match="other files"):
        tables.run("CONVERT TO DELTA T!")
    assert not (Path(tables.path) / "_delta_log").exists()
    assert len(tables.rows("SELECT * FROM T!")) == 2


def test_changes_are_read_by_path_and_external_tables_are_made(tables: Tables) -> None:
    tables.run("CREATE EXTERNAL TABLE T! (id INT) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    tables.run("INSERT INTO T! VALUES (1)")
    path = tables.run("DESCRIBE DETAIL T!").collect()[0]["location"].removeprefix("file:")
    assert tables.rows(f"SELECT id, _change_type FROM table_changes_by_path('{path}', 0) AS c") == [(1, "insert")]
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        tables.run("SELECT * FROM table_changes('T!_not', 0)")


def test_what_is_not_carried_out_is_an_analysis_error(filled: Tables) -> None:
    for statement in (
        "TRUNCATE TABLE T! PARTITION (p = 1)",
        "ALTER TABLE T! ADD PARTITION (p = 9)",
        "ANALYZE TABLE T! COMPUTE STATISTICS",
    ):
        with pytest.raises(AnalysisException):
            filled.run(statement)


def test_the_comment_of_a_table_is_in_the_catalog(tables: Tables) -> None:
    tables.run("CREATE TABLE T! (id INT) USING delta COMMENT 'all of it'")
    entry = catalog_of(tables.spark).find((tables.name,))
    assert entry is not None
    assert entry.comment == "all of it"


def test_show_create_table_prints_a_statement_that_makes_the_same_columns(tables: Tables) -> None:
    tables.run(
        "CREATE TABLE T! (id BIGINT NOT NULL, s STRUCT<a: INT, Bc: ARRAY<STRUCT<x: DATE>>>, v VARCHAR(3)) USING delta"
    )
    ((shown,),) = tables.rows("SHOW CREATE TABLE T!")
    assert "s STRUCT<a: INT, Bc: ARRAY<STRUCT<x: DATE>>>" in shown
    columns = shown[shown.index("(") : shown.index("USING")]
    tables.run(f"CREATE TABLE T!_2 {columns} USING delta")
    assert tables.rows("DESCRIBE TABLE T!_2") == tables.rows("DESCRIBE TABLE T!")


def test_none_is_not_accepted_as_a_condition(tables: Tables) -> None:
    tables.run("CREATE TABLE T! (id BIGINT) USING delta")
    tables.run("INSERT INTO T! VALUES (1), (2)")
    with pytest.raises(ValueError, match="'condition' cannot be None"):
        ds.delete(tables.spark, tables.name, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'condition' cannot be None"):
        ds.update(tables.spark, tables.name, {"id": "0"}, None)  # type: ignore[arg-type]
    assert tables.rows("SELECT * FROM T!") == [(1,), (2,)]
    ds.update(tables.spark, tables.name, {"id": "id + 1"})
    assert tables.rows("SELECT * FROM T!") == [(2,), (3,)]
    ds.delete(tables.spark, tables.name)
    assert tables.rows("SELECT * FROM T!") == []
