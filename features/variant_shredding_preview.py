"""variantShredding-preview: the preview name of variantShredding, and the one that the table property adds.

Its trigger does not fire where variantShredding itself is supported already.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Maturity, TableFeature
from deltaresolver.model.rules import AllOf, PropertyIsTrue, UnlessSupported
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare variantShredding-preview."""
    return TableFeature(
        name="variantShredding-preview",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Fields of variants can be stored as columns (preview).",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#variant-shredding",
        trigger=AllOf((PropertyIsTrue("delta.enableVariantShredding"), UnlessSupported(("variantShredding",)))),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        maturity=Maturity.PREVIEW,
        support=Support(read=SAFE),
    )
