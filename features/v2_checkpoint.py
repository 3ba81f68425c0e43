"""v2Checkpoint: checkpoints that can be split into sidecar files and carry a unique name.

Readers must understand the new layout to load the table at all.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.rules import PropertyIsOneOf
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare v2Checkpoint."""
    return TableFeature(
        name="v2Checkpoint",
        kind=FeatureKind.READER_WRITER,
        summary="Checkpoints can be split into sidecar files.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#v2-checkpoint-table-feature",
        trigger=PropertyIsOneOf(
            "delta.checkpointPolicy",
            values=("v2",),
            harmless=("classic",),
            message="Invalid policy {value}",
        ),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        removal=Removal(protects_history=True),
    )
