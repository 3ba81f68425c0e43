"""Fields of actions have the types that the log gives them: one that has another makes the whole table unreadable."""

from __future__ import annotations

from collections.abc import Iterable

from deltaresolver.errors import FileActionInvalidError
from deltaresolver.model.action_fields import find_wrong_field
from deltaresolver.model.actions import (
    Action,
    AddFile,
    ChangeFile,
    DomainMetadata,
    RemoveFile,
    SetTransaction,
    action_name,
)
from deltaresolver.model.metadata import Metadata

_BY_CALLERS = (AddFile, RemoveFile, ChangeFile, SetTransaction, DomainMetadata)


def ensure_field_types(actions: Iterable[Action]) -> None:
    """What is written can be read. Raises `FileActionInvalidError`, and `MetadataMalformedError` for metadata."""
    for action in actions:
        if isinstance(action, _BY_CALLERS):
            wrong = find_wrong_field(action)
            if wrong is not None:
                raise _wrong_type(action_name(action), *wrong)
        elif isinstance(action, Metadata):
            Metadata.from_json(action.to_json())


def _wrong_type(action: str, field: str, expected: str, found: object) -> FileActionInvalidError:
    shown = "nothing" if found is None else f"{found!r:.80} ({type(found).__name__})"
    return FileActionInvalidError(
        f"{action}.{field} must be {expected}, found {shown}.",
        fix="Correct the action: with this field nobody could read the table any more.",
        details={"action": action, "field": field, "expected": expected, "found": shown},
        delta_class="IllegalArgumentException",
    )
