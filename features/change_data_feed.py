"""changeDataFeed: row-level changes are recorded beside the data, so that readers can ask what changed.

The older property name is still honoured, but only where the newer one is absent.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare changeDataFeed."""
    return TableFeature(
        name="changeDataFeed",
        kind=FeatureKind.WRITER,
        summary="Row-level changes are recorded for readers of the change data feed.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#change-data-files",
        legacy=LegacyVersion(0, 4, check_order=5),
        trigger=PropertyIsTrue("delta.enableChangeDataFeed", aliases=("delta.enableChangeDataCapture",)),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
    )
