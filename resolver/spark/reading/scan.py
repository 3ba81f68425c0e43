"""Files to rows: Spark's own Parquet reader, and on top of it only what a file needs.

Files with deletion vectors are read apart, so that the others cost what plain Parquet costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.errors import DataFileMissingError, DeltaResolverError
from deltaresolver.log.columnar.file_rows import add_from_row
from deltaresolver.log.deletion_vectors import Rows, read_deletion_vectors
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.spark.reading.file_facts import (
    FILE,
    PREFIX,
    ROW,
    FileFacts,
    from_file,
    partition_fact,
    row_commit_version,
    row_id,
    with_facts,
)
from deltaresolver.spark.reading.file_location import FileLocation, TableRoot
from deltaresolver.spark.reading.partition_values import (
    Carrier,
    PartitionColumn,
    Values,
    choose_carrier,
    values_by_file,
)
from deltaresolver.spark.reading.row_columns import logical_column
from deltaresolver.spark.schema import mapping_mode, physical_field, physical_name, spark_schema
from deltaresolver.spark.session import is_connect, session_settings

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

ROW_ID, ROW_COMMIT_VERSION = "row_id", "row_commit_version"
_MATERIALIZED = {
    ROW_ID: "delta.rowTracking.materializedRowIdColumnName",
    ROW_COMMIT_VERSION: "delta.rowTracking.materializedRowCommitVersionColumnName",
}
_LIST_ON_DRIVER = {"spark.sql.sources.parallelPartitionDiscovery.threshold": str(1 << 30)}


@attrs.frozen(slots=True, eq=False)
class TableScan:
    """One table as its metadata describes it, ready to read any of its files."""

    spark: SparkSession
    store: LogStore
    root: TableRoot
    metadata: Metadata
    fields: tuple[StructField, ...]
    """The columns to give, in order."""
    row_tracking: Mapping[str, str] = attrs.field(factory=dict)
    """`ROW_ID` and `ROW_COMMIT_VERSION`, where asked for, to the names to give them."""
    positions: bool = False
    """Whether to give the columns `FILE` and `ROW`: where each row lies."""

    def rows(self, files: pa.Table) -> DataFrame:
        """The rows of `files`, shaped `arrow_schema.ADD_FILES`.

        Raises `DataFileMissingError` and `DeletionVectorUnreadableError`.
        """
        vectors = files.column("deletionVector").combine_chunks()
        has_vector = pc.is_valid(vectors)
        if not len(files):
            return self._nothing()
        if not pc.any(has_vector).as_py():
            return self._read_files(files, None)
        plain, with_vectors = files.filter(pc.invert(has_vector)), files.filter(has_vector)
        kept = self._read_files(with_vectors, self._deleted_rows(with_vectors))
        return self._read_files(plain, None).unionByName(kept) if len(plain) else kept

    def deleted_rows(self, files: pa.Table) -> list[Rows | None]:
        """The deleted rows of every file."""
        vectors = [add_from_row({**row, "partitionValues": ()}).deletion_vector for row in files.to_pylist()]
        found = read_deletion_vectors(self.store, [vector for vector in vectors if vector is not None])
        return [None if vector is None else found[vector.unique_id] for vector in vectors]

    _deleted_rows = deleted_rows

    # --- the columns ---------------------------------------------------------------------------

    @property
    def _mode(self) -> str:
        return mapping_mode(self.metadata)

    @property
    def _partition_names(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.metadata.partition_columns)

    def _is_partition(self, field: StructField) -> bool:
        return field.name.lower() in self._partition_names

    @property
    def partition_columns(self) -> list[PartitionColumn]:
        """The partition columns among those to give."""
        return [PartitionColumn.of(field, self._mode) for field in self.fields if self._is_partition(field)]

    def _materialized(self) -> dict[str, str]:
        configuration = self.metadata.configuration
        return {
            column: configuration[key]
            for column, key in _MATERIALIZED.items()
            if column in self.row_tracking and key in configuration
        }

    def _data_schema(self) -> StructType:
        data = [physical_field(field, self._mode) for field in self.fields if not self._is_partition(field)]
        materialized = [StructField(name, "long", True, {}) for name in self._materialized().values()]
        return StructType((*data, *materialized))

    # --- reading -------------------------------------------------------------------------------

    def _read_files(self, files: pa.Table, deleted: list[Rows | None] | None) -> DataFrame:
        paths = files.column("path").to_pylist()
        columns = self.partition_columns
        values = values_by_file(files, columns)
        carrier = choose_carrier(paths, values, columns, len(self.metadata.partition_columns))
        places = range(len(paths))
        if carrier is not Carrier.LITERALS:
            return self._read_part(files, places, carrier, values, deleted)
        groups: dict[Values, list[int]] = {}
        for place, each in zip(places, values, strict=True):
            groups.setdefault(each, []).append(place)
        parts = [self._read_part(files, group, carrier, values, deleted) for group in groups.values()]
        return reduce(lambda left, right: left.unionByName(right), parts)

    def _read_part(
        self,
        files: pa.Table,
        places: Sequence[int],
        carrier: Carrier,
        values: Sequence[Values],
        deleted: list[Rows | None] | None,
    ) -> DataFrame:
        part = files.take(pa.array(list(places), pa.int64()))
        locations = [self.root.file(path) for path in part.column("path").to_pylist()]
        facts = FileFacts(
            [location.key for location in locations],
            [values[place] for place in places] if carrier is Carrier.JOIN else None,
            None if deleted is None else [deleted[place] for place in places],
            part.column("baseRowId").to_pylist() if ROW_ID in self.row_tracking else None,
            part.column("defaultRowCommitVersion").to_pylist() if ROW_COMMIT_VERSION in self.row_tracking else None,
        )
        rows = self._parquet(locations, self.partition_columns if carrier is Carrier.FOLDERS else [])
        if facts.has_any or self.positions:
            rows = self._with_positions(rows)
        if facts.has_any:
            rows = with_facts(self.spark, rows, facts)
        return rows.select(*self._output(carrier, values[places[0]]))

    def _parquet(self, locations: Sequence[FileLocation], in_folders: Sequence[PartitionColumn]) -> DataFrame:
        found = [StructField(column.logged_name, column.type, True, {}) for column in in_folders]
        schema = spark_schema(StructType((*self._data_schema().fields, *found)))
        reader = self.spark.read.schema(schema)
        if in_folders:
            reader = reader.option("basePath", FileLocation(self.root.location).spark_path)
        paths = [location.spark_path for location in locations]
        # Local folders are listed faster here than by a job. The listing happens in this very call, except on
        # Connect, where the setting does nothing but harm nobody.
        settings = _LIST_ON_DRIVER if self.root.is_local and not is_connect(self.spark) else {}
        try:
            with session_settings(self.spark, settings):
                return reader.parquet(*paths)
        except Exception as error:
            raise _missing_or(error) from error

    def _with_positions(self, rows: DataFrame) -> DataFrame:
        metadata = rows.metadataColumn("_metadata")
        return rows.select("*", metadata.file_path.alias(FILE), metadata.row_index.alias(ROW))

    def _output(self, carrier: Carrier, values: Values) -> list[Column]:
        from pyspark.sql import functions as f

        columns: list[Column] = []
        place = 0
        for field in self.fields:
            if self._is_partition(field):
                column = self._partition_value(field, carrier, place, values)
                place += 1
            else:
                column = f.col(_quoted(physical_name(field, self._mode)))
            columns.append(logical_column(column, field, self._mode))
        materialized = {key: f.col(_quoted(name)) for key, name in self._materialized().items()}
        if ROW_ID in self.row_tracking:
            columns.append(row_id(materialized.get(ROW_ID)).alias(self.row_tracking[ROW_ID]))
        if ROW_COMMIT_VERSION in self.row_tracking:
            version = row_commit_version(materialized.get(ROW_COMMIT_VERSION))
            columns.append(version.alias(self.row_tracking[ROW_COMMIT_VERSION]))
        return [*columns, f.col(FILE), f.col(ROW)] if self.positions else columns

    def _partition_value(self, field: StructField, carrier: Carrier, place: int, values: Values) -> Column:
        from pyspark.sql import functions as f

        if carrier is Carrier.FOLDERS:
            return f.col(_quoted(physical_name(field, self._mode)))
        text = f.lit(values[place]) if carrier is Carrier.LITERALS else from_file(f.col(partition_fact(place)))
        kind = spark_schema(StructType((physical_field(field, "none"),)))[0].dataType
        # As Delta reads them: text that is no such value is null.
        return text.cast("string").try_cast(kind)

    def _nothing(self) -> DataFrame:
        from pyspark.sql import functions as f

        tracking = [StructField(name, "long") for name in self.row_tracking.values()]
        where = [StructField(FILE, "string"), StructField(ROW, "long")] if self.positions else []
        plain = [physical_field(field, "none") for field in self.fields]
        empty = self.spark.createDataFrame([], spark_schema(StructType((*plain, *tracking, *where))))
        given = [logical_column(f.col(_quoted(field.name)), field, "none") for field in self.fields]
        return empty.select(*given, *(f.col(_quoted(field.name)) for field in (*tracking, *where)))


def _missing_or(error: Exception) -> Exception:
    """Our error where Spark says that a file is not there, else the error itself."""
    condition = getattr(error, "getCondition", lambda: None)()
    if condition != "PATH_NOT_FOUND":
        return error
    parameters: Mapping[str, str] = getattr(error, "getMessageParameters", dict)() or {}
    path = parameters.get("path", str(error))
    return data_file_missing(path)


def data_file_missing(path: str) -> DeltaResolverError:
    """The error for a file that the log names and that is not there."""
    return DataFileMissingError(
        f"The data file {path} is in the table's log but is not there.",
        fix="Restore the file, read a table version that does not need it, or remove it from the log.",
        details={"path": path},
    )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


__all__ = ["PREFIX", "TableScan", "data_file_missing"]
