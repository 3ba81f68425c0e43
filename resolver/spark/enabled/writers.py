"""`frame.write`, `frame.writeTo` and `frame.writeStream` in an enabled session."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import SqlUnsupportedError, TableNameError, WriteOptionError
from deltaresolver.spark.changes.own_columns import sql_of
from deltaresolver.spark.enabled.noted import Noted, told_as_spark
from deltaresolver.spark.names.identifiers import TableName, parse_name, shown_name
from deltaresolver.spark.names.named_table import NamedTable, find_table
from deltaresolver.spark.names.session_catalog import catalog_of
from deltaresolver.spark.session import is_connect
from deltaresolver.spark.source.data_source import NAME
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.inserts import Insert, write_rows
from deltaresolver.spark.sql.saved_tables import save_as_table
from deltaresolver.spark.writing.write import write
from deltaresolver.spark.writing.write_options import is_write_option

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_STORAGE = "storage."


class NotingWriter:
    """What writers have in common."""

    _noted: Noted

    def format(self, source: str) -> Any:
        """As PySpark's."""
        self._noted.source = source
        return super().format(source)  # type: ignore[misc]

    def option(self, key: str, value: Any) -> Any:
        """As PySpark's."""
        self._noted.note({key: value})
        return super().option(key, value)  # type: ignore[misc]

    def options(self, **options: Any) -> Any:
        """As PySpark's."""
        self._noted.note(options)
        return super().options(**options)  # type: ignore[misc]

    def partitionBy(self, *cols: Any) -> Any:
        """As PySpark's."""
        self._noted.partition_by = _names(cols)
        return super().partitionBy(*cols)  # type: ignore[misc]

    def clusterBy(self, *cols: Any) -> Any:
        """As PySpark's."""
        self._noted.cluster_by = _names(cols)
        return super().clusterBy(*cols)  # type: ignore[misc]

    def _found(self, name: str) -> tuple[TableName, NamedTable | None]:
        parts = parse_name(name)
        if parts is None:
            raise TableNameError(
                f"{name!r} is no name of a table.",
                fix="Write table or database.table, odd names in backticks.",
                details={"name": name},
                delta_class="ParseException",
            )
        return parts, find_table(self._noted.spark, parts)

    def _options(self) -> tuple[dict[str, str], dict[str, str] | None]:
        """Options of the write and of storage. Spark hands any option on; one without meaning is warned about."""
        given = self._noted.options
        storage = {key[len(_STORAGE) :]: value for key, value in given.items() if key.startswith(_STORAGE)}
        options = {}
        for key, value in given.items():
            if is_write_option(key):
                options[key] = value
            elif not key.startswith(_STORAGE):
                warnings.warn(f"The option {key} has no meaning for Delta tables, and is left out.", stacklevel=4)
        return options, storage or None


