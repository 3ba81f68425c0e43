"""Which files make up one version of a table: a checkpoint, if any, and the commits after it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection

import attrs

from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.value import Value


class CommitFile:
    """A JSON commit, or a log compaction file standing for several commits in a row. A value: nothing changes it.

    If the listing returned only names, `look_up` asks for size and time when somebody wants them, and raises
    `StoredFileMissingError` if the file is gone by then.
    """

    __slots__ = ("_look_up", "_modified_ms", "_size", "first_version", "last_version", "path")

    def __init__(
        self,
        path: str,
        size: int,
        modified_ms: int,
        first_version: int,
        last_version: int,
        look_up: Callable[[str], StoredFile] | None = None,
    ) -> None:
        self.path = path
        self.first_version = first_version
        self.last_version = last_version
        """Equal to `first_version` for a plain commit."""
        self._size = size
        self._modified_ms = modified_ms
        self._look_up = look_up

    @property
    def size(self) -> int:
        """In bytes."""
        if self._look_up is not None:
            self._ask(self._look_up)
        return self._size

    @property
    def modified_ms(self) -> int:
        """Last modification, milliseconds since the epoch."""
        if self._look_up is not None:
            self._ask(self._look_up)
        return self._modified_ms

    def _ask(self, look_up: Callable[[str], StoredFile]) -> None:
        found = look_up(self.path)
        self._size, self._modified_ms, self._look_up = found.size, found.modified_ms, None

    @property
    def is_compaction(self) -> bool:
        """Whether the file stands for more than one commit."""
        return self.last_version > self.first_version

    def _values(self) -> tuple[str, int, int, int, int]:
        return self.path, self.size, self.modified_ms, self.first_version, self.last_version

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CommitFile):
            return NotImplemented
        return self is other or (self.path == other.path and self._values() == other._values())

    def __hash__(self) -> int:
        return hash((self.path, self.first_version, self.last_version))

    def __repr__(self) -> str:
        return f"CommitFile({self.path!r}, versions {self.first_version} to {self.last_version})"

    def __reduce__(self) -> tuple[type[CommitFile], tuple[str, int, int, int, int]]:
        # Another process may not be able to look anything up.
        return CommitFile, self._values()


class CheckpointKind(enum.Enum):
    """How a checkpoint is stored."""

    CLASSIC = "classic"
    MULTI_PART = "multi-part"
    V2_JSON = "v2 json"
    V2_PARQUET = "v2 parquet"


@attrs.frozen(slots=True)
class CheckpointFiles(Value):
    """One complete checkpoint. A classic name may still hold V2 content, so sidecars are looked for in both."""

    table_version: int
    kind: CheckpointKind
    paths: tuple[str, ...]
    sizes: tuple[int, ...]
    modified_ms: int = 0


@attrs.frozen(slots=True)
class LogSegment(Value):
    """All files needed to build `table_version`: replaying `commits` over `checkpoint` gives its state.

    `commits` ascend without gaps or overlap from `checkpoint.table_version + 1` (or 0) to `table_version`.
    """

    table_version: int
    commits: tuple[CommitFile, ...]
    checkpoint: CheckpointFiles | None = None
    compactions: tuple[CommitFile, ...] = ()
    """Compaction files that could stand in for some of `commits`; see `with_compactions`."""
    last_commit: CommitFile | None = None
    """The plain commit of `table_version`, also when the checkpoint already holds it; its time is the version's."""
    checksum_path: str | None = None
    """The version checksum of exactly `table_version`."""

    @property
    def first_commit_version(self) -> int:
        """The version right after the checkpoint."""
        return 0 if self.checkpoint is None else self.checkpoint.table_version + 1

    def with_compactions(self, usable: Collection[CommitFile]) -> LogSegment:
        """The same version through as few files as `usable` compactions allow: the longest one at each step."""
        if not usable:
            return self
        plain = {commit.first_version: commit for commit in self.commits if not commit.is_compaction}
        longest: dict[int, CommitFile] = {}
        for file in usable:
            if file.last_version <= self.table_version and file.first_version in plain:
                known = longest.get(file.first_version)
                if known is None or known.last_version < file.last_version:
                    longest[file.first_version] = file
        chosen: list[CommitFile] = []
        table_version = self.first_commit_version
        while table_version <= self.table_version:
            file = longest.get(table_version) or plain[table_version]
            chosen.append(file)
            table_version = file.last_version + 1
        return attrs.evolve(self, commits=tuple(chosen))
