"""CONVERT TO DELTA: Parquet files become a table where they are, by one commit that names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

import attrs

from deltaresolver.errors import ConversionError, PartitionFoldersError, TableNotFoundError
from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.model.actions import AddFile
from deltaresolver.model.facts.columns import mapping_mode
from deltaresolver.model.facts.keys import MAPPING_MODE
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.rules import read_boolean
from deltaresolver.model.schema import StructType, encode_schema
from deltaresolver.spark.maintenance.convert.file_schemas import table_schema
from deltaresolver.spark.maintenance.convert.footers import ForeignStatistics, SchemaReading, ensure_readable
from deltaresolver.spark.maintenance.convert.named_source import NamedSource
from deltaresolver.spark.maintenance.convert.partitions import Values, ensure_values_fit, values_by_path
from deltaresolver.spark.maintenance.convert.source import (
    DELTA,
    PARQUET,
    SourceName,
    data_files,
    ensure_plain_parquet,
    source_named,
)
from deltaresolver.spark.names.identifiers import quoted_name
from deltaresolver.spark.schema import delta_schema
from deltaresolver.spark.session import find_setting, timestamp_type
from deltaresolver.spark.settings.check import check_settings
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.spark.writing.data_folder import SAFE_IN_PATHS, WrittenFile
from deltaresolver.spark.writing.statistics.file_layout import layout_of
from deltaresolver.spark.writing.statistics.file_statistics import StatisticsShape
from deltaresolver.spark.writing.statistics.footers import read_statistics
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.create.table_columns import read_columns
from deltaresolver.transaction.metadata.partition_columns import ensure_partitionable
from deltaresolver.transaction.progress import stage
from deltaresolver.transaction.transaction import OptimisticTransaction

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql import types as spark_types

    from deltaresolver.transaction.commit.committed import Committed

    PartitionSchema = str | spark_types.StructType | StructType | None

COLLECTS = "spark.databricks.delta.stats.collect"
CASE_SENSITIVE = "spark.sql.caseSensitive"


@attrs.frozen(slots=True, eq=False)
class ConversionOutcome:
    """The table; `committed` is None where it was one already."""

    table: Table
    committed: Committed | None = None


def convert_to_delta(
    spark: SparkSession,
    identifier: str,
    partition_schema: PartitionSchema = None,
    *,
    statistics: bool = True,
    storage_options: Mapping[str, str] | None = None,
) -> ConversionOutcome:
    """Turn the Parquet files of a folder, parquet.`path`, into a Delta table in the same place; no file is written.

    A Parquet table of the session catalog may be given by its name, which is then the Delta table's; its partition
    columns are those of the catalog.

    `partition_schema` (DDL text or a Spark schema) declares the columns that folders such as `day=2024-01-01` hold.
    Files get statistics from their footers, or with `statistics=False` none. A folder that is a Delta table already
    stays as it is. Nobody may write to the folder meanwhile: files that come later are not part of the table.
    Raises `ConversionSourceError`, `ConversionError`, `PartitionFoldersError`, `ConversionSchemaError`,
    `SettingRefusedError`, and what declaring a table and a commit raise.
    """
    named = NamedSource.named(spark, identifier)
    source = source_named(identifier) if named is None else SourceName(PARQUET, named.entry.path)
    check_settings(SessionValues(spark))
    table = Table(source.path, storage_options, session=partial(SessionValues, spark))
    transaction = table.starter.start()
    if transaction.read_version >= 0:
        if named is not None:
            named.become_delta()
        return ConversionOutcome(table)
    if source.provider == DELTA:
        raise _no_table(source.path)
    ensure_plain_parquet(table.log.store)
    declared = _declared(partition_schema, timestamp_type(spark))
    partitions = declared if named is None else _agreed(declared, named)
    done = _Conversion(spark, table, partitions, named, declared, collects=statistics).commit(transaction)
    if named is not None:
        named.become_delta()
    return done


def _no_table(location: str) -> TableNotFoundError:
    return TableNotFoundError(
        f"There is no Delta table at {location}.",
        fix=f"Give parquet.`{location}` to convert the Parquet files there.",
        details={"location": location},
    )


def _agreed(declared: StructType, named: NamedSource) -> StructType:
    """The partition columns of the catalog, which those that are declared must be."""
    known = named.partition_columns
    if declared.fields and _shown(declared) != _shown(known):
        raise PartitionFoldersError(
            f"{named.entry.table} is partitioned by {_shown(known)} in the catalog, not by {_shown(declared)}.",
            fix="Leave PARTITIONED BY out: a table by its name has its partition columns.",
            details={"catalog": _shown(known), "declared": _shown(declared)},
            delta_class="DeltaAnalysisException",
            delta_condition="DELTA_UNEXPECTED_PARTITION_SCHEMA_FROM_USER",
        )
    return known


def _shown(columns: StructType) -> str:
    return ", ".join(f"{each.name} {each.type}" for each in columns.fields) or "nothing"


@attrs.define(slots=True, eq=False)
class _Conversion:
    """One run of it."""

    spark: SparkSession
    table: Table
    partitions: StructType
    named: NamedSource | None
    declared: StructType
    collects: bool = attrs.field(kw_only=True)

    def commit(self, transaction: OptimisticTransaction) -> ConversionOutcome:
        location = self.table.log.store.location
        with stage(f"CONVERT TO DELTA {location}: listing its files"):
            files = data_files(self.spark, self.table.log.store)
            if self.named is not None:
                self.named.ensure_same_files(files)
        is_case_sensitive = (find_setting(self.spark, CASE_SENSITIVE) or "false").lower() == "true"
        values = values_by_path(files, self.partitions, is_case_sensitive=is_case_sensitive)
        ensure_values_fit(self.spark, list({id(each): each for each in values.values()}.values()), self.partitions)
        with stage(f"CONVERT TO DELTA {location}: reading the schemas of {len(files):,} files"):
            written = [WrittenFile(file.path, file.size, file.modified_ms) for file in files]
            reading = SchemaReading(self.table.log.store, StatisticsShape(()))
            texts = read_statistics(self.spark, reading, written)
        ensure_readable(location, texts)
        schema = table_schema(
            self.spark, self.table.log.store, {file.path: texts[file.path] for file in files}, self.partitions
        )
        transaction.update_metadata_for_new_table(self._metadata(schema))
        _ensure_without_mapping(transaction.metadata)
        collects = self.collects and read_boolean(COLLECTS, find_setting(self.spark, COLLECTS) or "true")
        adds = self._adds(files, values, self._statistics(transaction, written) if collects else {})
        transaction.commit_large(adds, self._operation(len(files), collects=collects), transaction.protocol)
        return ConversionOutcome(self.table, transaction.committed)

    def _metadata(self, schema: StructType) -> Metadata:
        metadata = Metadata(
            id=self.table.starter.new_id(),
            schema_string=encode_schema(schema),
            partition_columns=tuple(field.name for field in self.partitions.fields),
            created_time=milliseconds_now(),
        )
        ensure_partitionable(metadata)
        return metadata

    def _statistics(self, transaction: OptimisticTransaction, files: Sequence[WrittenFile]) -> dict[str, str]:
        layout = layout_of(transaction.metadata, transaction.protocol, self.table.catalog)
        reading = ForeignStatistics(self.table.log.store, layout.statistics)
        location = self.table.log.store.location
        with stage(f"CONVERT TO DELTA {location}: reading the statistics of {len(files):,} files"):
            return read_statistics(self.spark, reading, files)

    def _adds(
        self, files: Sequence[StoredFile], values: Mapping[str, Values], statistics: Mapping[str, str]
    ) -> list[AddFile]:
        return [
            AddFile(
                path=quote(file.path, safe=SAFE_IN_PATHS),
                partition_values=values[file.path],
                size=file.size,
                modification_time=file.modified_ms,
                data_change=True,
                stats=statistics.get(file.path),
            )
            for file in files
        ]

    def _operation(self, files: int, *, collects: bool) -> Operation:
        by = [field.name for field in self.declared.fields]
        name = None if self.named is None else quoted_name(self.named.entry.name)
        shown = operations.convert(files, by, collects_statistics=collects, source_format="parquet", name=name)
        return attrs.evolve(shown, metrics={"numConvertedFiles": str(files)})


def _declared(schema: PartitionSchema, timestamp: str) -> StructType:
    if schema is None:
        return StructType()
    if isinstance(schema, str):
        return read_columns(schema, timestamp) if schema.strip() else StructType()
    return schema if isinstance(schema, StructType) else delta_schema(schema)


def _ensure_without_mapping(metadata: Metadata) -> None:
    mode = mapping_mode(metadata)
    if mode != "none":
        raise ConversionError(
            f"The configuration '{MAPPING_MODE}' cannot be set to `{mode}` when using CONVERT TO DELTA.",
            fix="Unset the session's default for it, and set the property after the conversion.",
            details={"mode": mode},
            delta_condition="DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING",
        )
