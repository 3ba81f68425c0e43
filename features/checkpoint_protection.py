"""checkpointProtection: old checkpoints may not be cleaned up while history before them still needs a dropped feature.

Dropping a feature without truncating history adds this feature, to protect the history.
"""

from __future__ import annotations

from deltaresolver.model.behaviour import Draft, FeatureBehaviour, RemainingTable, Winner
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl

PROPERTY = "delta.requireCheckpointProtectionBeforeVersion"


class CheckpointProtectionBehaviour(FeatureBehaviour):
    """Keeps the protected version equal to the version of the commit that drops a feature."""

    joins_removals = True

    def find_trace(self, table: RemainingTable) -> str | None:
        """The version before which checkpoints are protected."""
        version = table.metadata.configuration.get(PROPERTY)
        return None if version is None else f"{PROPERTY} = {version}"

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """Raise the protected version to the new version of a commit that drops a feature.

        Such a commit names its own version, or drops a feature that readers need for the history.
        """
        dropped = draft.before.supported - draft.supported
        names_itself = draft.metadata.configuration.get(PROPERTY) == str(draft.table_version)
        if not dropped or not (names_itself or dropped & frozenset(draft.before.protocol.reader_features or ())):
            return draft
        properties = {**draft.metadata.configuration, PROPERTY: str(winner.table_version + 1)}
        return draft.with_metadata(draft.metadata.with_configuration(properties))


@hookimpl
def table_feature() -> TableFeature:
    """Declare checkpointProtection."""
    return TableFeature(
        name="checkpointProtection",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="Old checkpoints are kept while history needs them.",
        spec_url="https://github.com/delta-io/delta/blob/master/protocol_rfcs/checkpoint-protection.md",
        aborts_concurrent_writers=True,
        removal=Removal(protects_before=PROPERTY),
        behaviour=CheckpointProtectionBehaviour(),
        support=Support(),
    )
