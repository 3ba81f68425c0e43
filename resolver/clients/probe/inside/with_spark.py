"""The acts of delta-spark, in a Spark session on this machine. Spark fetches its JARs from Maven when it starts.

It takes Java 17. Spark's own DEFAULT_ARTIFACT_REPOSITORY names another place for JARs than Maven Central.
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
    """What is installed. The session is started for it, so that no act waits for JARs."""
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
    # Beside a Spark that is not its own, delta-spark would be blamed for all that its JARs cannot find there.
    with tempfile.TemporaryDirectory() as folder:
        spark.range(3).write.format("delta").save(folder + "/made")
        if spark.read.format("delta").load(folder + "/made").count() != 3:
            raise RuntimeError("a table that was just written has other rows")
    return spark


def table_at(path):
    """The table as a session sees it that has never seen one: one path stands for a table after another here."""
    spark = session()
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # noqa: SLF001 - Python has no name for it
    return spark.read.format("delta").load(path)


def quoted(name):
    """The name of a column as SQL takes any."""
    return "`{}`".format(name.replace("`", "``"))


def open(engine, table, file):
    """Find the table and its schema."""
    table_at(table)


def read(engine, table, file):
    """Read all rows."""
    from pathlib import Path

    from pyspark.sql.functions import col, expr

    rows = table_at(table)
    # Arrow has no type for variants: those are read as text, to see that they can be, and not handed over.
    variants = [field.name for field in rows.schema.fields if field.dataType.typeName() == "variant"]
    if variants:
        rows.select([expr("to_json({})".format(quoted(name))) for name in variants]).collect()
        rows = rows.select([col(quoted(name)) for name in rows.columns if name not in variants])
    folder = Path(file + ".written")
    rows.coalesce(1).write.parquet(folder.as_uri())
    (written,) = folder.glob("part-*.parquet")
    written.replace(file)


def append(engine, table, file):
    """Add the rows of a file, which are read as what the table's columns are."""
    import pyarrow.parquet as pq
    from pyspark.sql.types import StructType

    given = pq.read_schema(file).names
    types = {field.name: field for field in table_at(table).schema.fields}
    rows = session().read.schema(StructType([types[name] for name in given])).parquet(file)
    rows.write.format("delta").mode("append").save(table)
