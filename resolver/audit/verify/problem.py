"""What is wrong with a table's files, as values."""

from __future__ import annotations

import enum
from typing import Any

import attrs


class ProblemKind(enum.Enum):
    """The kinds of problems."""

    COMMIT_MISSING = "commit-missing"
    COMMIT_DAMAGED = "commit-damaged"
    CHECKPOINT_DAMAGED = "checkpoint-damaged"
    SIDECAR_DAMAGED = "sidecar-damaged"
    CHECKPOINT_DIFFERS = "checkpoint-differs"
    CHECKSUM_WRONG = "checksum-wrong"
    STATE_UNREADABLE = "state-unreadable"
    FILE_MISSING = "file-missing"
    FILE_SIZE = "file-size"
    FILE_DAMAGED = "file-damaged"
    ROW_COUNT = "row-count"
    VECTOR_DAMAGED = "vector-damaged"
    OUTSIDE = "outside"


ADVICE = {
    ProblemKind.COMMIT_MISSING: "Restore it from a backup; a checkpoint after it keeps newer versions readable.",
    ProblemKind.COMMIT_DAMAGED: "Restore it from a backup; a checkpoint after it keeps newer versions readable.",
    ProblemKind.CHECKPOINT_DAMAGED: "Delete the checkpoint, if the commits since the one before it are all there.",
    ProblemKind.SIDECAR_DAMAGED: "Delete the checkpoint that names it, if the commits before it are all there.",
    ProblemKind.CHECKPOINT_DIFFERS: "Find the writer that made it; keep the commits, which are the table's truth.",
    ProblemKind.CHECKSUM_WRONG: "Delete the .crc file: it is only a shortcut.",
    ProblemKind.STATE_UNREADABLE: "Mend what is damaged in the log first.",
    ProblemKind.FILE_MISSING: "Restore the file, or restore the table to a version that does not need it.",
    ProblemKind.FILE_SIZE: "Restore the file from a backup.",
    ProblemKind.FILE_DAMAGED: "Restore the file from a backup.",
    ProblemKind.ROW_COUNT: "Find the writer that counted otherwise: readers skip files by these statistics.",
    ProblemKind.VECTOR_DAMAGED: "Restore the vector's file; without it nobody knows which rows are deleted.",
    ProblemKind.OUTSIDE: 'Give the storage option "allow_outside", if you trust those who write to the table.',
}
"""What to do about each kind of problem."""


@attrs.frozen(slots=True)
class FileProblem:
    """One file, and what is wrong with it."""

    kind: ProblemKind
    path: str
    told: str
    """The problem in one sentence."""

    @property
    def advice(self) -> str:
        """What to do about the problem, in a sentence."""
        return ADVICE[self.kind]

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON."""
        return {"kind": self.kind.value, "path": self.path, "message": self.told, "fix": self.advice}


@attrs.frozen(slots=True)
class Verification:
    """The result of checking a table: how much was checked, and the problems."""

    location: str
    table_version: int | None
    problems: tuple[FileProblem, ...]
    commits: int = 0
    checkpoints: int = 0
    files: int = 0
    vectors: int = 0
    bytes_stated: int = 0
    """The size of all live data files by the log."""
    reads_pages: bool = False
    """Whether data files were read to their last page, not only their footers."""

    @property
    def is_sound(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON, in the form that `--json` prints."""
        return {
            "location": self.location,
            "version": self.table_version,
            "sound": self.is_sound,
            "commits": self.commits,
            "checkpoints": self.checkpoints,
            "files": self.files,
            "deletion_vectors": self.vectors,
            "bytes": self.bytes_stated,
            "pages_read": self.reads_pages,
            "problems": [problem.to_json() for problem in self.problems],
        }
