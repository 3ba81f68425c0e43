"""The same statements by ds.sql and by delta-spark, on two tables: same rows, same history, same results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import deltaresolver.spark as ds
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

HERE, THERE = "sql_here", "sql_there"
CREATE = "CREATE TABLE T! (id BIGINT, s STRING, p INT) USING delta PARTITIONED BY (p)"
FILL = "INSERT INTO T! VALUES (1, 'a', 0), (2, 'b', 1), (3, 'c', 1), (4, NULL, NULL)"
SOURCE = "(SELECT * FROM VALUES (1L, 'x', 0), (2L, 'y', 1), (9L, 'n', 2) AS v(id, s, p))"

PROGRAMS: dict[str, list[str]] = {
    "insert": [
        CREATE,
        FILL,
        "INSERT INTO T! (id, p) SELECT id + 10, p FROM T!",
        "INSERT INTO T! BY NAME SELECT 5 AS p, 20 AS id",
        "INSERT INTO T! PARTITION (p = 7) SELECT 21, 't'",
        "INSERT INTO T! VALUES ('30', 31, '32')",
        "INSERT INTO TABLE T! TABLE T!",
    ],
    "overwrite": [
        CREATE,
        FILL,
        "INSERT OVERWRITE T! PARTITION (p = 1) VALUES (8, 'eight')",
        "INSERT INTO T! REPLACE WHERE p = 0 SELECT 9, 'nine', 0",
        "INSERT OVERWRITE T! SELECT id, s, p FROM T! WHERE id > 3",
    ],
    "dynamic": [
        CREATE,
        FILL,
        "SET spark.sql.sources.partitionOverwriteMode = dynamic",
        "INSERT OVERWRITE T! VALUES (8, 'eight', 1)",
        "INSERT OVERWRITE T! PARTITION (p = 0) VALUES (7, 'seven')",
        "RESET spark.sql.sources.partitionOverwriteMode",
    ],
    "update and delete": [
        CREATE,
        FILL,
        "UPDATE T! SET s = concat(s, '!'), id = id * 2 WHERE p = 1",
        "UPDATE T! t SET t.p = 3 WHERE t.s IS NULL",
        "UPDATE T! SET s = 'same' WHERE id = 77",
        "DELETE FROM T! WHERE id = 1 OR s = 'b!'",
        "DELETE FROM T! AS x WHERE x.p = 3",
        "DELETE FROM T!",
    ],
    "truncate": [CREATE, FILL, "DELETE FROM T! WHERE id = 1", "TRUNCATE TABLE T!", "TRUNCATE TABLE T!", FILL],
    "merge": [
        CREATE,
        FILL,
        f"""MERGE INTO T! t USING {SOURCE} s ON t.id = s.id WHEN MATCHED AND s.s = 'x' THEN DELETE
        WHEN MATCHED THEN UPDATE SET s = s.s WHEN NOT MATCHED THEN INSERT *""",
        f"""MERGE INTO T! USING {SOURCE} s ON T!.id = s.id WHEN NOT MATCHED BY TARGET AND s.id > 1
        THEN INSERT (id, p) VALUES (s.id, 4) WHEN NOT MATCHED BY SOURCE AND T!.p = 1 THEN UPDATE SET s = 'left'""",
        f"""MERGE WITH SCHEMA EVOLUTION INTO T! t USING (SELECT *, 1 AS more FROM {SOURCE}) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""",
        f"MERGE INTO T! t USING {SOURCE} s ON false WHEN MATCHED THEN DELETE",
    ],
    "create": [
        "CREATE TABLE T! USING delta PARTITIONED BY (p) COMMENT 'c' TBLPROPERTIES (k = 'v') AS SELECT 1 AS id, 2 AS p",
        "CREATE OR REPLACE TABLE T! USING delta AS SELECT id, 'new' AS s FROM T!",
        "REPLACE TABLE T! (a INT NOT NULL COMMENT 'c', b STRUCT<x: INT>) USING delta TBLPROPERTIES (j = 'w')",
        "INSERT INTO T! VALUES (1, named_struct('x', 2))",
        "CREATE TABLE IF NOT EXISTS T! (other INT) USING delta",
    ],
    "alter": [
        CREATE,
        FILL,
        "ALTER TABLE T! ADD COLUMNS (z INT COMMENT 'it''s' AFTER id)",
        "ALTER TABLE T! SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', k = 'v')",
        "ALTER TABLE T! RENAME COLUMN z TO y",
        "ALTER TABLE T! DROP COLUMN y",
        # No constraint: delta-spark 4.4.0 refuses ADD CONSTRAINT of a named table on Spark 4.2.
        "ALTER TABLE T! ALTER COLUMN s COMMENT 'text'",
        "ALTER TABLE T! UNSET TBLPROPERTIES (k)",
        "COMMENT ON TABLE T! IS 'told'",
    ],
    "upkeep": [
        CREATE,
        FILL,
        "INSERT INTO T! VALUES (6, 'f', 1)",
        "OPTIMIZE T! WHERE p = 1",
        "RESTORE TABLE T! TO VERSION AS OF 1",
        "GENERATE symlink_format_manifest FOR TABLE T!",
        "VACUUM T! DRY RUN",
    ],
}
QUESTIONS = (
    "SELECT * FROM T! ORDER BY ALL",
    "SELECT count(*) AS n FROM T! VERSION AS OF 1",
    "SHOW TBLPROPERTIES T!",
    "SHOW TBLPROPERTIES T! ('no.such')",
    "SHOW COLUMNS IN T!",
    "DESCRIBE T!",
    "DESCRIBE TABLE T!",
)
COPIED = "numTargetRowsCopied"
_NOT_SAME = re.compile(r"Bytes|Time|Size|rowsAccountedFor|Files|DeletionVectors")


@pytest.fixture(scope="module")
def databases(small_delta_spark: DeltaSpark) -> Iterator[DeltaSpark]:
    for name in (HERE, THERE):
        small_delta_spark.spark.sql(f"CREATE DATABASE IF NOT EXISTS {name}")
    yield small_delta_spark
    small_delta_spark.spark.sql("USE default")
    for name in (HERE, THERE):
        small_delta_spark.spark.sql(f"DROP DATABASE {name} CASCADE")


def told(frame: Any) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
    """Columns with their types, and rows; metrics and paths are one's own."""
    fields = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
    kept = [field for field in fields if not field[1].startswith("struct<numFiles") and field[0] != "path"]
    return fields, [tuple(row[name] for name, _ in kept) for row in frame.collect()]