class DeltaWriter(NotingWriter):
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
                    'format("delta") writes to a path, and none is given.',
                    fix="Give it to save(), or use saveAsTable(name).",
                    delta_class="DeltaIllegalArgumentException",
                    delta_condition="DELTA_PATH_MISSING",
                )
            self._ensure_plain()
            options_given, storage = self._options()
            write(
                noted.frame,
                _as_path(place),
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


class DeltaWriterV2(NotingWriter):
    """Methods of DataFrameWriterV2."""

    def using(self, provider: str) -> Any:
        """As PySpark's."""
        self._noted.source = provider
        return super().using(provider)  # type: ignore[misc]

    def tableProperty(self, property: str, value: str) -> Any:  # noqa: A002 - PySpark's name
        """As PySpark's."""
        self._noted.properties[property] = value
        return super().tableProperty(property, value)  # type: ignore[misc]

    def partitionedBy(self, col: Any, *cols: Any) -> Any:
        """As PySpark's."""
        self._noted.partition_by = tuple(_column_name(self._noted.spark, each) for each in (col, *cols))
        return super().partitionedBy(col, *cols)  # type: ignore[misc]

    def create(self) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._made("error"):
            super().create()  # type: ignore[misc]

    def replace(self) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._made("overwrite", must_exist=True):
            super().replace()  # type: ignore[misc]

    def createOrReplace(self) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._made("overwrite"):
            super().createOrReplace()  # type: ignore[misc]

    def append(self) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._written("append"):
            super().append()  # type: ignore[misc]

    def overwrite(self, condition: Column) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._written("overwrite", condition):
            super().overwrite(condition)  # type: ignore[misc]

    def overwritePartitions(self) -> None:
        """As PySpark's; Delta tables by this library."""
        if not self._written("overwrite", dynamic=True):
            super().overwritePartitions()  # type: ignore[misc]

    def _made(self, mode: str, *, must_exist: bool = False) -> bool:
        noted = self._noted
        with told_as_spark():
            parts, _ = self._found(noted.table or "")
            if not noted.is_delta:
                return False
            if must_exist and catalog_of(noted.spark).find(parts) is None:
                raise TableNameError(
                    f"There is no table {shown_name(parts)} that could be replaced.",
                    fix="Use create() or createOrReplace().",
                    details={"name": list(parts)},
                    delta_condition="TABLE_OR_VIEW_NOT_FOUND",
                )
            location = noted.properties.pop("location", None)
            given, _ = self._options()
            save_as_table(
                noted.frame,
                parts,
                mode=mode,
                partition_by=noted.partition_by,
                cluster_by=noted.cluster_by,
                options=given,
                properties=noted.properties,
                location=location,
            )
        return True

    def _written(self, mode: str, condition: Any = None, *, dynamic: bool = False) -> bool:
        noted = self._noted
        with told_as_spark():
            _, found = self._found(noted.table or "")
            if found is None:
                return False
            options, storage = self._options()
            where = None if condition is None else _text_of(noted.spark, condition)
            more = {} if where in (None, "true") else {"replaceWhere": where}
            more |= {"partitionOverwriteMode": "dynamic" if dynamic else "static"} if mode == "overwrite" else {}
            write(noted.frame, _as_path(found.path), mode=mode, options={**options, **more}, storage_options=storage)
        return True


class DeltaStreamWriter(NotingWriter):
    """Methods of DataStreamWriter."""

    def start(self, path: str | None = None, format: str | None = None, *args: Any, **options: Any) -> Any:  # noqa: A002
        """As PySpark's; Delta tables by the data source of this library."""
        if format is not None:
            self.format(format)
        if self._noted.source is not None and self._noted.is_delta:
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
        if self._noted.partition_by:
            super().partitionBy()
            super().option("partitionBy", ",".join(self._noted.partition_by))


def _names(columns: Any) -> tuple[str, ...]:
    listed = columns[0] if len(columns) == 1 and isinstance(columns[0], list | tuple) else columns
    return tuple(str(name) for name in listed)


def _as_path(place: str) -> str:
    """A text that could be a name, as the folder that save() means by it."""
    return place if "/" in place or ":" in place else f"./{place}"


def _column_name(spark: SparkSession, column: Any) -> str:
    text = _text_of(spark, column)
    parts = parse_name(text)
    if parts is None or len(parts) != 1:
        raise SqlUnsupportedError(
            f"A Delta table is partitioned by columns, and not by {text}.",
            fix="Give a column, and make one where it takes an expression.",
            details={"column": text},
        )
    return parts[0]


def _text_of(spark: SparkSession, column: Any) -> str:
    """The SQL of a Column. Raises `SqlUnsupportedError` where only Spark has it."""
    found = None if is_connect(spark) else sql_of(spark, column)
    if found is not None:
        return found
    shown = str(column).removeprefix("Column<'").removesuffix("'>")
    if parse_name(shown) is not None:
        return shown
    raise SqlUnsupportedError(
        f"The condition {shown} cannot be taken out of a Column on Spark Connect.",
        fix='Use write.mode("overwrite").option("replaceWhere", text).',
        details={"column": shown},
    )
