"""Rules for the actions of any commit, whatever the table's features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deltaresolver.errors import (
    ApplicationVersionsDifferError,
    DuplicateActionError,
    FileActionInvalidError,
    PartitionColumnChangeError,
    PartitioningMismatchError,
    ProtocolDowngradeError,
)
from deltaresolver.expressions.stored_column import find_column
from deltaresolver.model.actions import Action, AddFile, RemoveFile, SetTransaction
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import can_transition_to
from deltaresolver.transaction.behaviours import behaviours_of


def without_repeated_applications(actions: Iterable[Action]) -> list[Action]:
    """The actions with each application's progress once. Raises `ApplicationVersionsDifferError`."""
    kept: list[Action] = []
    versions: dict[str, int] = {}
    for action in actions:
        if isinstance(action, SetTransaction):
            known = versions.get(action.app_id)
            if known is not None and known != action.app_version:
                raise _versions_differ(action, known)
            if known is not None:
                continue
            versions[action.app_id] = action.app_version
        kept.append(action)
    return kept


def _versions_differ(action: SetTransaction, known: int) -> ApplicationVersionsDifferError:
    return ApplicationVersionsDifferError(
        f"Two SetTransaction actions within the same transaction have the same appId {action.app_id} "
        f"but different versions {known} and {action.app_version}.",
        fix=f"Keep one txn action for application {action.app_id}.",
        details={"app_id": action.app_id, "versions": [known, action.app_version]},
    )


def ensure_no_duplicates(actions: Iterable[Action]) -> None:
    """No file is added twice, removed twice, or added and removed as the same. Raises `DuplicateActionError`."""
    added: dict[str, str | None] = {}
    removed: dict[str, str | None] = {}
    for action in actions:
        if isinstance(action, AddFile):
            same, other, kind = added, removed, "add"
        elif isinstance(action, RemoveFile):
            same, other, kind = removed, added, "remove"
        else:
            continue
        vector = None if action.deletion_vector is None else action.deletion_vector.unique_id
        if action.path in same:
            raise _duplicate(kind, action.path)
        same[action.path] = vector
        if action.path in other and other[action.path] == vector:
            raise _duplicate("add/remove", action.path)


def _duplicate(kind: str, path: str) -> DuplicateActionError:
    return DuplicateActionError(
        f"The commit has more than one {kind} action for {path}.",
        fix="Give each file once, and a changed deletion vector as remove of the old and add of the new.",
        details={"kind": kind, "path": path},
    )


def ensure_paths(actions: Iterable[Action]) -> None:
    """Every added file has a path. Raises `FileActionInvalidError`."""
    for action in actions:
        if isinstance(action, AddFile) and not action.path:
            raise FileActionInvalidError(
                "A file to add has an empty path.",
                fix="Give the path of the file, relative to the table.",
                details={"path": action.path},
                delta_class="IllegalArgumentException",
            )


def ensure_same_data_change(actions: Iterable[Action]) -> None:
    """All files added and removed change data, or none does. Raises `FileActionInvalidError`."""
    first: dict[bool, str] = {}
    for action in actions:
        if isinstance(action, (AddFile, RemoveFile)):
            first.setdefault(action.data_change, action.path)
    if len(first) > 1:
        raise FileActionInvalidError(
            f"The commit changes data with {first[True]} and does not with {first[False]}.",
            fix="Commit the two kinds of change one after the other.",
            details={"with": first[True], "without": first[False]},
        )


def ensure_partition_columns_may_change(metadata: Metadata, before: TableState, operation: Operation) -> None:
    """Partition columns stay, unless the operation may change them. Raises `PartitionColumnChangeError`."""
    old, new = before.metadata.partition_columns, metadata.partition_columns
    if before.is_new or old == new or operation.can_change_partition_columns:
        return
    raise PartitionColumnChangeError(
        f"{operation.name} may not change the partition columns from {list(old)} to {list(new)}.",
        fix="Replace the table instead.",
        details={"operation": operation.name, "before": list(old), "after": list(new)},
    )


def ensure_transition(before: Protocol, after: Protocol, operation: Operation, catalog: FeatureCatalog) -> None:
    """The protocol only grows, or loses the one feature being dropped. Raises `ProtocolDowngradeError`."""
    dropped = operation.drops_feature
    allowed = behaviours_of(catalog).join_removals
    if can_transition_to(before, after, catalog, dropped_feature=dropped, allowed_additions=allowed):
        return
    raise ProtocolDowngradeError(
        f"The protocol may not change from {before} to {after}.",
        fix="Drop features one at a time with ALTER TABLE ... DROP FEATURE.",
        details={"before": before.to_json(), "after": after.to_json(), "dropped": dropped},
    )


def ensure_partition_values(actions: Sequence[Action], metadata: Metadata) -> None:
    """Every added file has values for exactly the partition columns. Raises `PartitioningMismatchError`."""
    expected = {find_column(metadata, (name,)).physical_path[0] for name in metadata.partition_columns}
    for action in actions:
        if isinstance(action, AddFile) and action.partition_values.keys() != expected:
            raise PartitioningMismatchError(
                f"{action.path} has partition values for {sorted(action.partition_values)}, "
                f"the table is partitioned by {sorted(expected)}.",
                fix="Give the file one value for each partition column, by physical name.",
                details={"path": action.path, "found": sorted(action.partition_values), "expected": sorted(expected)},
            )
