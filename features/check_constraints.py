"""checkConstraints: named conditions that every row must satisfy, kept as table properties.

Each constraint is a property `delta.constraints.NAME`, recognised in any case.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, LegacyVersion, Removal, TableFeature
from deltaresolver.model.rules import PropertyPrefix
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare checkConstraints."""
    return TableFeature(
        name="checkConstraints",
        kind=FeatureKind.WRITER,
        summary="CHECK constraints on the table are enforced on write.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#check-constraints",
        legacy=LegacyVersion(0, 3, check_order=3),
        trigger=PropertyPrefix("delta.constraints.", remedy_sql="ALTER TABLE {table} DROP CONSTRAINT {rest}"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        removal=Removal(),
    )
