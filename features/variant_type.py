"""variantType: columns of semi-structured values, stored in a binary form.

Its trigger does not fire where the preview is supported, so that clients that know only the preview keep working.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import AllOf, SchemaHasType, UnlessSupported
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare variantType."""
    return TableFeature(
        name="variantType",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Columns can hold semi-structured variant values.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#variant-data-type",
        trigger=AllOf((SchemaHasType(("variant",)), UnlessSupported(("variantType-preview",)))),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        support=Support(read=SAFE),
    )
