"""How far a commit must be protected from the commits that came first."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from deltaresolver.errors import IsolationLevelInvalidError
from deltaresolver.model.actions import Action, AddFile, ChangeFile, DomainMetadata, RemoveFile
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation

ISOLATION_PROPERTY = "delta.isolationLevel"


def table_isolation(metadata: Metadata) -> IsolationLevel:
    """The level the table asks for. Raises `IsolationLevelInvalidError`."""
    text = metadata.configuration.get(ISOLATION_PROPERTY)
    if text is None:
        return IsolationLevel.SERIALIZABLE
    for level in IsolationLevel:
        if level.value.lower() == text.lower():
            return level
    names = ", ".join(level.value for level in IsolationLevel)
    raise IsolationLevelInvalidError(
        f"{ISOLATION_PROPERTY} is {text!r}, which is none of {names}.",
        fix=f"Set {ISOLATION_PROPERTY} to Serializable, or unset it.",
        details={"property": ISOLATION_PROPERTY, "value": text},
    )


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
