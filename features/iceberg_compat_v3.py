"""icebergCompatV3: data and metadata are written so that the table can be read as Iceberg, by rules of version 3.

Version 3 brings row ids along, as Iceberg's own third version does.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare icebergCompatV3."""
    return TableFeature(
        name="icebergCompatV3",
        kind=FeatureKind.WRITER,
        summary="The table is written so that it can be read as Iceberg (rules of version 3).",
        spec_url="https://github.com/delta-io/delta/blob/master/protocol_rfcs/iceberg-compat-v3.md",
        requires={"columnMapping", "rowTracking"},
        trigger=PropertyIsTrue("delta.enableIcebergCompatV3"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
    )
