"""rowTracking: gives every row an id that survives rewrites.

The counter of row ids is kept in a metadata domain, so the feature requires domainMetadata.
"""

from __future__ import annotations

from deltaresolver.features.behaviour.row_tracking import COMMIT_VERSION_COLUMN, ROW_ID_COLUMN, RowTrackingBehaviour
from deltaresolver.features.behaviour.row_tracking_domain import DOMAIN
from deltaresolver.model.facts.keys import ROW_TRACKING
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.model.support import LogTraces, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare rowTracking."""
    return TableFeature(
        name="rowTracking",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="Every row has an id that survives rewrites.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#row-tracking",
        requires={"domainMetadata"},
        trigger=PropertyIsTrue(ROW_TRACKING),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        removal=Removal(
            drops_properties=(
                ROW_TRACKING,
                "delta.rowTrackingSuspended",
                "delta.rowTracking.materializedRowIdColumnName",
                "delta.rowTracking.materializedRowCommitVersionColumnName",
            )
        ),
        behaviour=RowTrackingBehaviour(),
        owned_properties=(ROW_ID_COLUMN, COMMIT_VERSION_COLUMN),
        support=Support(),
        traces=LogTraces(domains=(DOMAIN,)),
    )
