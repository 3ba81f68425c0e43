"""v2Checkpoint: checkpoints that can be split into sidecar files and carry a unique name.

Readers must understand the new layout to load the table at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deltaresolver.model.actions import Action, CheckpointMetadata, Sidecar
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, RemainingTable, Winner
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.rules import PropertyIsOneOf
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl

POLICY = "delta.checkpointPolicy"


class V2CheckpointBehaviour(FeatureBehaviour):
    """Lets a draft be rebased over a commit that enables V2 checkpoints: the draft itself writes no checkpoint."""

    properties_kept_by_replace = frozenset({POLICY})

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """A winner may change the checkpoint policy to v2."""
        policy = "" if winner.metadata is None else winner.metadata.configuration.get(POLICY, "")
        return {POLICY: "v2Checkpoint" in draft.supported and policy == "v2"}

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Set the policy to classic, so that the next checkpoint is a classic one."""
        if made or self.find_trace(table) is None:
            return None
        properties = {**table.metadata.configuration, POLICY: "classic"}
        operation = Operation("SET TBLPROPERTIES", {"properties": f'{{"{POLICY}":"classic"}}'})
        return PreparatoryCommit(operation, metadata=table.metadata.with_configuration(properties))

    def find_trace(self, table: RemainingTable) -> str | None:
        """The policy, or a V2 checkpoint that the current version is read from."""
        if _wants_v2(table.metadata):
            return f"{POLICY} = v2"
        return "the current version is read from a V2 checkpoint" if table.needs_v2_checkpoint() else None

    def is_trace(self, action: Action) -> bool:
        """The policy, or an action that only V2 checkpoints have."""
        if isinstance(action, Metadata):
            return _wants_v2(action)
        return isinstance(action, (CheckpointMetadata, Sidecar))


def _wants_v2(metadata: Metadata) -> bool:
    return metadata.configuration.get(POLICY) == "v2"


@hookimpl
def table_feature() -> TableFeature:
    """Declare v2Checkpoint."""
    return TableFeature(
        name="v2Checkpoint",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
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
        support=Support(read=SAFE),
    )
