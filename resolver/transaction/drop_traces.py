"""What still uses a feature that is to be dropped: in the current version, and in the history that is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deltaresolver.errors import FeatureInUseError
from deltaresolver.log.checkpoint_reader import read_small_actions
from deltaresolver.log.commits import decode_commit
from deltaresolver.log.listing import LogFiles, list_log
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.writing.checkpoint_soundness import is_sound
from deltaresolver.model.actions import Action
from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.view import TableView
from deltaresolver.transaction.feature_trace import find_trace, is_declared_trace
from deltaresolver.transaction.operation import unset_properties
from deltaresolver.transaction.starter import TransactionStarter


def removal_commit(feature: TableFeature, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
    """The next commit that ends the use of the feature; None when there is none left. Raises `FeatureInUseError`."""
    assert feature.removal is not None
    if feature.behaviour is not None:
        wanted = feature.behaviour.removal_commit(table, made)
        if wanted is not None:
            return wanted
    present = [key for key in feature.removal.unsets_first if key in table.metadata.configuration]
    if present:
        kept = {key: value for key, value in table.metadata.configuration.items() if key not in present}
        return PreparatoryCommit(
            unset_properties(present, if_exists=True), metadata=table.metadata.with_configuration(kept)
        )
    trace = find_trace(feature, feature.removal, table)
    if trace is not None and not made and feature.behaviour is None:
        raise FeatureInUseError(
            f"{feature.name} cannot be dropped while the table uses it: {trace}.",
            fix=_remedy(feature, table),
            details={"feature": feature.name, "trace": trace},
        )
    return None


def _remedy(feature: TableFeature, table: RemainingTable) -> str:
    view = TableView(table.metadata, table.supported)
    told = [str(remedy) for remedy in feature.trigger.remedies(view)] if feature.trigger is not None else []
    return f"First do this: {'; '.join(told)}." if told else "Remove what uses the feature first."


def history_uses(feature: TableFeature, starter: TransactionStarter, current: Snapshot) -> bool:
    """Whether a version that is still kept shows the feature in use. Reads the whole log."""
    store = starter.log.store
    files = list_log(store, 0, current.table_version)
    for commit in files.commits:
        if any(_is_trace(feature, action) for action in decode_commit(store.read(commit.path), commit.path)):
            return True
    earliest = next(_sound_checkpoints(starter, files), None)
    if earliest is None or earliest.table_version >= current.table_version:
        return False
    return any(_is_trace(feature, action) for action in _all_actions(starter, earliest))


def _all_actions(starter: TransactionStarter, checkpoint: CheckpointFiles) -> Iterator[Action]:
    """The actions of the version that a checkpoint holds, its own bookkeeping included."""
    if checkpoint.kind is not CheckpointKind.MULTI_PART:
        yield from read_small_actions(starter.log.store, checkpoint, ("checkpointMetadata", "sidecar"))
    snapshot = starter.log.snapshot(checkpoint.table_version)
    yield snapshot.metadata
    yield from snapshot.add_actions()
    yield from snapshot.remove_actions()


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


def is_truncated_before(starter: TransactionStarter, table_version: int) -> bool:
    """Whether no commit before a version is left, and a checkpoint from it on is."""
    if table_version <= 0:
        return True
    files = list_log(starter.log.store, 0, None)
    if any(commit.first_version < table_version for commit in files.commits):
        return False
    earliest = next(_sound_checkpoints(starter, files), None)
    return earliest is not None and earliest.table_version >= table_version
