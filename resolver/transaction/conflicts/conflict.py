"""Why a draft cannot follow a commit that came first: a value inside an attempt, an error only at the end."""

from __future__ import annotations

import enum
from datetime import UTC, datetime
from typing import Any

import attrs

from deltaresolver.errors import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    ConcurrentModificationError,
    ConcurrentTransactionError,
    ConcurrentWriteError,
    MetadataChangedError,
    ProtocolChangedError,
)
from deltaresolver.model.behaviour import Winner


class ConflictKind(enum.Enum):
    """What the winner did that the draft cannot live with."""

    PROTOCOL = "changed the protocol"
    METADATA = "changed the metadata"
    DOMAIN = "wrote a metadata domain that this transaction writes too"
    APPLICATION = "recorded progress of an application that this transaction asked about"
    APPEND = "added data that this transaction should have read"
    DELETE_READ = "removed data that this transaction read"
    DELETE_DELETE = "removed data that this transaction removes too"
    VERSION_TAKEN = "took the version that this transaction may only write as the very next one"


_ERRORS: dict[ConflictKind, type[ConcurrentModificationError]] = {
    ConflictKind.PROTOCOL: ProtocolChangedError,
    ConflictKind.METADATA: MetadataChangedError,
    ConflictKind.DOMAIN: ConcurrentTransactionError,
    ConflictKind.APPLICATION: ConcurrentTransactionError,
    ConflictKind.APPEND: ConcurrentAppendError,
    ConflictKind.DELETE_READ: ConcurrentDeleteReadError,
    ConflictKind.DELETE_DELETE: ConcurrentDeleteDeleteError,
    ConflictKind.VERSION_TAKEN: ConcurrentWriteError,
}
_HINTED = frozenset({ConflictKind.APPEND, ConflictKind.DELETE_READ, ConflictKind.DELETE_DELETE})
_READ_LESS = (
    "Read the table again and repeat; to collide less, read by predicates on partition columns that writers do "
    "not share."
)
_AVOID = {
    ConflictKind.PROTOCOL: "Read the table again and repeat; change protocols when no writer is under way.",
    ConflictKind.METADATA: "Read the table again and repeat with the new metadata.",
    ConflictKind.DOMAIN: "Read the domain again and repeat.",
    ConflictKind.APPLICATION: "Run only one writer for each application id; then read its version again.",
    ConflictKind.APPEND: _READ_LESS,
    ConflictKind.DELETE_READ: _READ_LESS,
    ConflictKind.DELETE_DELETE: "Repeat; to collide less, let writers remove files of different partitions.",
    ConflictKind.VERSION_TAKEN: "Repeat while no other writer is under way.",
}


@attrs.frozen(slots=True)
class Conflict:
    """One conflict: with which commit, over what, and how to avoid it."""

    kind: ConflictKind
    winner_version: int
    winner_operation: str | None
    winner_time_ms: int | None
    what_was_read: str
    where: str | None = None
    """The partition, domain, application or property that collided."""
    is_partition: bool = False
    cause: ConcurrentModificationError | None = attrs.field(default=None, eq=False)
    """The error a feature raised, if it was a feature that found the conflict."""

    @property
    def avoid(self) -> str:
        """What to do about it, in one sentence."""
        return _AVOID[self.kind]

    def to_error(self) -> ConcurrentModificationError:
        """The conflict as delta-spark would raise it."""
        if self.cause is not None:
            return self.cause
        error = _ERRORS[self.kind]
        condition = error.default_delta_condition
        if self.kind in _HINTED:
            condition = f"{condition}.{'WITH_PARTITION_HINT' if self.is_partition else 'WITHOUT_HINT'}"
        return error(self._message(), fix=self.avoid, details=self.to_json(), delta_condition=condition)

    def _message(self) -> str:
        when = "" if self.winner_time_ms is None else f" at {_moment(self.winner_time_ms)}"
        where = "" if self.where is None else f" ({self.where})"
        return (
            f"Version {self.winner_version} ({self.winner_operation or 'unknown operation'}{when}) "
            f"{self.kind.value}{where}; this transaction had read {self.what_was_read}."
        )

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "kind": self.kind.name.lower(),
            "winner_version": self.winner_version,
            "winner_operation": self.winner_operation,
            "winner_time": None if self.winner_time_ms is None else _moment(self.winner_time_ms),
            "read": self.what_was_read,
            "where": self.where,
            "avoid": self.avoid,
        }


def conflict_with(
    winner: Winner, kind: ConflictKind, what_was_read: str, where: str | None = None, *, is_partition: bool = False
) -> Conflict:
    """The conflict with `winner`."""
    info = winner.commit_info
    time_ms = None
    if info is not None:
        time_ms = info.in_commit_timestamp if info.in_commit_timestamp is not None else info.find_whole("timestamp")
    return Conflict(kind, winner.table_version, winner.operation, time_ms, what_was_read, where, is_partition)


def _moment(milliseconds: int) -> str:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return f"{milliseconds} ms"
