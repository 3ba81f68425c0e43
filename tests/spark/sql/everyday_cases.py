"""What scripts written for delta-spark met and this library once did otherwise: conditions, small commands, checks.

The conditions are those of delta-spark 4.4.0, asked by hand.
Run by test_without_delta_spark.py in a process of its own.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException

import deltaresolver.spark as ds
from deltaresolver.errors import DeltaResolverError
from deltaresolver.spark.tables import DeltaTable
from tests.nasty import COLUMN_NAMES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
ODD = next(name for name in COLUMN_NAMES if "`" in name)


class Place:
    """An enabled session with statements in which T! is a table of this test, P! one by path, A! and E! are none."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder, self.name = spark, folder, f"day_{uuid.uuid4().hex[:8]}"
        (folder / "empty").mkdir()

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def sql(self, text: str) -> Any:
        paths = {"P!": "p", "A!": "absent", "E!": "empty"}
        for short, name in paths.items():
            text = text.replace(short, f"delta.`{self.path(name)}`")
        return self.spark.sql(text.replace("T!", self.name))

    def rows(self, text: str) -> list[tuple[Any, ...]]:
        return sorted((tuple(row) for row in self.sql(text).collect()), key=str)


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Iterator[Place]:
    made = Place(ds.enable(spark.newSession()), tmp_path)
    yield made
    for end in ("", "_2"):
        made.sql(f"DROP TABLE IF EXISTS T!{end}")
    ds.disable(made.spark)


def condition(act: Callable[[], Any]) -> str:
    """The condition of the error."""
    with pytest.raises((DeltaResolverError, PySparkException)) as raised:
        act()
    error: Any = raised.value
    return str(error.getCondition() if isinstance(error, PySparkException) else error.delta_condition)


MISSING = {
    "SELECT * FROM {}": ("PATH_NOT_FOUND", "DELTA_TABLE_NOT_FOUND"),
    "DELETE FROM {}": ("PATH_NOT_FOUND", "DELTA_TABLE_NOT_FOUND"),
    "INSERT INTO {} VALUES 1": ("PATH_NOT_FOUND", "DELTA_TABLE_NOT_FOUND"),
    "DESCRIBE HISTORY {}": ("DELTA_TABLE_ONLY_OPERATION", "DELTA_TABLE_ONLY_OPERATION"),
    "OPTIMIZE {}": ("DELTA_MISSING_DELTA_TABLE", "DELTA_MISSING_DELTA_TABLE"),
    "ALTER TABLE {} SET TBLPROPERTIES (a = 'b')": ("DELTA_MISSING_DELTA_TABLE", "DELTA_MISSING_DELTA_TABLE"),
}


@pytest.mark.parametrize("statement", MISSING)
def test_statements_on_a_folder_without_a_table_have_the_conditions_of_delta_spark(
    place: Place, statement: str
) -> None:
    found = tuple(condition(lambda name=name: place.sql(statement.format(name))) for name in ("A!", "E!"))  # type: ignore[misc]
    assert found == MISSING[statement]


def test_readers_of_a_folder_without_a_table_have_the_conditions_of_delta_spark(place: Place) -> None:
    spark, absent = place.spark, place.path("absent")
    with pytest.raises(Exception, match=r"Path does not exist: .* is not a Delta table"):
        spark.read.format("delta").load(absent)
    assert condition(lambda: spark.read.format("delta").load(place.path("empty"))) == "DELTA_TABLE_NOT_FOUND"
    assert condition(lambda: spark.readStream.format("delta").load(absent)) == "DELTA_SCHEMA_NOT_SET"
    assert condition(lambda: DeltaTable.forPath(spark, absent)) == "DELTA_MISSING_DELTA_TABLE"
    assert condition(lambda: DeltaTable.forName(spark, "a b c")) == "PARSE_SYNTAX_ERROR"


@pytest.mark.parametrize("statement", ["OPTIMIZE", "VACUUM", "REORG TABLE", "DESCRIBE HISTORY", "DESCRIBE DETAIL"])
def test_a_command_for_delta_tables_alone_refuses_other_tables(place: Place, statement: str) -> None:
    odd = "`" + ODD.replace("`", "``") + "`"
    assert condition(lambda: place.sql(f"{statement} {odd}")) == "TABLE_OR_VIEW_NOT_FOUND"
    place.spark.range(1).createOrReplaceTempView(place.name)
    expected = "DELTA_ONLY_OPERATION" if "HISTORY" in statement else "DELTA_MISSING_DELTA_TABLE"
    assert condition(lambda: place.sql(f"{statement} T!")) == expected
    place.spark.catalog.dropTempView(place.name)


def test_a_missing_version_or_moment_has_the_condition_of_delta_spark(place: Place) -> None:
    place.sql("CREATE TABLE T! (id BIGINT) USING delta")
    place.sql("INSERT INTO T! VALUES 1")
    table, spark = DeltaTable.forName(place.spark, place.name), place.spark
    for version in (9, -1):
        assert condition(lambda v=version: table.restoreToVersion(v)) == "DELTA_CANNOT_RESTORE_TABLE_VERSION"  # type: ignore[misc]
    early, late = "DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER", "DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER"
    assert condition(lambda: table.restoreToTimestamp("2001-01-01")) == early
    assert condition(lambda: place.sql("RESTORE T! TO TIMESTAMP AS OF '2101-01-01'")) == late
    both = spark.read.option("versionAsOf", 0).option("timestampAsOf", "2001-01-01")
    assert condition(lambda: both.table(place.name)) == "INVALID_TIME_TRAVEL_SPEC"
    bad = "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT"
    assert condition(lambda: place.sql("SELECT * FROM T! TIMESTAMP AS OF 'nope'")) == bad
    assert place.rows("SELECT * FROM T! VERSION AS OF 0") == []


