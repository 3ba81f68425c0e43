"""Delete what expired of a log, and nothing that a reader of any version still kept needs.

The newest checkpoint at or before the cut stays, with the commit of its version and everything after it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

import attrs

from deltaresolver.errors import CheckpointUnusableError
from deltaresolver.log.checkpoint.read import read_small_actions
from deltaresolver.log.checkpoint.soundness import is_sound
from deltaresolver.log.checkpoint.understood import NO_FEATURES_KNOWN, find_refusal
from deltaresolver.log.checkpoint.v2 import write_compatible
from deltaresolver.log.listing import LogFiles, list_log
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import (
    LOG_FOLDER,
    SIDECAR_FOLDER,
    STAGED_FOLDER,
    NameKind,
    is_sidecar_name,
    parse_log_path,
)
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind, CommitFile
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.upkeep.retention import log_retention_ms
from deltaresolver.log.upkeep.settings import checkpoint_protection_version
from deltaresolver.model.actions import Sidecar
from deltaresolver.model.catalog import FeatureCatalog

logger = logging.getLogger("deltaresolver")

DAY_MS = 86_400_000


@attrs.frozen(slots=True)
class CleanUp:
    """What a clean-up deleted, or would delete."""

    cutoff_ms: int
    """Versions committed up to this moment may go, the newest of them excepted."""
    kept_from: int | None = None
    """The table version of the checkpoint that everything older is read from no more; None: nothing expired."""
    deleted: tuple[str, ...] = ()
    """In the order of deletion."""
    written: str | None = None
    """A classic-named copy of a V2 checkpoint, left for clients that know no other names."""
    refusal: str | None = None
    """Why this table's log is not cleaned up, or not now."""


@attrs.frozen(slots=True)
class Demand:
    """What somebody wants of a clean-up beyond the log's upkeep."""

    is_asked_for: bool = False
    """History is to be cut now, whatever `delta.enableExpiredLogCleanup` is."""
    gone_before: int | None = None
    """The version before which everything has to go, once all of that expired.

    Then the checkpoint that stays may be the first version that has not expired. Protection of checkpoints does not
    matter, since one stands at the cut.
    """


NO_DEMAND = Demand()


def clean_up_log(
    log: DeltaLog,
    now_ms: int,
    catalog: FeatureCatalog = NO_FEATURES_KNOWN,
    *,
    dry_run: bool = False,
    cutoff_ms: int | None = None,
    demand: Demand = NO_DEMAND,
) -> CleanUp:
    """Delete the log files that `delta.logRetentionDuration` no longer keeps; with `dry_run`, only say which.

    The cut falls on midnight (UTC) before the retention, so that a log is not cut at every commit; `cutoff_ms`
    sets it otherwise. Features of the `catalog` state whether expired files may go; others keep them.
    Raises `PropertyInvalidError`, and what reading the latest snapshot raises.
    """
    snapshot = log.snapshot()
    store = log.store
    cutoff = _midnight(now_ms - log_retention_ms(snapshot.metadata)) if cutoff_ms is None else cutoff_ms
    refusal = find_refusal(snapshot.protocol, snapshot.metadata, catalog, is_asked_for=demand.is_asked_for)
    if refusal is None and store.is_linked(LOG_FOLDER):
        refusal = f"{LOG_FOLDER} is a link, and nothing is deleted through links"
    if refusal is not None:
        return CleanUp(cutoff, refusal=refusal)
    files = list_log(store, 0, snapshot.table_version)
    kept = _find_kept(store, files, cutoff, demand.gone_before)
    if kept is None:
        return CleanUp(cutoff)
    expired = _expired(store, kept.table_version)
    protected = _protection(snapshot) if demand.gone_before is None else 0
    if expired and kept.table_version < protected:
        refusal = f"checkpoints before version {protected} are protected, and the cut falls on {kept.table_version}"
        return CleanUp(cutoff, refusal=refusal)
    copied = None
    if not dry_run:
        copied = _leave_classic_name(store, snapshot, files) if expired else None
        _delete(store, expired)
    sidecars = _unreferenced_sidecars(store, kept.table_version, min(cutoff, _midnight(now_ms - DAY_MS)))
    if not dry_run:
        _delete(store, sidecars)
    return CleanUp(cutoff, kept.table_version, (*expired, *sidecars), copied)


def _delete(store: LogStore, paths: Sequence[str]) -> None:
    if paths:
        logger.info("Deleting %d files of the log of %s: %s", len(paths), store.location, ", ".join(paths))
    for path in paths:
        store.delete(path)


