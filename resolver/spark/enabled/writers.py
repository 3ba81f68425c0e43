"""`frame.write` and `frame.writeStream` in an enabled session."""

from __future__ import annotations

import json
from typing import Any

from deltaresolver.errors import SqlUnsupportedError, WriteOptionError
from deltaresolver.spark.enabled.noting_writer import NotingWriter, as_path
from deltaresolver.spark.source.data_source import NAME
from deltaresolver.spark.spark_errors import told_as_spark
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.insert_rows import Insert, write_rows
from deltaresolver.spark.sql.saved_tables import save_as_table
from deltaresolver.spark.writing.write import write


class EnabledWriter(NotingWriter):
    """Methods of DataFrameWriter."""

    def mode(self, saveMode: str | None) -> Any:
        """As PySpark's."""
        if saveMode is not None:
            self._noted.mode = saveMode
        return super().mode(saveMode)  # type: ignore[misc]

    def bucketBy(self, *args: Any) -> Any:
        """As PySpark's."""
        self._noted.others.append("bucketBy")
        return super().bucketBy(*args)  # type: ignore[misc]

    def sortBy(self, *args: Any) -> Any:
        """As PySpark's."""
        self._noted.others.append("sortBy")
        return super().sortBy(*args)  # type: ignore[misc]

    def save(
        self,
        path: str | None = None,
        format: str | None = None,  # noqa: A002 - PySpark's name
        mode: str | None = None,
        partitionBy: Any = None,
        **options: Any,
    ) -> None:
        """As PySpark's; Delta tables by this library."""
        self._given(format, mode, partitionBy, options)
        if not self._noted.is_delta:
            super().save(path)  # type: ignore[misc]
            return
        noted = self._noted
        with told_as_spark():
            place = noted.take("path") if path is None else path
            if place is None:
                raise WriteOptionError(
                    "'path' is not specified: format(\"delta\") writes to one.",
                    fix="Give it to save(), or use saveAsTable(name).",
                    delta_class="IllegalArgumentException",
                )
            self._ensure_plain()
            options_given, storage = self._options()
            write(
                noted.frame,
                as_path(place),
                mode=noted.mode,
                partition_by=noted.partition_by,
                options=options_given,
                storage_options=storage,
            )

    def saveAsTable(
        self,
        name: str,
        format: str | None = None,  # noqa: A002 - PySpark's name
        mode: str | None = None,
        partitionBy: Any = None,
        **options: Any,
    ) -> None:
        """As PySpark's; Delta tables by this library."""
        self._given(format, mode, partitionBy, options)
        with told_as_spark():
            parts, found = self._found(name)
            is_ours = self._noted.is_delta or (found is not None and self._noted.source is None)
            if is_ours:
                self._ensure_plain()
                location = self._noted.take("path")
                given, _ = self._options()
                noted = self._noted
                save_as_table(
                    noted.frame,
                    parts,
                    mode=noted.mode,
                    partition_by=noted.partition_by,
                    cluster_by=noted.cluster_by,
                    options=given,
                    location=location,
                )
                return
        super().saveAsTable(name)  # type: ignore[misc]

    def insertInto(self, tableName: str, overwrite: bool | None = None) -> None:
        """As PySpark's; Delta tables by this library."""
        with told_as_spark():
            _, found = self._found(tableName)
            if found is not None:
                replaces = self._noted.mode.lower() == "overwrite" if overwrite is None else overwrite
                context = SqlContext(self._noted.spark)
                write_rows(context.opened(found), self._noted.frame, Insert(replaces))
                return
        super().insertInto(tableName, overwrite)  # type: ignore[misc]

    def _given(self, format: str | None, mode: str | None, partition_by: Any, options: dict[str, Any]) -> None:  # noqa: A002
        self.mode(mode)
        self.options(**options)
        if partition_by is not None:
            self.partitionBy(partition_by)
        if format is not None:
            self.format(format)

    def _ensure_plain(self) -> None:
        if self._noted.others:
            raise SqlUnsupportedError(
                f"{self._noted.others[0]} is not for Delta tables.",
                fix="Leave it out; partitionBy and clusterBy lay out the files of Delta tables.",
                delta_class="AnalysisException",
                delta_condition="DELTA_OPERATION_NOT_ALLOWED",
            )


class EnabledStreamWriter(NotingWriter):
    """Methods of DataStreamWriter."""

    def foreachBatch(self, func: Any) -> Any:
        """As PySpark's. Where the rows go is then the function's affair, whatever format is named."""
        self._noted.others.append("foreachBatch")
        return super().foreachBatch(func)  # type: ignore[misc]

    def foreach(self, f: Any) -> Any:
        """As PySpark's, and as `foreachBatch`."""
        self._noted.others.append("foreach")
        return super().foreach(f)  # type: ignore[misc]

    def start(self, path: str | None = None, format: str | None = None, *args: Any, **options: Any) -> Any:  # noqa: A002
        """As PySpark's; Delta tables by the data source of this library."""
        if format is not None:
            self.format(format)
        if self._noted.source is not None and self._noted.is_delta and not self._noted.others:
            super().format(NAME)
            self._place_partitions()
        return super().start(path, None, *args, **options)  # type: ignore[misc]

    def toTable(self, tableName: str, format: str | None = None, *args: Any, **options: Any) -> Any:  # noqa: A002
        """As PySpark's; Delta tables by the data source of this library. A table that is not there is made."""
        if format is not None:
            self.format(format)
        noted = self._noted
        with told_as_spark():
            parts, found = self._found(tableName)
            if found is None and not noted.is_delta:
                return super().toTable(tableName, None, *args, **options)  # type: ignore[misc]
            if found is None:
                empty = noted.spark.createDataFrame([], noted.frame.schema)
                save_as_table(empty, parts, mode="error", partition_by=noted.partition_by)
                _, found = self._found(tableName)
        assert found is not None, "the table is there now"
        super().format(NAME)
        self._place_partitions()
        return super().start(found.path, None, *args, **options)  # type: ignore[misc]

    def _place_partitions(self) -> None:
        names = self._noted.partition_by
        if names:
            self.partitionBy()  # Spark takes none for a data source in Python
            self.option("partitionBy", json.dumps(names))
