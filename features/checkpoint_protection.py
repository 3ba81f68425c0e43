"""checkpointProtection: old checkpoints may not be cleaned up while history before them still needs a dropped feature.

Dropping a feature without cutting history leaves this feature behind as the guard.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare checkpointProtection."""
    return TableFeature(
        name="checkpointProtection",
        kind=FeatureKind.WRITER,
        summary="Old checkpoints are kept while history needs them.",
        spec_url="https://github.com/delta-io/delta/blob/master/protocol_rfcs/checkpoint-protection.md",
        aborts_concurrent_writers=True,
        removal=Removal(),
    )
