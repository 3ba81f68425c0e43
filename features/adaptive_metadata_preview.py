"""adaptiveMetadata-preview: file metadata in Iceberg's version 4 layout, for tables managed by a catalog.

It requires five other features and is added only when asked for by name.
"""

from __future__ import annotations

from deltaresolver.errors import TablePropertyRefusedError
from deltaresolver.model.behaviour import FeatureBehaviour
from deltaresolver.model.feature import FeatureKind, Maturity, TableFeature
from deltaresolver.model.support import REFUSED, Support
from deltaresolver.plugins import hookimpl


class AdaptiveMetadataBehaviour(FeatureBehaviour):
    """Refuses the feature for existing tables: the layout is chosen when a table is created."""

    def check_request(self, key: str, *, is_new_table: bool) -> None:
        """Raise `TablePropertyRefusedError` for an existing table."""
        if not is_new_table:
            raise TablePropertyRefusedError(
                f"{key} cannot be set: a table that is there cannot change to adaptive metadata.",
                fix="Create a new table with the feature, and copy the rows.",
                details={"key": key},
                delta_condition="DELTA_ADAPTIVE_METADATA_UPGRADE_NOT_SUPPORTED",
            )


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
        behaviour=AdaptiveMetadataBehaviour(),
        support=Support(read=REFUSED, write=REFUSED),
    )
