"""From a listing to the files of one table version: the newest usable checkpoint and what follows it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice, pairwise
from typing import TypeVar

from deltaresolver.errors import LogError, LogGapError, LogTruncatedError, TableNotFoundError, VersionNotFoundError
from deltaresolver.log.checkpoint.last_checkpoint import find_hinted_version
from deltaresolver.log.listing import LogFiles, list_log, list_named, newest_checkpoint_named
from deltaresolver.log.names import LOG_FOLDER, commit_path
from deltaresolver.log.segment import CheckpointFiles, CommitFile, LogSegment
from deltaresolver.log.storage.log_store import LogStore

T = TypeVar("T")


def build_segment(
    store: LogStore,
    table_version: int | None = None,
    *,
    staged: Sequence[CommitFile] = (),
    avoid: Collection[CheckpointFiles] = (),
) -> LogSegment:
    """The files of `table_version`, or of the latest version.

    `staged` commits come from the table's catalog. `avoid` names checkpoints that turned out to be
    unreadable. Raises `TableNotFoundError`, `VersionNotFoundError`, `LogGapError`, `LogTruncatedError`.
    """
    return list_until_settled(lambda: _build_segment(store, table_version, staged, avoid))


def list_until_settled(build: Callable[[], T]) -> T:
    """What `build` makes of a listing. It lists again while commits lack, and raises when the same ones do twice.

    A listing does not show one moment: of two commits made meanwhile it may show the second alone, and on a busy
    local disk often does. What was there before a listing began is in it, so each new one gets further.
    """
    complaint: LogError | None = None
    while True:
        try:
            return build()
        except (LogGapError, LogTruncatedError) as error:
            if complaint is not None and complaint.details == error.details:
                raise
            complaint = error


def _build_segment(
    store: LogStore, table_version: int | None, staged: Sequence[CommitFile], avoid: Collection[CheckpointFiles]
) -> LogSegment:
    if table_version is not None and table_version < 0:
        raise _no_such_version(store.location, table_version, build_segment(store, staged=staged).table_version)
    names = store.names_in(LOG_FOLDER)
    if not avoid:
        start = _find_start(store, names, table_version)
        if start > 0:
            files = _list(store, names, start, table_version, staged)
            if files.checkpoints:
                return choose_segment(files, store.location, table_version)
    files = _list(store, names, 0, table_version, staged)
    if files.is_empty:
        raise _nothing_found(store, table_version)
    return choose_segment(files, store.location, table_version, avoid)


def _find_start(store: LogStore, names: Sequence[str] | None, table_version: int | None) -> int:
    """The version to list from, where there may be a checkpoint; 0 if no hint or file name gives one."""
    if names is not None:
        return newest_checkpoint_named(names, table_version)
    hinted = find_hinted_version(store) or 0
    return hinted if table_version is None or hinted <= table_version else 0


def _list(
    store: LogStore, names: Sequence[str] | None, first: int, last: int | None, staged: Sequence[CommitFile]
) -> LogFiles:
    return list_log(store, first, last, staged) if names is None else list_named(store, names, first, last, staged)


def choose_segment(
    files: LogFiles,
    location: str,
    table_version: int | None = None,
    avoid: Collection[CheckpointFiles] = (),
) -> LogSegment:
    """The files of `table_version` (or the latest) out of a listing that reaches no further than it."""
    checkpoints = [each for each in files.checkpoints if each not in avoid]
    checkpoint = checkpoints[-1] if checkpoints else None
    start = 0 if checkpoint is None else checkpoint.table_version + 1
    commits = tuple(commit for commit in files.commits if commit.first_version >= start)
    _check_contiguous(commits, start, location)
    last = commits[-1].last_version if commits else start - 1
    if last < 0:
        raise LogTruncatedError(
            f"{location} has a checkpoint that cannot be read and no commits to do without it.",
            fix="Restore the missing commit files or the checkpoint from a backup.",
            details={"location": location, "avoided": [list(each.paths) for each in avoid]},
        )
    if table_version is not None and last != table_version:
        raise _no_such_version(location, table_version, last)
    newest = files.commits[-1] if files.commits else None
    return LogSegment(
        table_version=last,
        commits=commits,
        checkpoint=checkpoint,
        compactions=tuple(
            file for file in files.compactions if start <= file.first_version and file.last_version <= last
        ),
        last_commit=newest if newest is not None and newest.last_version == last else None,
        checksum_path=files.checksums.get(last),
    )


def extend_segment(segment: LogSegment, files: LogFiles, location: str) -> LogSegment:
    """The latest version by way of `segment`; `files` is the log from the segment's own version on.

    Starts at a newer checkpoint if the listing has one. Raises `LogGapError`.
    """
    newest = files.checkpoints[-1] if files.checkpoints else None
    if newest is not None and newest.table_version >= segment.first_commit_version:
        return choose_segment(files, location)
    added = files.commits[1:]
    _check_contiguous(files.commits, segment.table_version, location)
    last = added[-1]
    return LogSegment(
        table_version=last.last_version,
        commits=(*segment.commits, *added),
        checkpoint=segment.checkpoint,
        compactions=(*segment.compactions, *files.compactions),
        last_commit=last,
        checksum_path=files.checksums.get(last.last_version),
    )


def _check_contiguous(commits: Sequence[CommitFile], start: int, location: str) -> None:
    if not commits:
        return
    first, last = commits[0].first_version, commits[-1].last_version
    if first != start:
        raise LogTruncatedError(
            f"Version {last} of {location} needs commit {start}, but the first commit left is {first} "
            f"and no usable checkpoint stands for what is missing.",
            fix=f"Restore {commit_path(start)} and what follows it up to {first - 1}, "
            f"or a checkpoint of version {start - 1} or later.",
            details={"location": location, "needed": start, "first": first, "table_version": last},
        )
    if last - first + 1 == len(commits):
        return
    missing = list(islice(_missing(commits), 100))
    count = last - first + 1 - len(commits)
    raise LogGapError(
        f"The log of {location} lacks commit {missing[0]} between {first} and {last} ({count} missing in all).",
        fix=f"Restore {commit_path(missing[0])}; a copy may be in a backup or in the storage's version history.",
        details={"location": location, "missing": missing, "first": first, "last": last},
    )


def _missing(commits: Sequence[CommitFile]) -> Iterator[int]:
    """The versions between these commits; names decide how many there are, so nobody may ask for all of them."""
    for before, after in pairwise(commits):
        yield from range(before.last_version + 1, after.first_version)


def _nothing_found(store: LogStore, table_version: int | None) -> TableNotFoundError | LogTruncatedError:
    location = store.location
    if table_version is not None:
        files = list_log(store)
        if not files.is_empty:
            first = min(
                [commit.first_version for commit in files.commits[:1]]
                + [checkpoint.table_version for checkpoint in files.checkpoints[:1]]
            )
            return LogTruncatedError(
                f"Version {table_version} of {location} is no longer in the log, which starts at version {first}.",
                fix=f"Ask for version {first} or later; older versions were cleaned up.",
                details={"location": location, "table_version": table_version, "first": first},
                delta_condition="DELTA_LOG_FILE_NOT_FOUND",
            )
    return TableNotFoundError(
        f"There is no Delta table at {location}: its _delta_log holds no commit and no checkpoint.",
        fix="Check the path; it must be the folder that contains _delta_log.",
        details={"location": location},
    )


def _no_such_version(location: str, table_version: int, last: int) -> VersionNotFoundError:
    return VersionNotFoundError(
        f"{location} has no version {table_version}; the log holds versions up to {last}.",
        fix=f"Ask for a version up to {last}.",
        details={"location": location, "table_version": table_version, "last": last},
    )
