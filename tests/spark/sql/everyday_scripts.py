"""Scripts of everyday work with Delta tables, in statements and DataFrame calls that both libraries take as they are.

T! is a table of the session catalog and T!_2 another one; P! and Q! are tables by path.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FIRST_MOMENT = 1_700_000_000
"""When the first version of a table that is travelled in was committed, in seconds; a minute passes between two."""


@attrs.frozen
class Day:
    """A session in which `format("delta")` is one library's, and the names that a script has to itself."""

    spark: SparkSession
    folder: Path
    name: str

    def path(self, short: str) -> str:
        """Where a table by path lies."""
        return str(self.folder / short)

    def text(self, statement: str) -> str:
        """A statement with the names of this run."""
        for short in ("P", "Q"):
            statement = statement.replace(f"{short}!", f"delta.`{self.path(short)}`")
        return statement.replace("T!", self.name)

    def sql(self, statement: str) -> DataFrame:
        """Carry out a statement."""
        return self.spark.sql(self.text(statement))

    def append(self, query: str, short: str = "P", mode: str = "append", **options: str) -> None:
        """Write the rows of a query to a table by path; `partitionBy` is an option here."""
        parts = options.pop("partitionBy", "")
        writer = self.sql(query).write.format("delta").mode(mode).options(**options)
        (writer.partitionBy(parts) if parts else writer).save(self.path(short))

    def read(self, short: str = "P", **options: Any) -> DataFrame:
        """Read a table by path."""
        return self.spark.read.format("delta").options(**options).load(self.path(short))

    def age(self, short: str = "P") -> None:
        """Versions were committed a minute after each other, long ago."""
        for number, file in enumerate(sorted((self.folder / short / "_delta_log").glob("*.json"))):
            os.utime(file, (FIRST_MOMENT + 60 * number,) * 2)

    def merge_batches(self, source: str, target: str, **options: str) -> None:
        """A stream of one table's rows, of which each batch is merged into another one."""

        def merge(batch: DataFrame, number: int) -> None:
            del number
            batch.createOrReplaceTempView(f"batch_{self.name}")
            statement = (
                f"MERGE INTO delta.`{self.path(target)}` t USING batch_{self.name} s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
            )
            batch.sparkSession.sql(statement)

        frame = self.spark.readStream.format("delta").options(**options).load(self.path(source))
        query = frame.writeStream.foreachBatch(merge).option("checkpointLocation", self.path("checkpoint"))
        query.trigger(availableNow=True).start().awaitTermination()


Step = str | Callable[[Day], Any]

_CHANGES = "SELECT id, v, _change_type, _commit_version FROM table_changes('T!', {}) ORDER BY ALL"
_MOMENT = "timestamp_seconds({})"

