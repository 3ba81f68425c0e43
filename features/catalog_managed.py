"""catalogManaged: the catalog, not the file system, decides which commit wins.

Readers must ask the catalog for the newest commits, or they would miss some.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare catalogManaged."""
    return TableFeature(
        name="catalogManaged",
        kind=FeatureKind.READER_WRITER,
        summary="The catalog decides which commits count.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#catalog-managed-tables",
        requires={"inCommitTimestamp", "vacuumProtocolCheck"},
        aborts_concurrent_writers=False,
        removal=Removal(protects_history=True),
    )
