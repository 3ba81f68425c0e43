"""How the data files of a table look: partition columns and the statistics that are kept."""

from __future__ import annotations

from deltaresolver.log.checkpoint.indexed_leaves import indexed_leaves
from deltaresolver.log.upkeep.settings import string_prefix_length
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.columns import is_mapped, mapping_mode, physical_name
from deltaresolver.model.facts.keys import ICEBERG_COMPAT, IDENTITY_STEP
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.prepared import prepare
from deltaresolver.spark.writing.statistics.file_statistics import COLLECTION, IndexedColumn, StatisticsShape
from deltaresolver.spark.writing.void_columns import may_have_voids
from deltaresolver.spark.writing.written_data import FileLayout
from deltaresolver.transaction.metadata.partition_columns import partition_fields

DELETION_VECTORS = "deletionVectors"
_ICEBERG_TAGS = {ICEBERG_COMPAT[number]: {"ICEBERG_COMPAT_VERSION": str(number)} for number in (2, 3)}
"""What delta-spark goes by when it makes a table's files fit for Iceberg: files without the tag are written again."""


def layout_of(metadata: Metadata, protocol: Protocol, catalog: FeatureCatalog) -> FileLayout:
    """The layout under this metadata. Raises `PropertyInvalidError`, `SchemaRuleError`."""
    mode = mapping_mode(metadata)
    columns = tuple(
        IndexedColumn(leaf.physical, leaf.type if isinstance(leaf.type, str) else COLLECTION)
        for leaf in indexed_leaves(metadata)
    )
    # How far an identity column has counted is read from its statistics.
    counted = tuple(
        IndexedColumn((physical_name(field, mode),), str(field.type))
        for field in metadata.schema.fields
        if IDENTITY_STEP in (field.metadata or {})
    )
    known = {column.path for column in columns}
    wanted = columns + tuple(column for column in counted if column.path not in known)
    tight = DELETION_VECTORS in prepare(catalog).supported(protocol)
    partitions = tuple((physical_name(field, mode), field.type) for field in partition_fields(metadata))
    shape = StatisticsShape(wanted, tight, string_prefix_length(metadata))
    tags = next((dict(tags) for key, tags in _ICEBERG_TAGS.items() if metadata.is_on(key)), None)
    has_ids = is_mapped(metadata)
    return FileLayout(partitions, shape, may_have_voids(metadata.schema_string), tags, has_ids=has_ids)
