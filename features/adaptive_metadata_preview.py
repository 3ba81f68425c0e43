"""adaptiveMetadata-preview: file metadata in Iceberg's version 4 layout, for tables managed by a catalog.

It builds on five other features and is added by request only.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Maturity, TableFeature
from deltaresolver.model.support import REFUSED, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare adaptiveMetadata-preview."""
    return TableFeature(
        name="adaptiveMetadata-preview",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="File metadata is kept in Iceberg's version 4 layout.",
        spec_url="https://github.com/delta-io/delta/blob/master/protocol_rfcs/iceberg-v4-metadata.md",
        requires={"catalogManaged", "columnMapping", "deletionVectors", "domainMetadata", "rowTracking"},
        aborts_concurrent_writers=True,
        maturity=Maturity.PREVIEW,
        support=Support(read=REFUSED, write=REFUSED),
    )
