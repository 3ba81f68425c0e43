"""The DataFrame API on a bucket, with Hadoop's file system for S3, in a process of its own; prints what it found."""

from __future__ import annotations

import os
import sys

from tests.peers.jars import get_s3a_jars
from tests.peers.s3_server import run_s3_server
from tests.spark_job import SILENT, configure, tell

SETTINGS = {
    "access.key": "testing",
    "secret.key": "testing",
    "path.style.access": "true",
    "endpoint.region": "us-east-1",
    "connection.ssl.enabled": "false",
}


def main() -> None:
    """Write, append, delete and read under both names of the scheme."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    import deltaresolver.spark as ds

    with run_s3_server() as server:
        server.make_bucket("lake")
        settings = {**SILENT, "spark.jars": ",".join(str(jar) for jar in get_s3a_jars())}
        for key, value in {**SETTINGS, "endpoint": server.endpoint}.items():
            settings[f"spark.hadoop.fs.s3a.{key}"] = value
        spark = configure(SparkSession.builder.master("local[2]"), settings).getOrCreate()
        found = {}
        for scheme in ("s3", "s3a"):
            path, options = f"{scheme}://lake/a b/{scheme}", server.options
            rows = spark.range(8).selectExpr("id", "concat('p/', id % 2) p").coalesce(1)
            properties = {"delta.enableDeletionVectors": "true"}
            ds.write(rows, path, partition_by="p", properties=properties, storage_options=options)
            ds.write(rows, path, mode="append", storage_options=options)
            ds.delete(spark, path, "id < 3", storage_options=options)
            odd = ds.read(spark, path, where="p = 'p/1'", storage_options=options)
            found[scheme] = sorted(row.id for row in odd.collect())
        tell(found)
        spark.stop()


if __name__ == "__main__":
    main()
