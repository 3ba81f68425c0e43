"""ds.sql and ds.enable on Spark Connect, in a process of its own. Run by tests; prints what it found as JSON.

python -m tests.spark.connect.sql_job FOLDER
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from tests.spark_job import SILENT, configure, tell

STATEMENTS = (
    "CREATE TABLE t (id BIGINT, s STRING, p INT) USING delta PARTITIONED BY (p)",
    "INSERT INTO t VALUES (1, 'a', 0), (2, 'b', 1), (3, 'c', 1)",
    "INSERT OVERWRITE t PARTITION (p = 1) SELECT 4, 'd'",
    "UPDATE t SET s = upper(s) WHERE t.id IN (SELECT max(id) FROM t)",
    "MERGE INTO t USING (SELECT 9 AS id, 'n' AS s, 9 AS p) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
    "ALTER TABLE t SET TBLPROPERTIES (k = 'v')",
    "CREATE OR REPLACE TABLE u USING delta AS SELECT id FROM t VERSION AS OF 1",
    "DELETE FROM u WHERE id = 1",
    "ALTER TABLE u RENAME TO v",
)


def rows(frame: Any) -> list[list[Any]]:
    return sorted((list(row) for row in frame.collect()), key=str)


def found(spark: Any, folder: Path) -> dict[str, Any]:
    import deltaresolver.spark as ds
    from deltaresolver.errors import DeltaResolverError

    for statement in STATEMENTS:
        ds.sql(spark, statement)
    told: dict[str, Any] = {"t": rows(ds.sql(spark, "SELECT * FROM t")), "v": rows(ds.read(spark, "v"))}
    told["join"] = rows(
        ds.sql(spark, "SELECT x.id FROM t x JOIN default.v ON x.id + 1 = v.id WHERE x.id > :n", {"n": 0})
    )
    query = ds.sql(spark, "SELECT * FROM t WHERE id = 1")
    ds.sql(spark, "DELETE FROM t WHERE id = 1")
    try:
        ds.insert_into(query, "t")
    except DeltaResolverError as error:
        told["conflict"] = error.code
    ds.sql(spark, "DROP TABLE v")
    ds.enable(spark)
    spark.range(3).write.format("delta").saveAsTable("w")
    spark.range(1).write.insertInto("w")
    spark.range(2).write.format("delta").save(str(folder / "path"))
    told["enabled"] = [
        spark.sql("SELECT count(*) FROM w").collect()[0][0],
        spark.table("w").count(),
        spark.read.format("delta").load(str(folder / "path")).count(),
    ]
    ds.disable(spark)
    try:
        spark.range(2).write.format("delta").save(str(folder / "other"))
    except Exception as error:  # noqa: BLE001 - whatever Spark raises
        told["disabled"] = "DATA_SOURCE_NOT_FOUND" in str(error)
    ds.sql(spark, f"CREATE TABLE x (id BIGINT) USING delta LOCATION '{folder / 'x'}'")
    ds.sql(spark, f"ALTER TABLE x SET LOCATION '{folder / 'path'}'")
    told["relocated"] = [len(rows(ds.sql(spark, "SELECT * FROM x"))), len(rows(ds.read(spark, "x")))]
    ds.sql(spark, "DROP TABLE x")
    told["tables"] = sorted(row["tableName"] for row in spark.sql("SHOW TABLES").collect())
    for name in ("t", "w"):
        ds.sql(spark, f"DROP TABLE {name}")
    told["left"] = sorted(path.name for path in (folder / "warehouse").iterdir())
    return told


def main() -> None:
    folder = Path(sys.argv[1])
    os.environ["SPARK_LOCAL_DIRS"] = str(folder)
    from pyspark.sql import SparkSession

    settings = {**SILENT, "spark.sql.warehouse.dir": str(folder / "warehouse")}
    tell(found(configure(SparkSession.builder.remote("local[2]"), settings).getOrCreate(), folder))


if __name__ == "__main__":
    main()
