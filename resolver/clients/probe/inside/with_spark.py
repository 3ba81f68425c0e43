"""The acts of delta-spark, from the package on the index and the JARs it fetches."""

_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "UTC",
}


def session():
    """The session, started when first asked for."""
    from delta import configure_spark_with_delta_pip
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    return SparkSession.getActiveSession() or configure_spark_with_delta_pip(builder).getOrCreate()


def versions():
    """What is installed."""
    from importlib.metadata import version

    session()
    return {"delta-spark": version("delta-spark"), "pyspark": version("pyspark")}


def open(engine, table, file):
    """Find the table and its schema."""
    session().read.format("delta").load(table).schema.json()


def read(engine, table, file):
    """Read all rows; those of a VARIANT are read and not handed over."""
    import shutil
    from pathlib import Path

    rows = session().read.format("delta").load(table)
    if rows.count() != len(rows.collect()):
        raise AssertionError("two reads of the table differ")
    plain = [field.name for field in rows.schema if field.dataType.typeName() != "variant"]
    folder = Path(file + ".folder")
    rows.select(*plain).coalesce(1).write.mode("overwrite").parquet(str(folder))
    shutil.move(str(next(folder.glob("*.parquet"))), file)


def append(engine, table, file):
    """Add the rows of a file."""
    rows = session().read.parquet(file)
    rows.write.format("delta").mode("append").save(table)