SCRIPTS: dict[str, tuple[Step, ...]] = {
    "columns come by merge": (
        "CREATE TABLE T! (id INT, s STRUCT<a: INT>) USING delta",
        "INSERT INTO T! VALUES (1, struct(1)), (2, NULL)",
        (
            "CREATE OR REPLACE TEMP VIEW more AS SELECT 2 id, named_struct('a', 2, 'b', 'x') s, 7 n UNION ALL "
            "SELECT 3, NULL, 8"
        ),
        "MERGE INTO T! t USING more s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n",
        "MERGE INTO T! t USING more s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        (
            "MERGE WITH SCHEMA EVOLUTION INTO T! t USING more s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * "
            "WHEN NOT MATCHED THEN INSERT *"
        ),
        "SELECT * FROM T!",
        "SET spark.databricks.delta.schema.autoMerge.enabled = true",
        "MERGE INTO T! t USING (SELECT 3 id, 'y' z) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.z = s.z",
        "INSERT INTO T! (id, w) VALUES (4, 1.5)",
        "INSERT INTO T! BY NAME SELECT 5 id, 'five' w2",
        "RESET spark.databricks.delta.schema.autoMerge.enabled",
        "INSERT INTO T! BY NAME SELECT 6 id, 'six' w3",
        "DESCRIBE T!",
    ),
    "columns are generated": (
        (
            "CREATE TABLE T! (at TIMESTAMP, v INT, day DATE GENERATED ALWAYS AS (CAST(at AS DATE)), "
            "twice BIGINT GENERATED ALWAYS AS (CAST(v AS BIGINT) * 2)) USING delta PARTITIONED BY (day)"
        ),
        "INSERT INTO T! (at, v) VALUES (TIMESTAMP'2024-03-01 10:00:00', 1), (NULL, NULL)",
        "INSERT INTO T! VALUES (TIMESTAMP'2024-03-02 10:00:00', 2, DATE'2024-03-02', 4)",
        "INSERT INTO T! VALUES (TIMESTAMP'2024-03-02 10:00:00', 2, DATE'2024-03-03', 4)",
        "INSERT INTO T! (at, v, twice) VALUES (TIMESTAMP'2024-03-04 10:00:00', 5, NULL)",
        "UPDATE T! SET v = 10 WHERE v = 1",
        "UPDATE T! SET twice = 1 WHERE v = 10",
        (
            "MERGE INTO T! t USING (SELECT TIMESTAMP'2024-03-05 00:00:00' at, 7 v) s ON t.at = s.at "
            "WHEN NOT MATCHED THEN INSERT (at, v) VALUES (s.at, s.v)"
        ),
        "SELECT * FROM T! WHERE at >= '2024-03-02'",
        "ALTER TABLE T! DROP COLUMN v",
        "ALTER TABLE T! ALTER COLUMN v TYPE BIGINT",
        "SELECT * FROM T!",
        "SHOW PARTITIONS T!",
        "CREATE TABLE T!_2 (a INT, b INT GENERATED ALWAYS AS (rand())) USING delta",
        "CREATE TABLE T!_2 (a INT, b INT GENERATED ALWAYS AS (c)) USING delta",
    ),
    "rows are numbered": (
        "CREATE TABLE T! (k BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 10), v STRING) USING delta",
        "INSERT INTO T! (v) VALUES ('a'), ('b')",
        "INSERT INTO T! VALUES (1, 'c')",
        "INSERT INTO T! (v) SELECT v || v FROM T!",
        "SELECT count(DISTINCT k), min(k), max(k % 10), count(*) FROM T!",
        "UPDATE T! SET k = 3",
        "MERGE INTO T! t USING (SELECT 'm' v) s ON t.v = s.v WHEN NOT MATCHED THEN INSERT (v) VALUES (s.v)",
        "MERGE INTO T! t USING (SELECT 1L k, 'n' v) s ON t.v = s.v WHEN NOT MATCHED THEN INSERT *",
        "INSERT OVERWRITE T! (v) SELECT 'new'",
        "SELECT count(*), min(k) > 10 FROM T!",
        "CREATE TABLE T!_2 (k BIGINT GENERATED BY DEFAULT AS IDENTITY, v INT) USING delta",
        "INSERT INTO T!_2 VALUES (100, 1)",
        "INSERT INTO T!_2 (v) VALUES (2)",
        "ALTER TABLE T!_2 ALTER COLUMN k SYNC IDENTITY",
        "INSERT INTO T!_2 (v) VALUES (3)",
        "SELECT k, v FROM T!_2",
        "ALTER TABLE T!_2 ALTER COLUMN k DROP IDENTITY",
        "CREATE TABLE T!_3 (k INT GENERATED ALWAYS AS IDENTITY) USING delta",
        "CREATE TABLE T!_3 (k BIGINT GENERATED ALWAYS AS IDENTITY (INCREMENT BY 0)) USING delta",
    ),
    "changes are consumed": (
        "CREATE TABLE T! (id INT, v STRING) USING delta",
        "INSERT INTO T! VALUES (1, 'a'), (2, 'b')",
        "ALTER TABLE T! SET TBLPROPERTIES (delta.enableChangeDataFeed = true)",
        "INSERT INTO T! VALUES (3, 'c')",
        "UPDATE T! SET v = 'bb' WHERE id = 2",
        "DELETE FROM T! WHERE id = 1",
        (
            "MERGE INTO T! t USING (SELECT 3 id, 'cc' v UNION ALL SELECT 4, 'd') s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        ),
        "INSERT OVERWRITE T! VALUES (9, 'z')",
        _CHANGES.format("2"),
        _CHANGES.format("3, 4"),
        _CHANGES.format("0"),
        _CHANGES.format("5, 4"),
        _CHANGES.format("99"),
        _CHANGES.format("'2000-01-01'"),
        lambda day: (
            day.spark.read.option("readChangeFeed", "true")
            .option("startingVersion", 6)
            .table(day.name)
            .select("id", "v", "_change_type")
        ),
        lambda day: day.spark.read.option("readChangeFeed", "true").table(day.name),
        "ALTER TABLE T! ADD COLUMNS (n INT)",
        "INSERT INTO T! VALUES (10, 'y', 1)",
        "SELECT * EXCEPT (_commit_timestamp) FROM table_changes('T!', 7) ORDER BY ALL",
        "CREATE TABLE T!_2 (_change_type STRING) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)",
    ),
    "a table is cloned and restored": (
        "CREATE TABLE T! (id INT, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES (a = 'b')",
        "INSERT INTO T! VALUES (1, 'x'), (2, 'y')",
        "DELETE FROM T! WHERE id = 2",
        "CREATE TABLE T!_2 SHALLOW CLONE T! VERSION AS OF 1 TBLPROPERTIES (a = 'c')",
        "SELECT * FROM T!_2",
        "INSERT INTO T!_2 VALUES (3, 'x')",
        "UPDATE T!_2 SET id = 20 WHERE id = 2",
        "RESTORE TABLE T!_2 TO VERSION AS OF 0",
        "SELECT * FROM T!_2",
        "CREATE TABLE T!_2 SHALLOW CLONE T!",
        "CREATE TABLE IF NOT EXISTS T!_2 SHALLOW CLONE T!",
        "CREATE TABLE T!_3 SHALLOW CLONE T! VERSION AS OF 9",
        "RESTORE TABLE T! TO VERSION AS OF 1",
        "RESTORE TABLE T! TO VERSION AS OF 3",
        "RESTORE TABLE T! TO VERSION AS OF 9",
        "SELECT * FROM T!",
        "SELECT * FROM T! VERSION AS OF 2",
        "SHOW TBLPROPERTIES T!_2 ('a')",
    ),
    "a stream is merged": (
        lambda day: day.append("SELECT id, 'a' v FROM range(3)"),
        lambda day: day.append("SELECT 0L id, 'old' v", "Q"),
        lambda day: day.merge_batches("P", "Q"),
        "SELECT * FROM Q!",
        lambda day: day.append("SELECT id, 'b' v FROM range(2, 5)"),
        lambda day: day.merge_batches("P", "Q"),
        lambda day: day.merge_batches("P", "Q"),
        "SELECT * FROM Q!",
        "UPDATE P! SET v = 'c' WHERE id = 2",
        lambda day: day.merge_batches("P", "Q"),
        lambda day: day.merge_batches("P", "Q", skipChangeCommits="true"),
        lambda day: day.append("SELECT 7L id, 'd' v"),
        lambda day: day.merge_batches("P", "Q", skipChangeCommits="true", maxFilesPerTrigger="1"),
        "SELECT * FROM Q!",
    ),
    "a table is read as it was": (
        lambda day: day.append("SELECT 1 id"),
        lambda day: day.append("SELECT 2 id"),
        lambda day: day.append("SELECT 3 id", mode="overwrite"),
        Day.age,
        f"SELECT * FROM P! TIMESTAMP AS OF {_MOMENT.format(FIRST_MOMENT)}",
        f"SELECT * FROM P! TIMESTAMP AS OF {_MOMENT.format(FIRST_MOMENT + 119)}",
        f"SELECT * FROM P! TIMESTAMP AS OF {_MOMENT.format(FIRST_MOMENT + 120)}",
        f"SELECT * FROM P! TIMESTAMP AS OF {_MOMENT.format(FIRST_MOMENT + 121)}",
        f"SELECT * FROM P! TIMESTAMP AS OF {_MOMENT.format(FIRST_MOMENT - 1)}",
        "SELECT * FROM P! TIMESTAMP AS OF current_timestamp()",
        "SELECT * FROM P! TIMESTAMP AS OF 'no moment'",
        "SELECT * FROM P! TIMESTAMP AS OF NULL",
        "SELECT * FROM P! VERSION AS OF 1",
        "SELECT * FROM P! VERSION AS OF 7",
        lambda day: day.read(timestampAsOf="2023-11-14 22:14:20"),
        lambda day: day.read(timestampAsOf="2023-11-14"),
        lambda day: day.read(timestampAsOf="2023-11-15"),
        lambda day: day.read(versionAsOf="1", timestampAsOf="2023-11-14 22:14:20"),
        lambda day: day.spark.read.format("delta").load(day.path("P@v1")),
        lambda day: day.spark.read.format("delta").load(day.path("P@20231114221420000")),
        "RESTORE TABLE P! TO TIMESTAMP AS OF '2023-11-14 22:13:20'",
        "SELECT * FROM P!",
        "INSERT INTO P! VERSION AS OF 1 VALUES (5)",
    ),
    "partitions change": (
        lambda day: day.append("SELECT id, id % 2 p FROM range(4)", partitionBy="p"),
        lambda day: day.append("SELECT 9L id, 9L p", partitionBy="id"),
        lambda day: day.append("SELECT 9L id, 1L p"),
        lambda day: day.append("SELECT 10L id, 1L p", mode="overwrite", partitionOverwriteMode="dynamic"),
        "SELECT * FROM P!",
        lambda day: day.append("SELECT 11L id, 0L p", mode="overwrite", replaceWhere="p = 0"),
        lambda day: day.append("SELECT 11L id, 1L p", mode="overwrite", replaceWhere="p = 0"),
        lambda day: day.append("SELECT 12L id, 1L p", mode="overwrite", replaceWhere="q = 0"),
        lambda day: day.append("SELECT id, p FROM P!", mode="overwrite", partitionBy="id"),
        lambda day: day.append("SELECT * FROM P!", mode="overwrite", partitionBy="id", overwriteSchema="true"),
        "INSERT INTO P! PARTITION (id = 5) SELECT 6",
        "INSERT OVERWRITE P! PARTITION (id = 10) SELECT 7",
        "SELECT * FROM P!",
        "SHOW PARTITIONS P!",
        "ALTER TABLE P! DROP COLUMN id",
        "ALTER TABLE P! ALTER COLUMN id TYPE STRING",
        lambda day: day.append("SELECT 1L id, 2L p, 3 n", partitionBy="id", mergeSchema="true"),
        lambda day: day.append("SELECT 'x' q", mode="overwrite", overwriteSchema="true"),
        "SELECT * FROM P!",
    ),
    "rules are kept": (
        "CREATE TABLE T! (id INT NOT NULL, s STRUCT<a: INT>, v STRING) USING delta",
        "INSERT INTO T! VALUES (1, struct(1), 'a'), (2, NULL, NULL)",
        "ALTER TABLE T! ADD CONSTRAINT small CHECK (id < 10)",
        "ALTER TABLE T! ADD CONSTRAINT SMALL CHECK (id < 20)",
        "ALTER TABLE T! ADD CONSTRAINT filled CHECK (v IS NOT NULL)",
        "ALTER TABLE T! ADD CONSTRAINT inner CHECK (s.a > 0)",
        "ALTER TABLE T! ADD CONSTRAINT c CHECK (nothing > 0)",
        "ALTER TABLE T! ADD CONSTRAINT c CHECK (id)",
        "INSERT INTO T! VALUES (10, struct(1), 'x')",
        "INSERT INTO T! VALUES (3, struct(0), 'x')",
        "INSERT INTO T! VALUES (NULL, struct(1), 'x')",
        "INSERT INTO T! VALUES (4, struct(NULL), 'x')",
        "UPDATE T! SET id = id + 8",
        "MERGE INTO T! t USING (SELECT 99 id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
        "ALTER TABLE T! DROP COLUMN id",
        "ALTER TABLE T! ALTER COLUMN id DROP NOT NULL",
        "INSERT INTO T! VALUES (NULL, NULL, NULL)",
        "ALTER TABLE T! ALTER COLUMN id SET NOT NULL",
        "ALTER TABLE T! DROP CONSTRAINT small",
        "ALTER TABLE T! DROP CONSTRAINT small",
        "ALTER TABLE T! DROP CONSTRAINT IF EXISTS small",
        "INSERT INTO T! VALUES (100, NULL, NULL)",
        "SELECT * FROM T!",
        "SHOW TBLPROPERTIES T!",
    ),
    "columns are renamed and dropped": (
        "CREATE TABLE T! (id INT, `a b` STRING, p INT) USING delta PARTITIONED BY (p)",
        "CREATE TABLE T! (id INT, ab STRING, s STRUCT<x: INT, y: INT>, p INT) USING delta PARTITIONED BY (p)",
        "INSERT INTO T! VALUES (1, 'one', struct(1, 2), 0)",
        "ALTER TABLE T! RENAME COLUMN ab TO `a b`",
        "ALTER TABLE T! SET TBLPROPERTIES (delta.columnMapping.mode = 'id')",
        "ALTER TABLE T! SET TBLPROPERTIES (delta.columnMapping.mode = 'name')",
        "ALTER TABLE T! RENAME COLUMN ab TO `a b`",
        "ALTER TABLE T! RENAME COLUMN p TO part",
        "ALTER TABLE T! RENAME COLUMN s.x TO z",
        "ALTER TABLE T! RENAME COLUMN id TO `A B`",
        "ALTER TABLE T! DROP COLUMN s.y",
        "ALTER TABLE T! DROP COLUMN s.z",
        "ALTER TABLE T! ADD COLUMN y INT AFTER id",
        "INSERT INTO T! VALUES (2, 20, 'two', struct(5), 1)",
        "ALTER TABLE T! DROP COLUMNS (y, `a b`)",
        "ALTER TABLE T! ADD COLUMN `a b` INT",
        "SELECT * FROM T!",
        "SELECT * FROM T! VERSION AS OF 1",
        "ALTER TABLE T! DROP COLUMN part",
        "UPDATE T! SET s.z = 9 WHERE part = 1",
        "SELECT * FROM T!",
        "ALTER TABLE T! SET TBLPROPERTIES (delta.columnMapping.mode = 'none')",
        "DESCRIBE T!",
    ),
}
