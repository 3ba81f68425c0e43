"""typeWidening-preview: the preview name of typeWidening, kept so that tables which carry it stay usable.

Nothing adds it any more but a request by name.
"""

from __future__ import annotations

from deltaresolver.features._type_changes import TypeWideningBehaviour
from deltaresolver.model.feature import FeatureKind, Maturity, Removal, TableFeature
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare typeWidening-preview."""
    return TableFeature(
        name="typeWidening-preview",
        kind=FeatureKind.READER_WRITER,
        summary="Preview of typeWidening.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#type-widening",
        aborts_concurrent_writers=False,
        removal=Removal(protects_history=True),
        maturity=Maturity.PREVIEW,
        behaviour=TypeWideningBehaviour(),
    )
