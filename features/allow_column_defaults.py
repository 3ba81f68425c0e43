"""allowColumnDefaults: columns may declare a default that writers fill in.

Nothing in the metadata switches it on: a table must ask for it by name before defaults are declared.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare allowColumnDefaults."""
    return TableFeature(
        name="allowColumnDefaults",
        kind=FeatureKind.WRITER,
        summary="Columns can declare default values.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#default-columns",
        aborts_concurrent_writers=True,
    )
