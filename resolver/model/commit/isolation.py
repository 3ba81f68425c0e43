"""How far a commit is protected from the commits that came first."""

from __future__ import annotations

import enum


class IsolationLevel(enum.Enum):
    """Strictest first. The value is the name in the commit info."""

    SERIALIZABLE = "Serializable"
    """The commits, in their order, explain every read and every write."""
    WRITE_SERIALIZABLE = "WriteSerializable"
    """The writes have some serial order; blind appends may slip in before it."""
    SNAPSHOT = "SnapshotIsolation"
    """Only what is removed or read and removed can conflict."""
