"""The actions of a Delta log as values, with their JSON.

Protocol and metaData are in `deltaresolver.model`. Whatever this library does not know, whole actions
and single fields, is kept and written back unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import msgspec

from deltaresolver.model.action_fields import (
    extra_fields,
    flag,
    read_fields,
    reads,
    text,
    text_map,
    whole,
    write_fields,
)
from deltaresolver.model.file_key import FileKey, canonical_path, deletion_vector_id
from deltaresolver.model.frozen import EMPTY, frozen
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class DeletionVector(Value):
    """Where the deleted rows of a file are recorded."""

    storage_type: str = text()
    path_or_inline: str = text(name="pathOrInlineDv")
    offset: int | None = whole(default=None)
    size_in_bytes: int = whole(default=0)
    cardinality: int = whole(default=0)
    max_row_index: int | None = whole(default=None)
    extra: Mapping[str, Any] = extra_fields()

    @property
    def unique_id(self) -> str:
        """What tells this deletion vector from another of the same file."""
        return deletion_vector_id(self.storage_type, self.path_or_inline, self.offset)


def _deletion_vector(value: Any) -> DeletionVector:
    return read_fields(DeletionVector, value, "deletionVector")


@attrs.frozen(slots=True)
class AddFile(Value):
    """A file becomes part of the table. `path` is URI-encoded, as in the log."""

    path: str = text()
    partition_values: Mapping[str, str | None] = text_map(default=EMPTY)
    size: int = whole(default=0)
    modification_time: int = whole(default=0)
    data_change: bool = flag(default=False)
    stats: str | None = text(default=None)
    tags: Mapping[str, str | None] | None = text_map(default=None)
    deletion_vector: DeletionVector | None = attrs.field(default=None, metadata=reads(_deletion_vector))
    base_row_id: int | None = whole(default=None)
    default_row_commit_version: int | None = whole(default=None)
    clustering_provider: str | None = text(default=None)
    extra: Mapping[str, Any] = extra_fields()

    @property
    def key(self) -> FileKey:
        """What identifies the logical file."""
        return _key(self.path, self.deletion_vector)


@attrs.frozen(slots=True)
class RemoveFile(Value):
    """A file stops being part of the table; it stays on disk until retention has passed."""

    path: str = text()
    deletion_timestamp: int | None = whole(default=None)
    data_change: bool = flag(default=True)
    extended_file_metadata: bool | None = flag(default=None)
    partition_values: Mapping[str, str | None] | None = text_map(default=None)
    size: int | None = whole(default=None)
    stats: str | None = text(default=None)
    tags: Mapping[str, str | None] | None = text_map(default=None)
    deletion_vector: DeletionVector | None = attrs.field(default=None, metadata=reads(_deletion_vector))
    base_row_id: int | None = whole(default=None)
    default_row_commit_version: int | None = whole(default=None)
    extra: Mapping[str, Any] = extra_fields()

    @property
    def key(self) -> FileKey:
        """What identifies the logical file."""
        return _key(self.path, self.deletion_vector)

    @property
    def deleted_at(self) -> int:
        """`deletion_timestamp`, or the epoch where the log has none."""
        return self.deletion_timestamp or 0


def _key(path: str, deletion_vector: DeletionVector | None) -> FileKey:
    return canonical_path(path), None if deletion_vector is None else deletion_vector.unique_id


@attrs.frozen(slots=True)
class ChangeFile(Value):
    """A file of row-level changes (`cdc`), for the change data feed only."""

    path: str = text()
    partition_values: Mapping[str, str | None] = text_map(default=EMPTY)
    size: int = whole(default=0)
    data_change: bool = flag(default=False)
    tags: Mapping[str, str | None] | None = text_map(default=None)
    extra: Mapping[str, Any] = extra_fields()


@attrs.frozen(slots=True)
class SetTransaction(Value):
    """How far an application has got (`txn`): its own counter, not a version of the table."""

    app_id: str = text()
    app_version: int = whole(name="version")
    last_updated: int | None = whole(default=None)
    extra: Mapping[str, Any] = extra_fields()


@attrs.frozen(slots=True)
class DomainMetadata(Value):
    """A named configuration that belongs to a feature or a user; `removed` deletes it."""

    domain: str = text()
    configuration: str = text(default="")
    removed: bool = flag(default=False)
    extra: Mapping[str, Any] = extra_fields()


@attrs.frozen(slots=True)
class Sidecar(Value):
    """A file that holds part of a V2 checkpoint's file actions."""

    path: str = text()
    size_in_bytes: int = whole(default=0)
    modification_time: int = whole(default=0)
    tags: Mapping[str, str | None] | None = text_map(default=None)
    extra: Mapping[str, Any] = extra_fields()


