"""The level of isolation that a table asks for."""

from __future__ import annotations

from deltaresolver.errors import IsolationLevelInvalidError
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.model.metadata import Metadata

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
