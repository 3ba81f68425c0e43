"""variantType-preview: the preview name of variantType, kept so that tables which carry it stay usable.

A variant column now adds variantType; this feature is added only when asked for by name.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Maturity, TableFeature
from deltaresolver.model.support import SAFE, LogTraces, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare variantType-preview."""
    return TableFeature(
        name="variantType-preview",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Preview of variantType.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#variant-data-type",
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        maturity=Maturity.PREVIEW,
        support=Support(read=SAFE),
        traces=LogTraces(metadata=True),
    )
