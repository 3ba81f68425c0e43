"""Statements on format("deltaresolver") in a Spark without delta-spark, whose SQL would take some of them."""

from __future__ import annotations

import sys
from pathlib import Path

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
    from pyspark.errors import PySparkException
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
        except PySparkException as error:
            return str(error)
        return ""

    found = {statement: failure(statement.format(path=path)) for statement in STATEMENTS}
    created = failure(f"CREATE TABLE limits_new (id BIGINT) USING deltaresolver LOCATION '{new}'")
    altered = failure("ALTER TABLE limits_new SET TBLPROPERTIES ('delta.appendOnly' = 'true')")
    read = failure("SELECT * FROM limits_new")
    tell({"statements": found, "catalog": [created, altered, read, Path(new, "_delta_log").exists()]})
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
