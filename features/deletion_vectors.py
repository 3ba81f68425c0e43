"""deletionVectors: deleted rows are marked in a bitmap beside the data file instead of rewriting the file.

Every reader must apply the bitmaps, or it would show deleted rows.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare deletionVectors."""
    return TableFeature(
        name="deletionVectors",
        kind=FeatureKind.READER_WRITER,
        summary="Deleted rows are marked instead of rewriting files.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#deletion-vectors",
        trigger=PropertyIsTrue("delta.enableDeletionVectors"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        removal=Removal(protects_history=True),
    )
