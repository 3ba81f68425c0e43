"""Files to rows: Spark's own Parquet reader, and on top of it only what a file needs.

Files with deletion vectors are read apart, so that the others cost what plain Parquet costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.file_rows import vector_from_row
from deltaresolver.log.deletion_vectors import ReadAbsolute, Rows, read_deletion_vectors
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, StructField, StructType, quoted
from deltaresolver.spark.declared_lengths import fills_up
from deltaresolver.spark.folding import hidden_column, union, with_hidden, without_hidden
from deltaresolver.spark.not_null import (
    NO_PATHS,
    declared_not_null,
    never_null,
    never_null_partition,
    with_nullability,
)
from deltaresolver.spark.reading.data_files import InFolders, ensure_names_tell_columns, ensure_shown, read_parquet
from deltaresolver.spark.reading.file_facts import (
    FILE,
    KEY,
    PREFIX,
    ROW,
    FileFacts,
    from_file,
    partition_fact,
    row_commit_version,
    row_id,
    with_facts,
)
from deltaresolver.spark.reading.file_keys import file_keys
from deltaresolver.spark.reading.file_location import FileLocation, TableRoot
from deltaresolver.spark.reading.marked_rows import taken
from deltaresolver.spark.reading.outside import ensure_files_allowed, may_lead_outside
from deltaresolver.spark.reading.partition_values import (
    Carrier,
    PartitionColumn,
    Values,
    base_of,
    choose_carrier,
    values_by_file,
)
from deltaresolver.spark.reading.row_columns import logical_column
from deltaresolver.spark.schema import physical_field, spark_schema, visible_metadata

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession, types

ROW_ID, ROW_COMMIT_VERSION = f"{PREFIX}row_id", f"{PREFIX}row_commit_version"
"""Names that no column of a table has."""
MATERIALIZED = {
    ROW_ID: "delta.rowTracking.materializedRowIdColumnName",
    ROW_COMMIT_VERSION: "delta.rowTracking.materializedRowCommitVersionColumnName",
}


@attrs.frozen(slots=True, eq=False)
class TableScan:
    """One table as its metadata describes it, ready to read any of its files.

    fields         the columns to give, in order
    row_tracking   whether to give `ROW_ID` and `ROW_COMMIT_VERSION` after them
    positions      whether to give `FILE` and `ROW` after them: where each row lies
    """

    spark: SparkSession
    store: LogStore
    root: TableRoot
    metadata: Metadata
    fields: tuple[StructField, ...]
    row_tracking: bool = False
    positions: bool = False
    read_absolute: ReadAbsolute | None = None
    storage: Mapping[str, str] | None = attrs.field(default=None, repr=False)
    """Options of the table's storage, which say where files outside the table may be read."""
    shows_not_null: bool = False
    """Whether the schema says of NOT NULL columns that they hold no null, where the files are known to hold none."""
    hides_metadata: bool = False
    """Whether several parts together give `_metadata` where it is asked for, as one does by itself."""
    as_session: bool = False
    """Whether files that are missing or damaged are passed over where the session wants it, as in any query."""
    never_null: frozenset[FieldPath] = NO_PATHS
    """What is known of the files that `rows` is reading."""

    def rows(self, files: pa.Table) -> DataFrame:
        """The rows of `files`, shaped `arrow_schema.ADD_FILES`, without those that deletion vectors delete.

        Raises `DataFileMissingError`, `HiddenDataFileError`, `DeletionVectorUnreadableError`, `FieldIdsNeededError`.
        """
        if not len(files):
            return self._nothing()
        if self.shows_not_null:
            return self._with_not_null(files).rows(files)
        has_vector = pc.is_valid(files.column("deletionVector").combine_chunks())
        plain, marked = files.filter(pc.invert(has_vector)), files.filter(has_vector)
        are_two = len(plain) > 0 and len(marked) > 0
        parts = []
        if len(plain):
            parts.append(self._read(plain, is_part=are_two))
        if len(marked):
            parts.append(self._read(marked, self.marked_rows(marked), is_part=are_two))
        return without_hidden(union(parts)) if are_two and self.hides_metadata else union(parts)

    def only(self, files: pa.Table, wanted: Sequence[Rows]) -> DataFrame:
        """Of every file only the rows at these positions, whatever its deletion vector says. Raises as `rows`."""
        return self._read(files, wanted, keep_marked=True) if len(files) else self._nothing()

    def without(self, files: pa.Table, gone: Sequence[Rows]) -> DataFrame:
        """Of every file the rows but those at these positions, whatever its deletion vector says. Raises as `rows`."""
        return self._read(files, gone) if len(files) else self._nothing()

    def marked_rows(self, files: pa.Table) -> list[Rows]:
        """The rows that the deletion vectors of files which all have one delete."""
        vectors = [vector_from_row(vector) for vector in files.column("deletionVector").to_pylist()]
        present = [vector for vector in vectors if vector is not None]
        found = read_deletion_vectors(self.store, present, self.read_absolute)
        return [found[vector.unique_id] for vector in present]

    def partition_rows(self, files: pa.Table) -> DataFrame:
        """One row for each of `files`, with the partition values as its rows have them and null in all else."""
        from pyspark.sql import functions as f

        columns = self._partition_columns()
        values = values_by_file(files, columns)
        texts = {partition_fact(place): [each[place] for each in values] for place in range(len(columns))}
        given = {PREFIX: pa.array(range(len(files)), pa.int64())}
        given |= {name: pa.array(each, pa.string()) for name, each in texts.items()}
        shown: list[Column] = []
        fills = fills_up(self.spark, self.fields)
        place = 0
        for field in self.fields:
            if self._is_partition(field):
                value = _as_value(f.col(partition_fact(place)), field)
                place += 1
            else:
                value = f.lit(None).cast(_plain_type(field))
            shown.append(logical_column(value, field, "none", fills_up=fills))
        return self.spark.createDataFrame(pa.table(given)).select(*shown)

    def _with_not_null(self, files: pa.Table) -> TableScan:
        columns = self._partition_columns()
        found = never_null(files, self.metadata, self.fields, columns, values_by_file(files, columns))
        return attrs.evolve(self, shows_not_null=False, never_null=found)

    # --- the columns ---------------------------------------------------------------------------

    @property
    def _mode(self) -> str:
        return mapping_mode(self.metadata)

    def _is_partition(self, field: StructField) -> bool:
        return field.name.lower() in {name.lower() for name in self.metadata.partition_columns}

    def _partition_columns(self) -> list[PartitionColumn]:
        return [PartitionColumn.of(field, self._mode) for field in self.fields if self._is_partition(field)]

    def _materialized(self) -> dict[str, str]:
        configuration = self.metadata.configuration
        return {
            column: configuration[key]
            for column, key in MATERIALIZED.items()
            if self.row_tracking and key in configuration
        }

    def _data_schema(self) -> StructType:
        own = [field for field in self.fields if not self._is_partition(field)]
        data = [with_nullability(physical_field(field, self._mode), field, self.never_null) for field in own]
        materialized = [StructField(name, "long", True, {}) for name in self._materialized().values()]
        return StructType((*data, *materialized))

    # --- reading -------------------------------------------------------------------------------

    def _read(
        self, files: pa.Table, marked: Sequence[Rows] | None = None, *, keep_marked: bool = False, is_part: bool = False
    ) -> DataFrame:
        paths = files.column("path").to_pylist()
        ensure_shown(paths, self.store.location)
        ensure_files_allowed(self.store, self.root, map(self.root.file, filter(may_lead_outside, paths)), self.storage)
        ensure_names_tell_columns(self.spark, self.store, files, self._data_schema())
        columns = self._partition_columns()
        values = values_by_file(files, columns)
        carrier = choose_carrier(paths, values, columns, len(self.metadata.partition_columns))
        if carrier is Carrier.LITERALS and (marked is not None or self.row_tracking) and len(set(values)) > 1:
            carrier = Carrier.JOIN  # rows look their file up in any case
        groups: dict[tuple[Values, str], list[int]] = {}
        for place, each in enumerate(values):
            literals = each if carrier is Carrier.LITERALS else ()
            base = base_of(paths[place], len(columns)) if carrier is Carrier.FOLDERS else ""
            groups.setdefault((literals, base), []).append(place)
        hides = self.hides_metadata and (is_part or len(groups) > 1)
        parts = []
        for (literals, base), places in groups.items():
            part = files.take(pa.array(places, pa.int64()))
            facts = self._facts(
                part,
                [values[place] for place in places] if carrier is Carrier.JOIN else None,
                None if marked is None else taken(marked, places),
            )
            in_folders = self._partition_columns() if carrier is Carrier.FOLDERS else []
            rows = self._parquet(part, in_folders, self.root.file(base) if base else None)
            rows = with_hidden(rows) if hides else rows
            parts.append(self._with_facts(rows, carrier, literals, facts, keep_marked=keep_marked, hides=hides))
        return without_hidden(union(parts)) if hides and not is_part else union(parts)

    def _facts(self, files: pa.Table, values: Sequence[Values] | None, marked: Sequence[Rows] | None) -> FileFacts:
        return FileFacts(
            file_keys([self.root.file(path) for path in files.column("path").to_pylist()]),
            values,
            marked,
            files.column("baseRowId").to_pylist() if self.row_tracking else None,
            files.column("defaultRowCommitVersion").to_pylist() if self.row_tracking else None,
        )

    def _parquet(self, files: pa.Table, in_folders: Sequence[PartitionColumn], base: FileLocation | None) -> DataFrame:
        locations = [self.root.file(path) for path in files.column("path").to_pylist()]
        fields = [StructField(column.logged_name, column.type, True, {}) for column in in_folders]
        data, folders = self._data_schema(), InFolders(fields, base)
        return read_parquet(self.spark, self.root, locations, data, folders, as_session=self.as_session)

    def _with_facts(
        self, rows: DataFrame, carrier: Carrier, literals: Values, facts: FileFacts, *, keep_marked: bool, hides: bool
    ) -> DataFrame:
        if facts.has_any or self.positions:
            metadata = rows.metadataColumn("_metadata")
            added = [facts.keys.column(metadata).alias(KEY)] if facts.has_any else []
            added += [metadata.getField("file_path").alias(FILE)] if self.positions else []
            rows = rows.select("*", *added, metadata.getField("row_index").alias(ROW))
        if facts.has_any:
            rows = with_facts(self.spark, rows, facts, keep_marked=keep_marked)
        return rows.select(*self._output(carrier, literals), *([hidden_column()] if hides else []))

    def _output(self, carrier: Carrier, literals: Values) -> list[Column | str]:
        from pyspark.sql import functions as f

        columns: list[Column | str] = []
        fills = fills_up(self.spark, self.fields)
        place = 0
        for field in self.fields:
            if self._is_partition(field):
                value = self._partition_value(field, carrier, place, literals)
                columns.append(logical_column(value, field, self._mode, fills_up=fills))
                place += 1
            elif self._mode == "none" and not visible_metadata(field.metadata):
                columns.append(quoted(field.name))  # a name costs far fewer calls of the JVM
            else:
                stored = f.col(quoted(physical_name(field, self._mode)))
                columns.append(logical_column(stored, field, self._mode, fills_up=fills))
        if self.row_tracking:
            materialized = {key: f.col(quoted(name)) for key, name in self._materialized().items()}
            columns.append(row_id(materialized.get(ROW_ID)).alias(ROW_ID))
            columns.append(row_commit_version(materialized.get(ROW_COMMIT_VERSION)).alias(ROW_COMMIT_VERSION))
        return [*columns, FILE, ROW] if self.positions else columns

    def _partition_value(self, field: StructField, carrier: Carrier, place: int, literals: Values) -> Column:
        from pyspark.sql import functions as f

        if carrier is Carrier.FOLDERS:
            value = f.col(quoted(physical_name(field, self._mode)))
        else:
            is_literal = carrier is Carrier.LITERALS
            text = f.lit(literals[place]) if is_literal else from_file(f.col(partition_fact(place)))
            value = _as_value(text, field)
        return never_null_partition(value, field.type) if (field.name,) in self.never_null else value

    def _nothing(self) -> DataFrame:
        from pyspark.sql import functions as f

        tracking = [StructField(name, "long") for name in (ROW_ID, ROW_COMMIT_VERSION) if self.row_tracking]
        where = [StructField(FILE, "string"), StructField(ROW, "long")] if self.positions else []
        known = {path for path, _ in declared_not_null(self.fields)} if self.shows_not_null else NO_PATHS
        plain = [with_nullability(physical_field(field, "none"), field, known) for field in self.fields]
        empty = self.spark.createDataFrame([], spark_schema(StructType((*plain, *tracking, *where))))
        given = [logical_column(f.col(quoted(field.name)), field, "none", fills_up=False) for field in self.fields]
        return empty.select(*given, *(f.col(quoted(field.name)) for field in (*tracking, *where)))


def _as_value(text: Column, field: StructField) -> Column:
    """A partition value from the log's text, as Delta reads it: text that cannot be read as one is null."""
    return text.cast("string").try_cast(_plain_type(field))


def _plain_type(field: StructField) -> types.DataType:
    return spark_schema(StructType((physical_field(field, "none"),)))[0].dataType
