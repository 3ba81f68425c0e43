"""What DESCRIBE DETAIL tells of a table."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from deltaresolver.errors import DomainMetadataError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.upkeep.checksum_totals import totals_of_version
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.facts.keys import CLUSTERING_DOMAIN
from deltaresolver.model.schema import FieldPath, StructType, quote_path
from deltaresolver.resolution.prepared import prepare

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = (  # a session may take `timestamp` for the type without a zone
    "format string, id string, name string, description string, location string, createdAt timestamp_ltz, "
    "lastModified timestamp_ltz, partitionColumns array<string>, clusteringColumns array<string>, numFiles bigint, "
    "sizeInBytes bigint, properties map<string,string>, minReaderVersion int, minWriterVersion int, "
    "tableFeatures array<string>"
)


def table_detail(spark: SparkSession, snapshot: Snapshot, catalog: FeatureCatalog) -> DataFrame:
    """One row in `COLUMNS`."""
    metadata, protocol, totals = snapshot.metadata, snapshot.protocol, totals_of_version(snapshot)
    row: tuple[Any, ...] = (
        "delta",
        metadata.id,
        metadata.name,
        metadata.description,
        _location(snapshot.store.location),
        None if metadata.created_time is None else _moment(metadata.created_time),
        _moment(snapshot.timestamp_ms),
        list(metadata.partition_columns),
        clustering_columns(snapshot),
        totals.file_count,
        totals.total_bytes,
        dict(metadata.configuration),
        protocol.min_reader_version,
        protocol.min_writer_version,
        sorted(prepare(catalog).supported(protocol) | protocol.listed_features),
    )
    return spark.createDataFrame([row], COLUMNS)


def _location(location: str) -> str:
    return f"file:{location}" if location.startswith("/") else location


def _moment(milliseconds: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.UTC)


def clustering_columns(snapshot: Snapshot) -> list[str]:
    """The columns that a table is clustered by, by the names users see; the table's domain keeps those of files."""
    domain = snapshot.domains.get(CLUSTERING_DOMAIN)
    if domain is None:
        return []
    mode, schema = mapping_mode(snapshot.metadata), snapshot.metadata.schema
    return [_logical(path, schema, mode) for path in _clustering_paths(domain.configuration)]


def _clustering_paths(configuration: str) -> tuple[FieldPath, ...]:
    try:
        return msgspec.json.decode(configuration, type=_Clustered).clustering_columns
    except (msgspec.DecodeError, RecursionError) as error:
        raise DomainMetadataError(
            f"The metadata domain {CLUSTERING_DOMAIN} does not hold clustering columns: {error}.",
            fix="Write the domain as delta-spark does: the lists of physical names under clusteringColumns.",
            details={"domain": CLUSTERING_DOMAIN, "configuration": configuration[:500]},
        ) from error


class _Clustered(msgspec.Struct, rename="camel"):
    """What the domain holds."""

    clustering_columns: tuple[FieldPath, ...] = ()


def _logical(path: Sequence[str], schema: StructType, mode: str) -> str:
    names: list[str] = []
    level: Any = schema
    for part in path:
        field = next((each for each in getattr(level, "fields", ()) if physical_name(each, mode) == part), None)
        names.append(part if field is None else field.name)
        level = None if field is None else field.type
    return quote_path(tuple(names))
