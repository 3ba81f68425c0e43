"""Views over Delta tables, temporary and of the catalog: they show what their tables hold when they are read.

Run by test_without_delta_spark.py in a process of its own.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

import deltaresolver.spark as ds
from deltaresolver.spark.session import plain_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


class Views:
    """Statements in which T! stands for a table and V! for views of this test alone."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark, self.number = spark, uuid.uuid4().hex[:8]
        self.table, self.view = f"vt_{self.number}", f"v_{self.number}"

    def run(self, text: str) -> Any:
        return ds.sql(self.spark, text.replace("T!", self.table).replace("V!", self.view))

    def rows(self, text: str = "SELECT * FROM V!") -> list[tuple[Any, ...]]:
        return sorted((tuple(row) for row in self.run(text).collect()), key=str)

    def hidden(self) -> list[str]:
        shown = plain_sql(self.spark, "SHOW VIEWS IN global_temp").collect()
        return [row["viewName"] for row in shown if row["viewName"].startswith("__deltaresolver")]


@pytest.fixture
def views(spark: SparkSession) -> Iterator[Views]:
    made = Views(spark)
    made.run("CREATE TABLE T! (id INT, s STRING) USING delta")
    made.run("INSERT INTO T! VALUES (1, 'a'), (2, 'b')")
    yield made
    for name in ("V!", "V!_2", "V!"):
        made.run(f"DROP VIEW IF EXISTS {name}")
    made.run("DROP TABLE IF EXISTS T!")


@pytest.mark.parametrize("kind", ["TEMPORARY VIEW", "TEMP VIEW", "VIEW"])
def test_a_view_shows_what_its_table_holds_when_it_is_read(views: Views, kind: str) -> None:
    views.run(f"CREATE {kind} V! AS SELECT s, count(*) AS n FROM T! GROUP BY s")
    assert views.rows() == [("a", 1), ("b", 1)]
    views.run("INSERT INTO T! VALUES (3, 'a')")
    assert views.rows() == [("a", 2), ("b", 1)]
    assert views.rows("WITH w AS (TABLE V!) SELECT w.n FROM w JOIN T! ON w.s = T!.s WHERE T!.id = 3") == [(2,)]


@pytest.mark.parametrize("kind", ["TEMPORARY VIEW", "VIEW"])
def test_a_view_may_read_another_view(views: Views, kind: str) -> None:
    views.run(f"CREATE {kind} V! AS SELECT id FROM T!")
    views.run(f"CREATE {kind} V!_2 (number COMMENT 'of the row') AS SELECT id + 10 FROM V! WHERE id > 1")
    views.run("INSERT INTO T! VALUES (5, 'e')")
    assert views.rows("SELECT number FROM V!_2") == [(12,), (15,)]


@pytest.mark.parametrize("kind", ["TEMPORARY VIEW", "VIEW"])
def test_a_view_is_replaced_changed_and_dropped(views: Views, kind: str) -> None:
    views.run(f"CREATE {kind} V! AS SELECT id FROM T!")
    with pytest.raises(AnalysisException, match="ALREADY_EXISTS"):
        views.run(f"CREATE {kind} V! AS SELECT s FROM T!")
    views.run(f"CREATE OR REPLACE {kind} V! AS SELECT s FROM T!")
    assert views.rows() == [("a",), ("b",)]
    views.run("ALTER VIEW V! AS SELECT max(id) AS m FROM T!")
    assert views.rows() == [(2,)]
    views.run("DROP VIEW V!")
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        views.rows()
    assert views.hidden() == []


def test_temporary_views_leave_nothing_behind(views: Views) -> None:
    for _ in range(3):
        views.run("CREATE OR REPLACE TEMP VIEW V! AS SELECT * FROM T!")
    assert len(views.hidden()) == 1
    assert not [row for row in plain_sql(views.spark, "SHOW TABLES").collect() if "deltaresolver" in row["tableName"]]
    with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN"):
        views.run("CREATE TEMP VIEW V!_2 AS SELECT nothere FROM T!")
    assert len(views.hidden()) == 1