def test_a_value_that_no_row_could_take_is_refused_when_it_is_declared(place: Place) -> None:
    with_default = "USING delta TBLPROPERTIES (delta.feature.allowColumnDefaults = 'supported')"
    bad, type_mismatch = "INVALID_DEFAULT_VALUE.DATA_TYPE", "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"
    assert condition(lambda: place.sql(f"CREATE TABLE T! (d DATE DEFAULT 'abc') {with_default}")) == bad
    place.sql(f"CREATE TABLE T! (id INT, d DATE DEFAULT '2024-01-01') {with_default}")
    assert condition(lambda: place.sql("ALTER TABLE T! ALTER COLUMN d SET DEFAULT 'abc'")) == bad
    generated = "CREATE TABLE T!_2 (a INT, b DATE GENERATED ALWAYS AS (a + 1)) USING delta"
    assert condition(lambda: place.sql(generated)) == type_mismatch
    place.sql("INSERT INTO T! (id) VALUES (1)")
    assert place.rows("SELECT id, CAST(d AS STRING) FROM T!") == [(1, "2024-01-01")]
    place.sql("CREATE TABLE T!_2 (a INT, b INT GENERATED ALWAYS AS (a + 1)) USING delta")
    place.sql("INSERT INTO T!_2 (a) VALUES (1)")
    assert place.rows("SELECT * FROM T!_2") == [(1, 2)]


def test_an_identity_column_is_synced_with_its_rows(place: Place) -> None:
    number = "BIGINT GENERATED BY DEFAULT AS IDENTITY (START WITH 1 INCREMENT BY 5)"
    place.sql(f"CREATE TABLE T! (k {number}, v INT) USING delta")
    place.sql("ALTER TABLE T! ALTER COLUMN k SYNC IDENTITY")
    place.sql("INSERT INTO T! VALUES (50, 1)")
    place.sql("ALTER TABLE T! ALTER COLUMN K SYNC IDENTITY")
    place.sql("INSERT INTO T! (v) VALUES (2)")
    assert place.rows("SELECT * FROM T!") == [(50, 1), (56, 2)]
    other = "DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN"
    assert condition(lambda: place.sql("ALTER TABLE T! ALTER COLUMN v SYNC IDENTITY")) == other
    told = place.sql("DESCRIBE HISTORY T!").collect()[1]
    assert (told["operation"], told["isBlindAppend"]) == ("CHANGE COLUMN", False)


def test_column_mapping_is_taken_away_from_a_table_with_rows(place: Place) -> None:
    properties = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    place.sql(f"CREATE TABLE T! (id INT, `a b` STRING) USING delta {properties}")
    place.sql("INSERT INTO T! VALUES (1, 'x'), (2, NULL)")
    unset = "ALTER TABLE T! UNSET TBLPROPERTIES ('delta.columnMapping.mode')"
    assert "INVALID_CHARACTER" in condition(lambda: place.sql(unset))
    place.sql("ALTER TABLE T! RENAME COLUMN `a b` TO ab")
    place.sql("ALTER TABLE T! SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none', k = 'v')")
    assert place.rows("SELECT * FROM T!") == [(1, "x"), (2, None)]
    properties_now = dict(place.rows("SHOW TBLPROPERTIES T!"))
    assert (properties_now["delta.columnMapping.mode"], properties_now["k"]) == ("none", "v")
    assert "delta.columnMapping.maxColumnId" not in properties_now
    operations = [row["operation"] for row in place.sql("DESCRIBE HISTORY T!").collect()]
    assert operations[:2] == ["SET TBLPROPERTIES", "REMOVE COLUMN MAPPING"]


def test_small_commands_answer_as_in_delta_spark(place: Place) -> None:
    place.sql("CREATE TABLE T! (id INT) USING delta LOCATION '" + place.path("p") + "'")
    for statement in ("REFRESH TABLE T!", "CACHE TABLE T!", "UNCACHE TABLE T!", "UNCACHE TABLE IF EXISTS T!"):
        place.sql(statement)
    assert condition(lambda: place.sql("MSCK REPAIR TABLE T!")) == "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE"
    assert condition(lambda: place.sql("ANALYZE TABLE T! COMPUTE STATISTICS")) == "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE"
    no_partitions = "INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED"
    assert condition(lambda: place.sql("ALTER TABLE T! ADD PARTITION (id = 1)")) == no_partitions
    clone = "CREATE TABLE T!_2 SHALLOW CLONE no_such_table"
    assert condition(lambda: place.sql(clone)) == "TABLE_OR_VIEW_NOT_FOUND"
    again = f"CREATE TABLE T!_2 USING delta LOCATION '{place.path('p')}' TBLPROPERTIES (a = 'b')"
    assert condition(lambda: place.sql(again)) == "DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY"
    told = [row["col_name"] for row in place.sql("DESCRIBE EXTENDED T!").collect()]
    assert re.search("Catalog,Namespace,Database,Table,Type", ",".join(told))
