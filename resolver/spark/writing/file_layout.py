"""How the data files of a table look: partition columns and the statistics that are kept."""

from __future__ import annotations

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.prepared import prepare
from deltaresolver.spark.writing.file_statistics import StatisticsShape
from deltaresolver.spark.writing.identity_values import STEP
from deltaresolver.spark.writing.written_data import FileLayout
from deltaresolver.transaction.indexed_columns import IndexedColumn, indexed_columns, physical_name
from deltaresolver.transaction.partition_columns import partition_fields

DELETION_VECTORS = "deletionVectors"


def layout_of(metadata: Metadata, protocol: Protocol, catalog: FeatureCatalog) -> FileLayout:
    """The layout under this metadata. Raises `PropertyInvalidError`, `SchemaRuleError`."""
    columns = indexed_columns(metadata)
    # How far an identity column has counted is read from its statistics.
    counted = tuple(
        IndexedColumn((physical_name(field),), str(field.type))
        for field in metadata.schema.fields
        if STEP in (field.metadata or {})
    )
    known = {column.path for column in columns}
    wanted = columns + tuple(column for column in counted if column.path not in known)
    tight = DELETION_VECTORS in prepare(catalog).supported(protocol)
    partitions = tuple((physical_name(field), field.type) for field in partition_fields(metadata))
    return FileLayout(partitions, StatisticsShape(wanted, tight))