def test_a_view_keeps_a_version_that_it_names(views: Views) -> None:
    views.run("CREATE TEMP VIEW V! AS SELECT id FROM T! VERSION AS OF 1")
    views.run("CREATE VIEW V!_2 AS SELECT id FROM T! VERSION AS OF 1")
    views.run("DELETE FROM T!")
    assert views.rows() == views.rows("SELECT * FROM V!_2") == [(1,), (2,)]


def test_a_view_of_the_catalog_is_read_by_its_own_database_and_settings(views: Views) -> None:
    database = f"vd_{views.number}"
    views.run("SET spark.sql.ansi.enabled = false")
    views.run("CREATE VIEW V! COMMENT 'c' TBLPROPERTIES (k = 'v') AS SELECT CAST(s AS INT) n, id FROM T!")
    views.run("RESET spark.sql.ansi.enabled")
    views.run(f"CREATE DATABASE {database}")
    try:
        views.run(f"USE {database}")
        assert views.rows("SELECT * FROM default.V!") == [(None, 1), (None, 2)]
        assert views.rows("SHOW TBLPROPERTIES default.V! ('k')") == [("k", "v")]
    finally:
        views.run("USE default")
        views.run(f"DROP DATABASE {database}")


def test_columns_that_a_table_gains_are_not_those_of_a_view(views: Views) -> None:
    views.run("CREATE VIEW V! AS SELECT * FROM T!")
    views.run("CREATE TEMP VIEW V!_2 AS SELECT * FROM T!")
    views.run("ALTER TABLE T! ADD COLUMN more INT FIRST")
    assert views.rows() == views.rows("SELECT * FROM V!_2") == [(1, "a"), (2, "b")]


def test_a_view_that_cannot_be_made_is_refused(views: Views) -> None:
    views.run("CREATE TEMP VIEW V! AS SELECT id FROM T!")
    with pytest.raises(AnalysisException, match="INVALID_TEMP_OBJ_REFERENCE"):
        views.run("CREATE VIEW V!_2 AS SELECT t.id FROM T! t JOIN V! USING (id)")
    views.run("CREATE VIEW V!_2 AS SELECT id FROM T!")
    with pytest.raises(AnalysisException, match="RECURSIVE_VIEW"):
        views.run("CREATE OR REPLACE VIEW V!_2 AS SELECT V!_2.id FROM V!_2 JOIN T! USING (id)")
    with pytest.raises(AnalysisException, match="TIME_TRAVEL"):
        views.run("SELECT * FROM V!_2 VERSION AS OF 1")
    assert views.rows("SELECT * FROM V!_2") == [(1,), (2,)]
    with pytest.raises(AnalysisException):
        views.run("CREATE OR REPLACE VIEW T! AS SELECT 1 FROM T!")


def test_an_enabled_session_reads_views_by_name(spark: SparkSession, views: Views, tmp_path: Path) -> None:
    views.run("CREATE VIEW V! AS SELECT id FROM T!")
    session = ds.enable(spark.newSession())
    try:
        session.range(2).write.format("delta").save(str(tmp_path / "t"))
        session.sql(f"CREATE TEMP VIEW here USING delta OPTIONS (path '{tmp_path}/t')")
        session.range(2, 3).write.format("delta").mode("append").save(str(tmp_path / "t"))
        assert session.table("here").count() == session.read.table("here").count() == 3
        assert session.table(views.view).count() == 2
        session.sql("DROP VIEW here")
    finally:
        ds.disable(session)


def test_a_view_whose_table_was_dropped_does_not_disturb_other_statements(views: Views) -> None:
    views.run("CREATE TEMP VIEW V! AS SELECT id FROM T!")
    views.run("DROP TABLE T!")
    assert views.rows("SELECT 1") == [(1,)]
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        views.rows()
    views.run("CREATE TABLE T! USING delta AS SELECT 7 AS id")
    assert views.rows() == [(7,)]


@pytest.mark.parametrize("column", ["a.b", "select", "ä ö", "x`y", "1"])
def test_names_of_columns_and_views_may_be_quoted(views: Views, column: str) -> None:
    name = "`" + column.replace("`", "``") + "`"
    views.run(
        f"CREATE OR REPLACE TABLE T! ({name} INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    views.run("INSERT INTO T! VALUES (3)")
    views.run("CREATE VIEW V! AS SELECT * FROM T!")
    assert views.rows(f"SELECT {name} FROM V!") == [(3,)]
