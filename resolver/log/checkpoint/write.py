"""Write a checkpoint of a snapshot: classic, in one file or several, or V2 with sidecars. Arrow in, Parquet out."""

from __future__ import annotations

from deltaresolver.errors import CheckpointRefusedError
from deltaresolver.log.checkpoint.classic import write_classic
from deltaresolver.log.checkpoint.state import read_state
from deltaresolver.log.checkpoint.understood import NO_FEATURES_KNOWN, ensure_settings, ensure_understood
from deltaresolver.log.checkpoint.v2 import SIDECAR_ROWS, write_v2
from deltaresolver.log.checkpoint.write_last_checkpoint import write_last_checkpoint
from deltaresolver.log.segment import CheckpointFiles
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.upkeep.published import ensure_published
from deltaresolver.log.upkeep.settings import CheckpointPolicy, checkpoint_policy
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.protocol import Protocol


def write_checkpoint(
    snapshot: Snapshot,
    store: LogStore,
    catalog: FeatureCatalog = NO_FEATURES_KNOWN,
    *,
    policy: CheckpointPolicy | None = None,
    part_size: int | None = None,
    top_level: str = "json",
) -> CheckpointFiles:
    """Write a checkpoint of the snapshot's version, point `_last_checkpoint` to it, and return its files.

    `policy` is by default what the table asks for. A classic checkpoint with more than `part_size` file actions
    is written in parts; a V2 one has that many in each sidecar, and a top level in "json" or "parquet".
    Features of the `catalog` state whether a checkpoint may be written; others have none written. A sound
    checkpoint of the same name is left as it is. Raises `LogUpkeepUnsupportedError`, `CheckpointRefusedError`,
    `CommitsUnpublishedError`, and what reading the snapshot raises.
    """
    ensure_understood(snapshot.protocol, snapshot.metadata, store.location, catalog)
    policy = checkpoint_policy(snapshot.metadata) if policy is None else policy
    _ensure_allowed(snapshot.protocol, store.location, policy, part_size, top_level)
    ensure_published(store, snapshot.segment)
    held = snapshot.holds_files
    state = read_state(snapshot)
    if policy is CheckpointPolicy.V2:
        written = write_v2(store, state, part_size or SIDECAR_ROWS, top_level, snapshot.clock())
    else:
        written = write_classic(store, state, part_size)
    write_last_checkpoint(store, written.hint)
    if not held:
        # Nobody else has asked for them, and a snapshot may be kept for as long as a process lives.
        del state
        snapshot.let_files_go()
    return written.files


def ensure_checkpoint_possible(snapshot: Snapshot, store: LogStore, catalog: FeatureCatalog) -> None:
    """Raise what forbids a checkpoint of the table as it wants them, without looking at its state."""
    ensure_understood(snapshot.protocol, snapshot.metadata, store.location, catalog)
    ensure_settings(snapshot.metadata)
    _ensure_allowed(snapshot.protocol, store.location, checkpoint_policy(snapshot.metadata), None, "json")
    ensure_published(store, snapshot.segment)


def _ensure_allowed(
    protocol: Protocol, location: str, policy: CheckpointPolicy, part_size: int | None, top_level: str
) -> None:
    supported = "v2Checkpoint" in protocol.writer_feature_names
    reason = fix = ""
    if top_level not in ("json", "parquet"):
        reason, fix = f"a top level is json or parquet, not {top_level!r}", "Ask for one of the two."
    elif part_size is not None and part_size < 1:
        reason, fix = f"a part cannot hold {part_size} actions", "Give a positive part_size, or none."
    elif policy is CheckpointPolicy.V2 and not supported:
        reason, fix = "V2 checkpoints need the feature v2Checkpoint", "Set delta.feature.v2Checkpoint to 'supported'."
    elif policy is CheckpointPolicy.CLASSIC and supported and part_size is not None:
        reason, fix = "v2Checkpoint forbids checkpoints in parts", "Leave part_size out, or use the policy v2."
    if reason:
        raise CheckpointRefusedError(
            f"No checkpoint of {location} is written: {reason}.",
            fix=fix,
            details={"location": location, "policy": policy.value, "part_size": part_size, "top_level": top_level},
        )
