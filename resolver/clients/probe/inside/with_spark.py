"""The acts of delta-spark, in a Spark session on this machine. Spark fetches its JARs from Maven when it starts.

It needs Java 17. Set Spark's DEFAULT_ARTIFACT_REPOSITORY to fetch JARs from another place than Maven Central.
"""

from functools import lru_cache

SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
}


def versions():
    """The versions of what is installed. Also starts the session, so that no act waits for JARs."""
    from importlib.metadata import version

    session()
    return {name: version(name) for name in ("delta-spark", "pyspark")}


@lru_cache(maxsize=1)
def session():
    """The session, with the JARs that belong to the installed delta-spark."""
    import os
    import tempfile

    from delta import configure_spark_with_delta_pip
    from pyspark.sql import SparkSession

    os.environ.pop("SPARK_HOME", None)
    builder = SparkSession.builder.master("local[1]").appName("probe")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = configure_spark_with_delta_pip(builder).getOrCreate()
    # With a Spark of another version, delta-spark would be blamed for every class its JARs cannot find.
    with tempfile.TemporaryDirectory() as folder:
        spark.range(3).write.format("delta").save(folder + "/made")
        if spark.read.format("delta").load(folder + "/made").count() != 3:
            raise RuntimeError("a table that was just written has other rows")
    return spark


def table_at(path):
    """The table at a path, without anything cached: here one path holds one table after another."""
    spark = session()
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # noqa: SLF001 - Python has no name for it
    return spark.read.format("delta").load(path)


def quoted(name):
    """A column name, quoted for SQL."""
    return "`{}`".format(name.replace("`", "``"))


def open(engine, table, file):
    """Find the table and its schema."""
    table_at(table)


def read(engine, table, file):
    """Read all rows."""
    from pathlib import Path

    from pyspark.sql.functions import col, expr

    rows = table_at(table)
    # Arrow has no type for variants: they are read as text, to prove that they can be read, and not returned.
    variants = [field.name for field in rows.schema.fields if field.dataType.typeName() == "variant"]
    if variants:
        rows.select([expr("to_json({})".format(quoted(name))) for name in variants]).collect()
        rows = rows.select([col(quoted(name)) for name in rows.columns if name not in variants])
    folder = Path(file + ".written")
    rows.coalesce(1).write.parquet(folder.as_uri())
    (written,) = folder.glob("part-*.parquet")
    written.replace(file)


def append(engine, table, file):
    """Add the rows of a file, which is read with the types of the table's columns."""
    import pyarrow.parquet as pq
    from pyspark.sql.types import StructType

    given = pq.read_schema(file).names
    types = {field.name: field for field in table_at(table).schema.fields}
    rows = session().read.schema(StructType([types[name] for name in given])).parquet(file)
    rows.write.format("delta").mode("append").save(table)
