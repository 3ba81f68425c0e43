"""What still uses a feature that is to be dropped: in the current version, and in the history that is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from deltaresolver.log.checkpoint.read import read_small_actions
from deltaresolver.log.checkpoint.soundness import is_sound
from deltaresolver.log.commits import decode_commit
from deltaresolver.log.listing import LogFiles, list_log
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import Action
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.view import TableView
from deltaresolver.transaction.drop.removal import is_declared_trace
from deltaresolver.transaction.starter import TransactionStarter


@attrs.frozen(slots=True)
class OldVersions:
    """Versions of a table that have to go before a feature can."""

    first_version: int
    """The oldest that is kept."""
    last_version: int
    """The newest that has to go."""


def shows_use(feature: TableFeature, starter: TransactionStarter, snapshot: Snapshot) -> bool:
    """Whether history will show that this version used the feature."""
    checkpoint = snapshot.segment.checkpoint
    kept = () if checkpoint is None else _bookkeeping(starter, checkpoint)
    return any(_is_trace(feature, action) for action in (*kept, snapshot.metadata)) or _holds_trace(feature, snapshot)


def versions_with(feature: TableFeature, starter: TransactionStarter, current: Snapshot) -> OldVersions | None:
    """The kept versions up to the newest one that shows the feature in use; None where none does. Reads the whole log.

    Of the earliest checkpoint, files removed before it do not count: nobody reads them through it.
    """
    store = starter.log.store
    files = list_log(store, 0, current.table_version)
    earliest = next(_sound_checkpoints(starter, files), None)
    if earliest is not None and earliest.table_version >= current.table_version:
        earliest = None
    last: int | None = None
    metadata_uses = False
    if earliest is not None:
        snapshot = starter.log.snapshot(earliest.table_version)
        metadata_uses = _is_trace(feature, snapshot.metadata)
        bookkeeping = _bookkeeping(starter, earliest)
        if metadata_uses or any(_is_trace(feature, one) for one in bookkeeping) or _holds_trace(feature, snapshot):
            last = earliest.table_version
    for commit in files.commits:
        actions = decode_commit(store.read(commit.path), commit.path)
        if earliest is None or commit.last_version > earliest.table_version:
            written = [action for action in actions if isinstance(action, Metadata)]
            metadata_uses = _is_trace(feature, written[-1]) if written else metadata_uses
            uses = metadata_uses
        else:
            uses = False
        if uses or any(_is_trace(feature, action) for action in actions):
            last = commit.last_version if last is None else max(last, commit.last_version)
    return None if last is None else OldVersions(_oldest(files), last)


def versions_before(table_version: int, starter: TransactionStarter) -> OldVersions | None:
    """The kept versions before one; None where there is none."""
    files = list_log(starter.log.store, 0, None)
    oldest = _oldest(files)
    return OldVersions(oldest, table_version - 1) if oldest < table_version else None


def _oldest(files: LogFiles) -> int:
    found = [commit.first_version for commit in files.commits[:1]]
    found += [checkpoint.table_version for checkpoint in files.checkpoints[:1]]
    return min(found)


def _bookkeeping(starter: TransactionStarter, checkpoint: CheckpointFiles) -> Sequence[Action]:
    """What a checkpoint says of itself."""
    if checkpoint.kind is CheckpointKind.MULTI_PART:
        return ()
    return tuple(read_small_actions(starter.log.store, checkpoint, ("checkpointMetadata", "sidecar")))


def _holds_trace(feature: TableFeature, snapshot: Snapshot) -> bool:
    """Whether a live file shows the feature; only behaviours look at files."""
    return feature.behaviour is not None and any(map(feature.behaviour.is_trace, snapshot.add_actions()))


def _is_trace(feature: TableFeature, action: Action) -> bool:
    if feature.behaviour is not None:
        return feature.behaviour.is_trace(action)
    if is_declared_trace(feature, action):
        return True
    if feature.trigger is None or not isinstance(action, Metadata):
        return False
    return feature.trigger.fires(TableView(action, frozenset()))


def _sound_checkpoints(starter: TransactionStarter, files: LogFiles) -> Iterator[CheckpointFiles]:
    return (checkpoint for checkpoint in files.checkpoints if is_sound(starter.log.store, checkpoint))
