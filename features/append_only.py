"""appendOnly: rows may be added but never changed or deleted.

Writers refuse commits that remove data while the property is true; readers see nothing of it.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare appendOnly."""
    return TableFeature(
        name="appendOnly",
        kind=FeatureKind.WRITER,
        summary="Rows may be added, never changed or deleted.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#append-only-tables",
        legacy=LegacyVersion(0, 2, check_order=2),
        trigger=PropertyIsTrue("delta.appendOnly"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
    )
