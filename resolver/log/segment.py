"""Which files make up one version of a table: a checkpoint, if any, and the commits after it."""

from __future__ import annotations

import enum

import attrs


@attrs.frozen(slots=True)
class CommitFile:
    """A JSON commit, or a log compaction file standing for several commits in a row."""

    path: str
    size: int
    modified_ms: int
    first_version: int
    last_version: int
    """Equal to `first_version` for a plain commit."""

    @property
    def is_compaction(self) -> bool:
        """Whether the file stands for more than one commit."""
        return self.last_version > self.first_version


class CheckpointKind(enum.Enum):
    """How a checkpoint is stored."""

    CLASSIC = "classic"
    MULTI_PART = "multi-part"
    V2_JSON = "v2 json"
    V2_PARQUET = "v2 parquet"


@attrs.frozen(slots=True)
class CheckpointFiles:
    """One complete checkpoint. A classic name may still hold V2 content, so sidecars are looked for in both."""

    table_version: int
    kind: CheckpointKind
    paths: tuple[str, ...]
    sizes: tuple[int, ...]


@attrs.frozen(slots=True)
class LogSegment:
    """All files needed to build `table_version`: replaying `commits` over `checkpoint` gives its state.

    `commits` ascend without gaps or overlap from `checkpoint.table_version + 1` (or 0) to `table_version`.
    """

    table_version: int
    commits: tuple[CommitFile, ...]
    checkpoint: CheckpointFiles | None = None