def unordered(value: str | None) -> str | None:
    """A parameter in JSON without the order of its keys, which nobody promises."""
    try:
        return None if value is None else json.dumps(json.loads(value), sort_keys=True)
    except ValueError:
        return value


def history(frame: Any) -> list[tuple[Any, ...]]:
    found = []
    for row in frame.collect():
        metrics = {key: value for key, value in (row["operationMetrics"] or {}).items() if not _NOT_SAME.search(key)}
        parameters = {key: unordered(value) for key, value in (row["operationParameters"] or {}).items()}
        for key in ("predicate", "matchedPredicates", "notMatchedPredicates", "notMatchedBySourcePredicates"):
            parameters.pop(key, None)  # conditions are shown as they are written, not as Spark resolves them
        if row["operation"] == "MERGE":  # how many rows are written again depends on how they lie in files
            metrics = {key: value for key, value in metrics.items() if key not in ("numOutputRows", COPIED)}
        found.append((row["version"], row["operation"], parameters, metrics, row["isBlindAppend"]))
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_statements_leave_the_same_and_return_the_same(databases: DeltaSpark, program: str) -> None:
    spark = databases.spark
    name = "t_" + re.sub(r"\W", "_", program)
    for step in PROGRAMS[program]:
        spark.sql(f"USE {HERE}")
        here = told(ds.sql(spark, step.replace("T!", name)))
        spark.sql(f"USE {THERE}")
        there = told(spark.sql(step.replace("T!", name)))
        assert here[0] == there[0], step
        if not step.startswith("RESTORE"):  # its row has sizes of files, which each writer has of its own
            assert sorted(map(str, here[1])) == sorted(map(str, there[1])), step
    for question in QUESTIONS:
        if "VERSION" in question and program == "create":
            continue
        here = told(ds.sql(spark, question.replace("T!", f"{HERE}.{name}")))
        there = told(spark.sql(question.replace("T!", f"{THERE}.{name}")))
        expected = [tuple(str(each).replace(THERE, HERE) for each in row) for row in there[1]]
        assert here[0] == there[0], question
        assert [tuple(map(str, row)) for row in here[1]] == expected, question
    # delta-spark reads what was written here, by the name that was given here.
    assert told(spark.sql(f"SELECT * FROM {HERE}.{name} ORDER BY ALL")) == told(
        ds.sql(spark, f"SELECT * FROM {THERE}.{name} ORDER BY ALL")
    )
    here_told = history(ds.sql(spark, f"DESCRIBE HISTORY {HERE}.{name}"))
    assert here_told == history(spark.sql(f"DESCRIBE HISTORY {THERE}.{name}"))
