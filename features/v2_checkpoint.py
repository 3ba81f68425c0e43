"""v2Checkpoint: checkpoints that can be split into sidecar files and carry a unique name.

Readers must understand the new layout to load the table at all.
"""

from __future__ import annotations

from collections.abc import Mapping

from deltaresolver.model.behaviour import Draft, FeatureBehaviour, Winner
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.rules import PropertyIsOneOf
from deltaresolver.plugins import hookimpl

POLICY = "delta.checkpointPolicy"


class V2CheckpointBehaviour(FeatureBehaviour):
    """Lets writers in flight pass a commit that switches V2 checkpoints on: they write none themselves."""

    properties_kept_by_replace = frozenset({POLICY})

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """The checkpoint policy may become v2."""
        policy = "" if winner.metadata is None else winner.metadata.configuration.get(POLICY, "")
        return {POLICY: "v2Checkpoint" in draft.supported and policy == "v2"}


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
        behaviour=V2CheckpointBehaviour(),
    )
