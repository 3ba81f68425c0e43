"""typeWidening-preview: the preview name of typeWidening, kept so that tables which carry it stay usable.

It is now added only when asked for by name.
"""

from __future__ import annotations

from deltaresolver.features.behaviour.type_changes import TO_CURRENT_TYPES, TypeWideningBehaviour
from deltaresolver.model.feature import FeatureKind, Maturity, Removal, TableFeature
from deltaresolver.model.support import SAFE, LogTraces, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare typeWidening-preview."""
    return TableFeature(
        name="typeWidening-preview",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Preview of typeWidening.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#type-widening",
        aborts_concurrent_writers=False,
        removal=Removal(protects_history=True, rewriting=TO_CURRENT_TYPES),
        maturity=Maturity.PREVIEW,
        behaviour=TypeWideningBehaviour(),
        support=Support(read=SAFE),
        traces=LogTraces(metadata=True),
    )
