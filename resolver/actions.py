"""Everything that the author of a commit imports: the actions of a Delta log, and the operation that history shows.

from deltaresolver.actions import AddFile, Operation
"""

from __future__ import annotations

from deltaresolver.model.actions import (
    Action,
    AddFile,
    ChangeFile,
    CommitInfo,
    DeletionVector,
    DomainMetadata,
    RemoveFile,
    SetTransaction,
)
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import Protocol

__all__ = [
    "Action",
    "AddFile",
    "ChangeFile",
    "CommitInfo",
    "DeletionVector",
    "DomainMetadata",
    "Metadata",
    "Operation",
    "Protocol",
    "RemoveFile",
    "SetTransaction",
]
