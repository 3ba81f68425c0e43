"""Check the log's own files: each is read to its end, and checkpoints and checksums are compared with the commits."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.scan.deep_reading import find_damage, find_wrong_totals, is_damage
from deltaresolver.audit.verify.problem import FileProblem, ProblemKind
from deltaresolver.errors import LogError
from deltaresolver.log.build_segment import build_segment
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.commits import decode_action, decode_line, numbered_lines
from deltaresolver.log.listing import LogFiles
from deltaresolver.log.segment import CheckpointFiles, CommitFile, LogSegment
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.file_key import canonical_path


def problems_of_commits(store: LogStore, files: LogFiles) -> Iterator[FileProblem]:
    """The commits missing between the first and the last, and those with a line that cannot be read."""
    expected: int | None = None
    for commit in files.commits:
        if expected is not None and commit.first_version > expected:
            last = commit.first_version - 1
            missing = f"version {expected} is" if last == expected else f"versions {expected} to {last} are"
            yield FileProblem(ProblemKind.COMMIT_MISSING, commit.path, f"{missing} not in the log before this commit")
        expected = commit.last_version + 1
        problem = _damage_of(store, commit)
        if problem is not None:
            yield problem


def _damage_of(store: LogStore, commit: CommitFile) -> FileProblem | None:
    try:
        for number, line in numbered_lines(store.read(commit.path)):
            for name, value in decode_line(line, commit.path, number).items():
                if value is not None:
                    decode_action(name, value, commit.path, number)
    except LogError as error:
        if not is_damage(error):
            raise
        return FileProblem(ProblemKind.COMMIT_DAMAGED, commit.path, error.message)
    return None


def problems_of_checkpoint(store: LogStore, files: LogFiles, checkpoint: CheckpointFiles) -> Iterator[FileProblem]:
    """The parts of one checkpoint that cannot be read; if all can, its differences from the commits."""
    damaged = False
    try:
        for path in find_damage(store, LogSegment(checkpoint.table_version, (), checkpoint)):
            damaged = True
            kind = ProblemKind.CHECKPOINT_DAMAGED if path in checkpoint.paths else ProblemKind.SIDECAR_DAMAGED
            yield FileProblem(
                kind, path, f"the checkpoint of version {checkpoint.table_version} cannot be read: {path}"
            )
    except LogError as error:
        if not is_damage(error):
            raise
        damaged = True
        yield FileProblem(ProblemKind.CHECKPOINT_DAMAGED, checkpoint.paths[0], error.message)
    first = files.commits[0].first_version if files.commits else None
    if not damaged and first == 0:
        yield from _difference(store, files, checkpoint)


def _difference(store: LogStore, files: LogFiles, checkpoint: CheckpointFiles) -> Iterator[FileProblem]:
    """Live files that the checkpoint has and the commits from the first one on have not, or the other way round."""
    version = checkpoint.table_version
    others = tuple(each for each in files.checkpoints if each is not checkpoint)
    try:
        by_commits = build_segment(store, version, avoid=files.checkpoints)
        by_checkpoint = build_segment(store, version, avoid=others)
        if by_checkpoint.checkpoint is None:
            return
        replayed, kept = (_live_paths(store, segment) for segment in (by_commits, by_checkpoint))
    except LogError as error:
        if not is_damage(error):
            raise
        return  # commits that are missing or damaged are reported already
    for more, fewer, who in ((replayed - kept, "checkpoint", "commits"), (kept - replayed, "commits", "checkpoint")):
        if more:
            told = f"the {who} know {len(more):,} live files that the {fewer} do not, such as {min(more)}"
            yield FileProblem(ProblemKind.CHECKPOINT_DIFFERS, checkpoint.paths[0], f"at version {version} {told}")


def _live_paths(store: LogStore, segment: LogSegment) -> frozenset[str]:
    paths = Snapshot(store, segment).files(columns=FileColumns.WITHOUT_STATS).column("path").to_pylist()
    return frozenset(map(canonical_path, paths))


def problem_of_checksum(store: LogStore, segment: LogSegment) -> FileProblem | None:
    """Where the counts of the newest version's checksum differ from the log's; None where they agree."""
    if segment.checksum_path is None:
        return None
    told = find_wrong_totals(store, segment, store.read(segment.checksum_path))
    return None if told is None else FileProblem(ProblemKind.CHECKSUM_WRONG, segment.checksum_path, told)
