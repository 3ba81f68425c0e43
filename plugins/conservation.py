"""Check that a behaviour only adds to commits and metadata: it must not lose or change what it was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from deltaresolver.model.actions import AddFile, ChangeFile, DomainMetadata, RemoveFile, SetTransaction
from deltaresolver.model.commit.draft import Draft
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol


def what_is_lost(method: str, answer: object, arguments: tuple[Any, ...]) -> str | None:
    """What an answer has lost or changed of the method's arguments, in words; None if nothing."""
    check = _CHECKS.get(method)
    return None if check is None or not arguments else check(arguments[0], answer)


def _of_a_draft(given: object, answer: object) -> str | None:
    if not isinstance(given, Draft) or not isinstance(answer, Draft) or answer.actions is given.actions:
        return None
    before, after = Counter(_fixed(given.actions)), Counter(_fixed(answer.actions))
    lost, added = next(iter(before - after), None), next(iter(after - before), None)
    if lost is not None:
        return f"lost or changed {lost[0]} of the commit"
    if added is not None:
        return f"added {added[0]} to the commit, which is not a plugin's to add"
    return _of_metadata(given.metadata, answer.metadata)


def _fixed(actions: Iterable[object]) -> Iterator[tuple[str, Hashable]]:
    """The parts of a commit that plugins must not change: a name for messages, and the value.

    These are the files added and removed, protocol and metadata, marks of streams, and the data of built-in features.
    Plugins may change tags and row ids of files, commit info, and domains of their own.
    """
    for action in actions:
        if isinstance(action, AddFile):
            values = tuple(sorted(action.partition_values.items()))
            yield f"the file {action.path}", ("add", action.key, values, action.size, action.stats, action.data_change)
        elif isinstance(action, RemoveFile):
            yield f"the removal of {action.path}", ("remove", action.key)
        elif isinstance(action, ChangeFile):
            yield f"the change file {action.path}", ("change", action.path)
        elif isinstance(action, SetTransaction):
            yield f"the mark of application {action.app_id}", ("mark", action.app_id, action.app_version)
        elif isinstance(action, DomainMetadata) and action.domain.startswith("delta."):
            yield f"the domain {action.domain}", ("domain", action.domain, action.configuration, action.removed)
        elif isinstance(action, Protocol):
            yield "the protocol", action
        elif isinstance(action, Metadata):
            yield "the metadata", None  # compared separately


def _of_a_change(given: Any, answer: object) -> str | None:
    return _of_metadata(given.metadata, answer)


def _of_metadata(given: Metadata, answer: object) -> str | None:
    if not isinstance(answer, Metadata) or answer is given:
        return None
    if answer.id != given.id:
        return f"changed the id of the table from {given.id} to {answer.id}"
    if tuple(answer.partition_columns) != tuple(given.partition_columns):
        return "changed the partition columns"
    if answer.schema_string == given.schema_string or given.schema_string is None:
        return None
    kept = {field.name: _shape(msgspec.to_builtins(field.type)) for field in answer.schema.fields}
    for field in given.schema.fields:
        if field.name not in kept:
            return f"lost the column {field.name}"
        if kept[field.name] != _shape(msgspec.to_builtins(field.type)):
            return f"changed the type of the column {field.name}"
    return None


def _shape(data_type: Any) -> Any:
    """A type without the metadata of the fields in it, which a feature may add to."""
    if isinstance(data_type, Mapping):
        return {key: _shape(value) for key, value in data_type.items() if key != "metadata"}
    return [_shape(one) for one in data_type] if isinstance(data_type, (list, tuple)) else data_type


def _of_columns(metadata: Metadata, answer: Any) -> str | None:
    known = {field.name.lower() for field in metadata.schema.fields}
    unknown = next((one.column for one in answer if one.column.lower() not in known), None)
    return None if unknown is None else f"gave values for the column {unknown}, which the table does not have"


_CHECKS: Mapping[str, Callable[[Any, object], str | None]] = {
    "amend_draft": _of_a_draft,
    "rebase": _of_a_draft,
    "rebase_removal": _of_a_draft,
    "settle_metadata": _of_a_draft,
    "amend_metadata": _of_a_change,
    "cloned_metadata": _of_metadata,
    "column_expressions": _of_columns,
    "restore_metadata": _of_metadata,
}
