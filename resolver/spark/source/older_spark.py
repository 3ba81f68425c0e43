"""What the data source API of earlier Spark 4 lacks, so that the rest of this room is written for one API.

What this process has decides: tasks run the Spark of the cluster, whatever a client has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import datasource

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceStreamArrowWriter
    from pyspark.sql.streaming.datasource import (
        ReadAllAvailable,
        ReadLimit,
        ReadMaxBytes,
        ReadMaxFiles,
        SupportsTriggerAvailableNow,
    )
else:
    try:
        from pyspark.sql.datasource import DataSourceStreamArrowWriter
    except ImportError:  # before Spark 4.1

        class DataSourceStreamArrowWriter(datasource.DataSourceStreamWriter, datasource.DataSourceArrowWriter):
            """A sink that takes Arrow batches: Spark 4.0 asks for the second class alone when it chooses the rows."""

    try:
        from pyspark.sql.streaming.datasource import (
            ReadAllAvailable,
            ReadLimit,
            ReadMaxBytes,
            ReadMaxFiles,
            SupportsTriggerAvailableNow,
        )
    except ImportError:  # before Spark 4.2

        class ReadLimit:
            """How much a batch may read; earlier Spark has no word for it."""

        class ReadAllAvailable(ReadLimit):
            """All there is."""

        class ReadMaxBytes(ReadLimit):
            """Never asked for."""

            def __init__(self, max_bytes: int) -> None:
                self.max_bytes = max_bytes

        class ReadMaxFiles(ReadLimit):
            """Never asked for."""

            def __init__(self, max_files: int) -> None:
                self.max_files = max_files

        class SupportsTriggerAvailableNow:
            """Spark itself finds the end for the trigger availableNow."""


__all__ = [
    "DataSourceStreamArrowWriter",
    "ReadAllAvailable",
    "ReadLimit",
    "ReadMaxBytes",
    "ReadMaxFiles",
    "SupportsTriggerAvailableNow",
]
