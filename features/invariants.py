"""invariants: columns that may not be null, or that must satisfy an expression stored with the column.

Only columns outside arrays and maps count: Delta does not enforce anything below those.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.rules import AnyOf, FieldHasMetadata, FieldNotNull
from deltaresolver.model.schema import Place
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare invariants."""
    return TableFeature(
        name="invariants",
        kind=FeatureKind.WRITER,
        summary="NOT NULL columns and expressions stored with a column are enforced on write.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#column-invariants",
        legacy=LegacyVersion(0, 2, check_order=1),
        trigger=AnyOf((FieldNotNull(Place.STRUCT), FieldHasMetadata(("delta.invariants",), Place.STRUCT))),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
    )
