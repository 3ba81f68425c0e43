"""How far a commit must be protected from the commits that came first."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from deltaresolver.model.actions import Action, AddFile, ChangeFile, DomainMetadata, RemoveFile
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.transaction.metadata.isolation import table_isolation


def choose_isolation(
    actions: Iterable[Action], operation: Operation, metadata: Metadata, settled_domains: Collection[str] = ()
) -> IsolationLevel:
    """The level a commit of these actions runs under: snapshot isolation where no row can change.

    `settled_domains` are metadata domains that never conflict. Raises `IsolationLevelInvalidError`.
    """
    level = table_isolation(metadata)
    changes = False
    for action in actions:
        if isinstance(action, (AddFile, RemoveFile, ChangeFile)):
            changes = changes or action.data_change
        elif not isinstance(action, DomainMetadata) or action.domain not in settled_domains:
            return level
    if changes:
        return level
    if level is IsolationLevel.SERIALIZABLE or (
        level is IsolationLevel.WRITE_SERIALIZABLE and not operation.changes_data
    ):
        return IsolationLevel.SNAPSHOT
    return level
