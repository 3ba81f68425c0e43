"""What one listing of the log found: commits, compactions, complete checkpoints and checksums."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence

import attrs

from deltaresolver.errors import StoredFileMissingError
from deltaresolver.log.names import LOG_FOLDER, LogFileName, NameKind, commit_version, listing_prefix, parse_log_path
from deltaresolver.log.segment import CheckpointFiles, CheckpointKind, CommitFile
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.value import Value

_DIGITS = 20
_CHECKPOINT_MARK = ".checkpoint."
_KIND_ORDER = {
    CheckpointKind.CLASSIC: 0,
    CheckpointKind.MULTI_PART: 1,
    CheckpointKind.V2_JSON: 2,
    CheckpointKind.V2_PARQUET: 2,
}


@attrs.frozen(slots=True)
class LogFiles(Value):
    """The useful files of a log from some version on, each kind ascending."""

    commits: tuple[CommitFile, ...]
    compactions: tuple[CommitFile, ...]
    checkpoints: tuple[CheckpointFiles, ...]
    """Complete ones only; of several at one version the last is to be preferred."""
    checksums: Mapping[int, str]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing a table could be built from."""
        return not self.commits and not self.checkpoints


def list_log(
    store: LogStore,
    first_version: int = 0,
    last_version: int | None = None,
    staged: Sequence[CommitFile] = (),
) -> LogFiles:
    """List the log from `first_version` to `last_version` (or to its end).

    `staged` are commits a catalog vouches for that may not be published yet; a published commit of
    the same version wins, as it is the same commit.
    """
    commits: list[CommitFile] = []
    others: list[tuple[LogFileName, StoredFile]] = []
    for file in store.list_from(listing_prefix(first_version)):
        path = file.path
        table_version = commit_version(path)
        if table_version is not None:
            if last_version is not None and table_version > last_version:
                break
            commits.append(CommitFile(path, file.size, file.modified_ms, table_version, table_version))
            continue
        name = parse_log_path(path)
        if name is None or (last_version is not None and name.last_version > last_version):
            continue
        others.append((name, file))
    commits += _unpublished(staged, commits[-1].last_version if commits else first_version - 1, last_version)
    return LogFiles(tuple(commits), _compactions(others), _complete_checkpoints(others), _checksums(others))


def _unpublished(staged: Sequence[CommitFile], published: int, last_version: int | None) -> list[CommitFile]:
    return [
        commit
        for commit in sorted(staged, key=lambda commit: commit.first_version)
        if commit.first_version > published and (last_version is None or commit.last_version <= last_version)
    ]


def newest_checkpoint_named(names: Iterable[str], last_version: int | None = None) -> int:
    """The version of the newest checkpoint with a file in the listing, complete or not; 0 without any."""
    named = [name[:_DIGITS] for name in names if _CHECKPOINT_MARK in name and name.isascii()]
    versions = [int(digits) for digits in named if len(digits) == _DIGITS and digits.isdecimal()]
    return max((each for each in versions if last_version is None or each <= last_version), default=0)


def list_named(
    store: LogStore,
    names: Iterable[str],
    first_version: int = 0,
    last_version: int | None = None,
    staged: Sequence[CommitFile] = (),
) -> LogFiles:
    """As `list_log`, from names that `LogStore.names_in` gave; size and time of commits are looked up when asked for.

    Those of the last commit are looked up at once: they tell later whether it is still the same.
    """
    first = listing_prefix(first_version)[len(LOG_FOLDER) + 1 :]
    commits: list[CommitFile] = []
    others: list[tuple[LogFileName, StoredFile]] = []
    checksums: dict[int, str] = {}
    look_up = store.look_up
    for name in sorted([name for name in names if name >= first]):
        path = f"{LOG_FOLDER}/{name}"
        # As `commit_version` has it: asked of every file of a log that is read whole.
        if name[_DIGITS:] == ".json" and name[:_DIGITS].isdecimal() and name.isascii():
            table_version = int(name[:_DIGITS])
            if last_version is not None and table_version > last_version:
                break
            commits.append(CommitFile(path, 0, 0, table_version, table_version, look_up))
            continue
        parsed = parse_log_path(path)
        if parsed is None or (last_version is not None and parsed.last_version > last_version):
            continue
        if parsed.kind is NameKind.CHECKSUM:
            checksums[parsed.table_version] = path
            continue
        with contextlib.suppress(StoredFileMissingError):  # deleted since the names were listed
            others.append((parsed, look_up(path)))
    if commits:
        _ = commits[-1].size
    commits += _unpublished(staged, commits[-1].last_version if commits else first_version - 1, last_version)
    return LogFiles(tuple(commits), _compactions(others), _complete_checkpoints(others), checksums)


def _compactions(files: Iterable[tuple[LogFileName, StoredFile]]) -> tuple[CommitFile, ...]:
    return tuple(
        CommitFile(file.path, file.size, file.modified_ms, name.table_version, name.last_version)
        for name, file in files
        if name.kind is NameKind.COMPACTION and name.last_version > name.table_version
    )


def _checksums(files: Iterable[tuple[LogFileName, StoredFile]]) -> Mapping[int, str]:
    return {name.table_version: file.path for name, file in files if name.kind is NameKind.CHECKSUM}


def _complete_checkpoints(files: Iterable[tuple[LogFileName, StoredFile]]) -> tuple[CheckpointFiles, ...]:
    found: list[CheckpointFiles] = []
    parts: dict[tuple[int, int], dict[int, StoredFile]] = {}
    for name, file in files:
        if file.size <= 0 or not name.is_checkpoint:
            continue
        if name.kind is NameKind.CHECKPOINT_PART:
            parts.setdefault((name.table_version, name.part_count), {})[name.part] = file
            continue
        kind = CheckpointKind.CLASSIC
        if name.kind is NameKind.CHECKPOINT_V2:
            kind = CheckpointKind.V2_JSON if name.extension == "json" else CheckpointKind.V2_PARQUET
        found.append(CheckpointFiles(name.table_version, kind, (file.path,), (file.size,), file.modified_ms))
    for (table_version, count), pieces in parts.items():
        # The count is whatever a name says: it is compared before anything is made of it.
        if count == len(pieces) and min(pieces) == 1 and max(pieces) == count:
            found.append(_multi_part(table_version, [pieces[part] for part in sorted(pieces)]))
    found.sort(key=lambda each: (each.table_version, _KIND_ORDER[each.kind], len(each.paths), each.paths))
    return tuple(found)


def _multi_part(table_version: int, pieces: Sequence[StoredFile]) -> CheckpointFiles:
    return CheckpointFiles(
        table_version,
        CheckpointKind.MULTI_PART,
        tuple(piece.path for piece in pieces),
        tuple(piece.size for piece in pieces),
        max(piece.modified_ms for piece in pieces),
    )
