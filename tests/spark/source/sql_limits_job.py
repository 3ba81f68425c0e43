"""Statements on format("deltaresolver") in a Spark without delta-spark, whose SQL would take some of them."""

from __future__ import annotations

import sys

from tests.spark_job import SILENT, configure, tell

STATEMENTS = {
    "SELECT * FROM deltaresolver.`{path}`": "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY",
    "UPDATE limits SET kind = 1": "UNSUPPORTED_FEATURE.TABLE_OPERATION",
    "DELETE FROM limits WHERE kind = 1": "does not support deletes",
    "MERGE INTO limits USING (SELECT 1L AS id) s ON limits.id = s.id WHEN MATCHED THEN DELETE": (
        "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    ),
    "SELECT * FROM limits VERSION AS OF 0": "UNSUPPORTED_FEATURE.TIME_TRAVEL",
    "DESCRIBE HISTORY limits": "TABLE_OR_VIEW_NOT_FOUND",
    "DESCRIBE DETAIL limits": "TABLE_OR_VIEW_NOT_FOUND",
}


def main(folder: str) -> None:
    """Try each statement, and a table in the catalog, in a session of its own."""
    from pyspark.sql import SparkSession

    import deltaresolver.spark as ds

    builder = configure(SparkSession.builder.master("local[1]"), SILENT)
    spark = builder.config("spark.sql.warehouse.dir", f"{folder}/warehouse").getOrCreate()
    ds.register(spark)
    path, new = f"{folder}/table", f"{folder}/new"
    ds.write(spark.range(4).selectExpr("id", "id % 2 AS kind"), path)
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW limits USING deltaresolver OPTIONS (path '{path}')")

    def failure(statement: str) -> str:
        try:
            spark.sql(statement).collect()
        except Exception as error:  # noqa: BLE001 - also what PySpark knows no class for
            return "\n".join(
                [
                    getattr(error, "code", ""),
                    str(error),
                    getattr(error, "fix", "") or "",
                    *getattr(error, "__notes__", ()),
                ]
            )
        return ""

    found = {statement: failure(statement.format(path=path)) for statement in STATEMENTS}
    create = f"(id BIGINT) USING `deltaresolver` LOCATION '{new}'"
    made = [
        failure(f"/* a */ CREATE TABLE limits_new {create}"),
        failure(f"create or  replace table default.limits_new {create}"),
        failure(f"CREATE TABLE IF NOT EXISTS limits_new {create} AS SELECT 1L AS id"),
    ]
    ds.sql(spark, f"CREATE TABLE limits_named USING delta LOCATION '{path}'")
    altered = failure("ALTER TABLE limits_named SET TBLPROPERTIES ('delta.appendOnly' = 'true')")
    read = failure("SELECT * FROM limits_named")
    other = failure("CREATE TABLE limits_other USING parquet AS SELECT 'USING deltaresolver' AS s")
    other += failure("ALTER TABLE limits_other SET TBLPROPERTIES ('a' = 'b')")
    listed = [row["tableName"] for row in spark.sql("SHOW TABLES").collect() if not row["isTemporary"]]
    tell({"statements": found, "made": made, "altered": altered, "read": read, "other": other, "listed": listed})
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
