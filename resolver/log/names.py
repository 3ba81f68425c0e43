"""The file names of a Delta log: what a name says, and the name of what is to be written.

Names that say nothing here (temporary files, side checksums, statistics of other tools) parse to `None`.
"""

from __future__ import annotations

import enum
import re

import attrs

from deltaresolver.value import Value

LOG_FOLDER = "_delta_log"
SIDECAR_FOLDER = f"{LOG_FOLDER}/_sidecars"
STAGED_FOLDER = f"{LOG_FOLDER}/_staged_commits"
LAST_CHECKPOINT = f"{LOG_FOLDER}/_last_checkpoint"
NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"
"""What stands for null in the name of a partition's folder."""

_LOG_PREFIX = f"{LOG_FOLDER}/"
_PREFIX_LENGTH = len(_LOG_PREFIX)
_COMMIT_LENGTH = len(f"{LOG_FOLDER}/00000000000000000000.json")


class NameKind(enum.Enum):
    """What a log file is."""

    COMMIT = "commit"
    STAGED_COMMIT = "staged commit"
    COMPACTION = "compaction"
    CHECKPOINT = "checkpoint"
    CHECKPOINT_PART = "checkpoint part"
    CHECKPOINT_V2 = "v2 checkpoint"
    CHECKSUM = "checksum"
    SIDECAR = "sidecar"
    LAST_CHECKPOINT = "last checkpoint"


@attrs.frozen(slots=True)
class LogFileName(Value):
    """What a file name says."""

    kind: NameKind
    table_version: int
    last_version: int
    """Differs from `table_version` only for a compaction, which covers both ends."""
    part: int = 0
    part_count: int = 0
    uuid: str = ""
    extension: str = ""

    @property
    def is_checkpoint(self) -> bool:
        """Whether the file is a checkpoint or a part of one."""
        return self.kind in _CHECKPOINT_KINDS


_CHECKPOINT_KINDS = frozenset({NameKind.CHECKPOINT, NameKind.CHECKPOINT_PART, NameKind.CHECKPOINT_V2})

_NAME = re.compile(
    r"(?P<version>[0-9]{20})\.(?:"
    r"(?P<commit>json)|(?P<checksum>crc)"
    r"|checkpoint\.(?P<classic>parquet)"
    r"|checkpoint\.(?P<part>[0-9]+)\.(?P<parts>[0-9]+)\.parquet"
    r"|checkpoint\.(?P<uuid>[^.]+)\.(?P<extension>json|parquet)"
    r"|(?P<last>[0-9]{20})\.compacted\.json"
    r")"
)
_STAGED = re.compile(r"(?P<version>[0-9]{20})\.(?P<uuid>[^.]+)\.json")
_SIDECAR = re.compile(
    r"(?:(?P<version>[0-9]+)\.checkpoint\.(?P<part>[0-9]+)\.(?P<parts>[0-9]+)\.)?(?P<uuid>[^.]+)\.parquet"
)


def parse_log_path(path: str) -> LogFileName | None:
    """What the file at `path` (relative to the table) is; `None` for anything that readers ignore."""
    folder, _, name = path.rpartition("/")
    if folder == LOG_FOLDER:
        return _parse_log_name(name)
    if folder == STAGED_FOLDER:
        return _parse_staged(name)
    if folder == SIDECAR_FOLDER:
        return _parse_sidecar(name)
    return None


def is_sidecar_name(path: str) -> bool:
    """Whether the file is called as a sidecar and lies in their folder."""
    name = parse_log_path(path)
    return name is not None and name.kind is NameKind.SIDECAR


def begins_a_table(path: str) -> bool:
    """Whether a file of this name, a commit or a checkpoint, gives the table a version."""
    name = parse_log_path(path)
    return name is not None and (name.kind is NameKind.COMMIT or name.is_checkpoint)


def commit_version(path: str) -> int | None:
    """The version of a plain commit, or `None`: the one question asked of every file of a long log."""
    if len(path) == _COMMIT_LENGTH and path[-5:] == ".json" and path[:_PREFIX_LENGTH] == _LOG_PREFIX:
        number = path[_PREFIX_LENGTH:-5]
        return int(number) if number.isdecimal() and number.isascii() else None
    return None


