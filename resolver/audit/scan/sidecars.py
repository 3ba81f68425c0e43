"""Whether the sidecars of the newest checkpoint are there: nothing else has its list of files."""

from __future__ import annotations

from deltaresolver.log.checkpoint.read import read_small_actions
from deltaresolver.log.names import SIDECAR_FOLDER, sidecar_location
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import Sidecar
from deltaresolver.model.protocol import Protocol

_V2 = (CheckpointKind.V2_JSON, CheckpointKind.V2_PARQUET)


def may_have_sidecars(checkpoint: CheckpointFiles, protocol: Protocol) -> bool:
    """Whether to check: where the protocol allows V2 checkpoints, one with a classic name may be V2 too."""
    return checkpoint.kind in _V2 or "v2Checkpoint" in protocol.listed_features


def find_missing_sidecars(store: LogStore, checkpoint: CheckpointFiles) -> list[str]:
    """The sidecars in the table's own folder that a listing does not show. Raises `CheckpointUnusableError`."""
    actions = read_small_actions(store, checkpoint, ("sidecar",))
    wanted = {sidecar_location(action.path) for action in actions if isinstance(action, Sidecar)}
    wanted = {path for path in wanted if path.startswith(f"{SIDECAR_FOLDER}/")}
    if not wanted:
        return []
    there = {file.path for file in store.list_from(f"{SIDECAR_FOLDER}/") if file.size > 0}
    return sorted(wanted - there)