@attrs.frozen(slots=True)
class CheckpointMetadata(Value):
    """Says that a checkpoint is V2, and of which table version."""

    table_version: int = whole(name="version")
    tags: Mapping[str, str | None] | None = text_map(default=None)
    extra: Mapping[str, Any] = extra_fields()


@attrs.frozen(slots=True)
class CommitInfo(Value):
    """Where a commit comes from. Writers put what they like here, so every field is kept as found."""

    fields: Mapping[str, Any] = attrs.field(default=EMPTY, hash=False, converter=frozen)

    def find_text(self, name: str) -> str | None:
        """The field if it is a string."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else None

    def find_whole(self, name: str) -> int | None:
        """The field if it is a whole number."""
        value = self.fields.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def in_commit_timestamp(self) -> int | None:
        """Milliseconds since the epoch, where in-commit timestamps are enabled."""
        return self.find_whole("inCommitTimestamp")

    @property
    def transaction_id(self) -> str | None:
        """The writer's id for this very attempt."""
        return self.find_text("txnId")


@attrs.frozen(slots=True)
class UnknownAction(Value):
    """An action this library has never heard of, kept as found."""

    name: str
    value: Any = attrs.field(hash=False, converter=frozen)


Action = (
    Protocol
    | Metadata
    | AddFile
    | RemoveFile
    | ChangeFile
    | SetTransaction
    | DomainMetadata
    | CommitInfo
    | Sidecar
    | CheckpointMetadata
    | UnknownAction
)


def _read_commit_info(value: Any) -> CommitInfo:
    return CommitInfo(value if isinstance(value, Mapping) else {})


_KINDS: Mapping[str, type[Any]] = {
    "add": AddFile,
    "remove": RemoveFile,
    "cdc": ChangeFile,
    "txn": SetTransaction,
    "domainMetadata": DomainMetadata,
    "sidecar": Sidecar,
    "checkpointMetadata": CheckpointMetadata,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_READERS: Mapping[str, Callable[[Any], Any]] = {
    "protocol": Protocol.from_json,
    "metaData": Metadata.from_json,
    "commitInfo": _read_commit_info,
}


def read_action(name: str, value: Any) -> Action:
    """The action called `name` in the log. Raises `InvalidInputError` kinds or `ActionMalformedError`."""
    kind = _KINDS.get(name)
    if kind is not None:
        action: Action = read_fields(kind, value, name)
        return action
    reader = _READERS.get(name)
    return UnknownAction(name, value) if reader is None else reader(value)


def action_name(action: Action) -> str:
    """What the log calls an action of files, applications or domains, such as `add`."""
    return _NAMES[type(action)]


def write_action(action: Action) -> dict[str, Any]:
    """The action as the log wraps it: `{"add": {...}}`."""
    if isinstance(action, Protocol):
        return {"protocol": action.to_json()}
    if isinstance(action, Metadata):
        return {"metaData": action.to_json()}
    if isinstance(action, CommitInfo):
        return {"commitInfo": dict(action.fields)}
    if isinstance(action, UnknownAction):
        return {action.name: action.value}
    return {action_name(action): write_fields(action)}


def encode_actions(actions: tuple[Action, ...] | list[Action]) -> bytes:
    """The bytes of a commit: one action per line."""
    return b"".join(msgspec.json.encode(write_action(action)) + b"\n" for action in actions)