def _parse_log_name(name: str) -> LogFileName | None:
    if name == "_last_checkpoint":
        return LogFileName(NameKind.LAST_CHECKPOINT, -1, -1)
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    version = int(match["version"])
    if match["commit"]:
        return LogFileName(NameKind.COMMIT, version, version, extension="json")
    if match["checksum"]:
        return LogFileName(NameKind.CHECKSUM, version, version, extension="crc")
    if match["last"]:
        return LogFileName(NameKind.COMPACTION, version, int(match["last"]), extension="json")
    if match["classic"]:
        return LogFileName(NameKind.CHECKPOINT, version, version, extension="parquet")
    if match["uuid"]:
        return LogFileName(NameKind.CHECKPOINT_V2, version, version, uuid=match["uuid"], extension=match["extension"])
    part, parts = int(match["part"]), int(match["parts"])
    return LogFileName(NameKind.CHECKPOINT_PART, version, version, part, parts, extension="parquet")


def _parse_staged(name: str) -> LogFileName | None:
    match = _STAGED.fullmatch(name)
    if match is None:
        return None
    version = int(match["version"])
    return LogFileName(NameKind.STAGED_COMMIT, version, version, uuid=match["uuid"], extension="json")


def _parse_sidecar(name: str) -> LogFileName | None:
    match = _SIDECAR.fullmatch(name)
    if match is None:
        return None
    version = int(match["version"]) if match["version"] else -1
    part, parts = (int(match["part"]), int(match["parts"])) if match["part"] else (0, 0)
    return LogFileName(NameKind.SIDECAR, version, version, part, parts, match["uuid"], "parquet")


def listing_prefix(table_version: int) -> str:
    """Sorts before every file of this version and after every file of the versions below it."""
    return f"{LOG_FOLDER}/{table_version:020d}."


def commit_path(table_version: int) -> str:
    """The commit that makes this version."""
    return f"{LOG_FOLDER}/{table_version:020d}.json"


def staged_commit_path(table_version: int, uuid: str) -> str:
    """A commit that a catalog has accepted, or not yet, for this version."""
    return f"{STAGED_FOLDER}/{table_version:020d}.{uuid}.json"


def compaction_path(first_version: int, last_version: int) -> str:
    """The commits from `first_version` to `last_version` in one file."""
    return f"{LOG_FOLDER}/{first_version:020d}.{last_version:020d}.compacted.json"


def checksum_path(table_version: int) -> str:
    """The version checksum of this version."""
    return f"{LOG_FOLDER}/{table_version:020d}.crc"


def checkpoint_path(table_version: int) -> str:
    """The classic checkpoint of this version, in one file."""
    return f"{LOG_FOLDER}/{table_version:020d}.checkpoint.parquet"


def checkpoint_part_paths(table_version: int, part_count: int) -> tuple[str, ...]:
    """The classic checkpoint of this version, in several files."""
    return tuple(
        f"{LOG_FOLDER}/{table_version:020d}.checkpoint.{part:010d}.{part_count:010d}.parquet"
        for part in range(1, part_count + 1)
    )


def v2_checkpoint_path(table_version: int, uuid: str, extension: str) -> str:
    """The top-level file of a V2 checkpoint; `extension` is `json` or `parquet`."""
    return f"{LOG_FOLDER}/{table_version:020d}.checkpoint.{uuid}.{extension}"


def sidecar_path(table_version: int, part: int, part_count: int, uuid: str) -> str:
    """A sidecar of a V2 checkpoint, named as delta-spark names them."""
    return f"{SIDECAR_FOLDER}/{table_version:020d}.checkpoint.{part:010d}.{part_count:010d}.{uuid}.parquet"


def sidecar_location(path: str) -> str:
    """Where a sidecar action's `path` lies: a bare file name is in the sidecar folder."""
    return path if "/" in path else f"{SIDECAR_FOLDER}/{path}"