def _midnight(moment_ms: int) -> int:
    return moment_ms // DAY_MS * DAY_MS


def _protection(snapshot: Snapshot) -> int:
    if "checkpointProtection" not in snapshot.protocol.writer_feature_names:
        return 0
    return checkpoint_protection_version(snapshot.metadata)


def _find_kept(store: LogStore, files: LogFiles, cutoff_ms: int, gone_before: int | None) -> CheckpointFiles | None:
    """The newest sound checkpoint from which every version from the cut on can be read."""
    last_expired = newest_expired(files.commits, cutoff_ms)
    if last_expired is None:
        return None
    is_all_expired = gone_before is not None and gone_before <= last_expired + 1
    last_allowed = last_expired + 1 if is_all_expired else last_expired
    commits = {commit.first_version for commit in files.commits}
    for checkpoint in reversed(files.checkpoints):
        table_version = checkpoint.table_version
        # Without its commit nobody can tell where the version came from; and a gap after it is not ours to widen.
        if table_version <= last_allowed and table_version in commits and is_sound(store, checkpoint):
            return checkpoint
    return None


def newest_expired(commits: Sequence[CommitFile], cutoff_ms: int) -> int | None:
    """The newest version committed up to the cut."""
    found = None
    for table_version, moment in moments_of(commits):
        if moment > cutoff_ms:
            break
        found = table_version
    return found


def moments_of(commits: Sequence[CommitFile]) -> Iterator[tuple[int, int]]:
    """Each version with the moment at which its commit was written. A commit is never older than the one before it."""
    moment = -1
    for commit in commits:
        moment = max(moment + 1, commit.modified_ms)
        yield commit.last_version, moment


def _expired(store: LogStore, kept_from: int) -> tuple[str, ...]:
    """What no version from `kept_from` on is read from: commits before checkpoints, so that these never lie bare."""
    found: list[tuple[bool, str]] = []
    for file in store.list_from(f"{LOG_FOLDER}/"):
        name = parse_log_path(file.path)
        if name is None or name.kind is NameKind.LAST_CHECKPOINT:
            continue
        covers = name.kind is NameKind.COMPACTION and name.table_version <= kept_from
        if name.table_version < kept_from or covers:
            found.append((name.is_checkpoint, file.path))
    for file in () if store.is_linked(STAGED_FOLDER) else store.list_from(f"{STAGED_FOLDER}/"):
        name = parse_log_path(file.path)
        if name is not None and name.table_version <= kept_from:
            found.append((False, file.path))
    return tuple(path for _, path in sorted(found))


def _unreferenced_sidecars(store: LogStore, kept_from: int, older_than_ms: int) -> tuple[str, ...]:
    """Sidecars that no remaining checkpoint names, but for young ones: a checkpoint may be in the writing.

    What is not called as a sidecar is none, whatever folder it lies in; a folder that is a link is somebody else's.
    """
    if store.is_linked(SIDECAR_FOLDER):
        return ()
    old = (file for file in store.list_from(f"{SIDECAR_FOLDER}/") if file.modified_ms < older_than_ms)
    stored = [file for file in old if is_sidecar_name(file.path)]
    if not stored:
        return ()
    named: set[str] = set()
    # Listed afresh: somebody may have written a checkpoint since.
    for checkpoint in list_log(store, kept_from).checkpoints:
        if checkpoint.kind is CheckpointKind.MULTI_PART:
            continue
        try:
            actions = read_small_actions(store, checkpoint, ("sidecar",))
        except CheckpointUnusableError:
            return ()
        named.update(_file_name(action.path) for action in actions if isinstance(action, Sidecar))
    return tuple(file.path for file in stored if _file_name(file.path) not in named)


def _file_name(path: str) -> str:
    """Writers name sidecars by bare name, by path or by URI, but all sidecars lie in one folder."""
    return unquote(path.rpartition("/")[2])


def _leave_classic_name(store: LogStore, snapshot: Snapshot, files: LogFiles) -> str | None:
    """A classic name for the newest checkpoint, where V2 checkpoints are supported and it has none."""
    if "v2Checkpoint" not in snapshot.protocol.writer_feature_names:
        return None
    newest = files.checkpoints[-1]
    same = [each for each in files.checkpoints if each.table_version == newest.table_version]
    if any(each.kind is CheckpointKind.CLASSIC for each in same) or not is_sound(store, newest):
        return None
    return write_compatible(store, newest)
