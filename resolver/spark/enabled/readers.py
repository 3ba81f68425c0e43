"""`spark.read` and `spark.readStream` of an enabled session."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import ReadOptionInvalidError, SqlUnsupportedError
from deltaresolver.spark.enabled.noted import STORAGE, NotingCalls
from deltaresolver.spark.names.identifiers import parse_name
from deltaresolver.spark.names.named_table import NamedTable, find_table
from deltaresolver.spark.reading.read import read
from deltaresolver.spark.reading.read_options import is_read_option
from deltaresolver.spark.source.data_source import NAME
from deltaresolver.spark.source.stream.tracked_schemas import consent_of_session
from deltaresolver.spark.spark_errors import MISSING_ROWS, told_as_spark
from deltaresolver.spark.sql.views.named import view_rows
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class NotingReader(NotingCalls):
    """What readers of batches and of streams have in common."""

    def schema(self, schema: Any) -> Any:
        """As PySpark's."""
        self._noted.others.append("schema")
        return super().schema(schema)  # type: ignore[misc]

    def _given(self, format: str | None, schema: Any, options: dict[str, Any]) -> None:  # noqa: A002 - PySpark's name
        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)

    def _named(self, name: str) -> NamedTable | None:
        parts = parse_name(name)
        return None if parts is None else find_table(self._noted.spark, parts)

    def _place(self, path: Any) -> str:
        given = self._noted.take("path")
        if isinstance(path, list | tuple) and len(path) == 1:
            (path,) = path
        place = path if path is not None else given
        if not isinstance(place, str):
            raise ReadOptionInvalidError(
                "'path' is not specified: format(\"delta\") reads one table, by its path.",
                fix="Give one path to load(), and use union for several tables.",
                details={"path": str(path)},
                delta_class="IllegalArgumentException",
            )
        if "schema" in self._noted.others:
            raise ReadOptionInvalidError(
                "A schema is given for a Delta table, which has its own.",
                fix="Leave schema() out, and select or cast columns afterwards.",
                details={"path": place},
                delta_class="UnsupportedOperationException",
                delta_condition="_LEGACY_ERROR_TEMP_2242",
            )
        return place


class EnabledReader(NotingReader):
    """Methods of DataFrameReader."""

    def load(self, path: Any = None, format: str | None = None, schema: Any = None, **options: Any) -> DataFrame:  # noqa: A002
        """As PySpark's; Delta tables by this library."""
        self._given(format, schema, options)
        if not self._noted.is_delta:
            rows: DataFrame = super().load(path)  # type: ignore[misc]
            return rows
        with told_as_spark(MISSING_ROWS):
            return self._read(self._place(path))

    def table(self, tableName: str) -> DataFrame:
        """As PySpark's; Delta tables by this library."""
        with told_as_spark():
            found = self._named(tableName) if isinstance(tableName, str) else None
            if found is not None:
                self._ensure_one_moment()
                return self._read(found.path)
            if isinstance(tableName, str) and (shown := view_rows(self._noted.spark, tableName)) is not None:
                return shown
        rows: DataFrame = super().table(tableName)  # type: ignore[misc]
        return rows

    def _ensure_one_moment(self) -> None:
        """Of tables by name Spark itself makes sure; of paths `read` does."""
        if {"versionasof", "timestampasof"} <= {key.lower() for key in self._noted.options}:
            raise ReadOptionInvalidError(
                "versionAsOf and timestampAsOf are both given.",
                fix="Give one of the two.",
                details={"options": dict(self._noted.options)},
                delta_class="AnalysisException",
                delta_condition="INVALID_TIME_TRAVEL_SPEC",
            )

    def _read(self, path: str) -> DataFrame:
        given = self._noted.options
        storage = {key[len(STORAGE) :]: value for key, value in given.items() if key.startswith(STORAGE)}
        options = {}
        for key, value in given.items():
            if is_read_option(key):
                options[key] = value
            elif not key.startswith(STORAGE):
                warnings.warn(f"The option {key} has no meaning for Delta tables, and is left out.", stacklevel=3)
        return read(self._noted.spark, path, options=options, storage_options=storage or None)


class EnabledStreamReader(NotingReader):
    """Methods of DataStreamReader."""

    def load(self, path: str | None = None, format: str | None = None, schema: Any = None, **options: Any) -> DataFrame:  # noqa: A002
        """As PySpark's; Delta tables by the data source of this library."""
        self._given(format, schema, options)
        if not self._noted.is_delta:
            rows: DataFrame = super().load(path)  # type: ignore[misc]
            return rows
        with told_as_spark():
            place = self._place(path)
        return self._streamed(place)

    def table(self, tableName: str) -> DataFrame:
        """As PySpark's; Delta tables by the data source of this library."""
        with told_as_spark():
            found = self._named(tableName) if isinstance(tableName, str) else None
        if found is not None:
            return self._streamed(found.path)
        rows: DataFrame = super().table(tableName)  # type: ignore[misc]
        return rows

    def _streamed(self, path: str) -> DataFrame:
        if "@" in path:
            raise SqlUnsupportedError(
                f"A stream of {path} would begin at a version named by its path.",
                fix="Give the option startingVersion.",
                details={"path": path},
            )
        with told_as_spark("DELTA_SCHEMA_NOT_SET"):
            given = self._noted.options
            storage = {key[len(STORAGE) :]: value for key, value in given.items() if key.startswith(STORAGE)}
            Table(path, storage or None).update()  # before Spark starts a process that would say so less clearly
        # The data source sees the session as it was when it was enabled.
        settings = dict(self._noted.spark.conf.getAll)
        for name, value in consent_of_session(settings).items():
            if name.lower() not in {key.lower() for key in self._noted.options}:
                self.option(name, value)
        super().format(NAME)
        rows: DataFrame = super().load(path)  # type: ignore[misc]
        return rows
