"""What Spark calls places by, and what to do where it has no file system for one."""

from __future__ import annotations

import re

from deltaresolver.errors import StorageUnsupportedError

_NONE = re.compile(r"No FileSystem for scheme|UnsupportedFileSystemException|Class \S*FileSystem not found")
_PACKAGES = {
    "s3a": "org.apache.hadoop:hadoop-aws",
    "gs": "com.google.cloud.bigdataoss:gcs-connector",
    "abfss": "org.apache.hadoop:hadoop-azure",
    "abfs": "org.apache.hadoop:hadoop-azure",
}


def spark_location(location: str) -> str:
    """The location under the scheme that Hadoop's own file systems have."""
    return "s3a" + location[2:] if location.startswith("s3://") else location


def missing_file_system(text: str, location: str) -> StorageUnsupportedError | None:
    """The error for a failure of Spark's whose `text` says that it cannot reach `location`; None for other failures."""
    if _NONE.search(text) is None:
        return None
    scheme = spark_location(location).partition(":")[0].lower()
    package = _PACKAGES.get(scheme)
    ready = f"Start Spark with spark.jars.packages {package} of its Hadoop's release" if package else "Install one"
    return StorageUnsupportedError(
        f"Spark has no file system for {scheme}, and its own reader and writer need one to reach {location}.",
        fix=f'{ready}, or use format("deltaresolver"), whose tasks need none.',
        details={"location": location, "scheme": scheme, "package": package},
    )
