"""A local log is listed by its names alone: the same files as a full listing finds, looked up when asked for."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from deltaresolver.errors import DeltaResolverError, StoredFileMissingError
from deltaresolver.log.build_segment import build_segment
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import (
    LAST_CHECKPOINT,
    checkpoint_part_paths,
    checkpoint_path,
    checksum_path,
    commit_path,
    compaction_path,
    v2_checkpoint_path,
)
from deltaresolver.log.segment import CheckpointFiles, LogSegment
from deltaresolver.log.storage.local_store import LocalStore
from tests.logs import PROTOCOL, LogBuilder, add, metadata

STATE = [PROTOCOL, metadata(), add("a")]
ODD_NAMES = (
    "junk",
    "_temporary",
    "٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠.json",
    "00000000000000000003.checkpoint.parquet.tmp",
    ".hidden",
)


def crowded_log() -> LogBuilder:
    log = LogBuilder.started().commits(8).checkpoint(2, STATE).checkpoint_parts(6, [STATE, [], []]).hint(2)
    log.delete(checkpoint_part_paths(6, 3)[1]).checkpoint(4, STATE, v2_checkpoint_path(4, "u", "parquet"))
    log.put(checkpoint_path(7), b"").put(compaction_path(5, 6), b"{}\n").put(checksum_path(8), b"{}")
    for name in ODD_NAMES:
        log.put(f"_delta_log/{name}", b"{}")
    return log


def names_of(segment: LogSegment) -> tuple[object, ...]:
    def paths(checkpoint: CheckpointFiles | None) -> object:
        return checkpoint and (checkpoint.kind, checkpoint.paths, checkpoint.sizes)

    files = [(each.path, each.size, each.first_version, each.last_version) for each in segment.commits]
    compactions = [each.path for each in segment.compactions]
    return segment.table_version, files, paths(segment.checkpoint), compactions, segment.checksum_path


def found_by(log: LogBuilder, table_version: int | None) -> object:
    try:
        return names_of(build_segment(log.store, table_version))
    except DeltaResolverError as error:
        return type(error)


@pytest.mark.parametrize("missing", [(), (0,), (3,), (5,), (7,), (8,), tuple(range(9))])
def test_names_lead_to_the_files_that_a_listing_finds(tmp_path: Path, missing: tuple[int, ...]) -> None:
    full, named = crowded_log().forget(*missing), LogBuilder.local(tmp_path)
    for file in full.listed():
        named.put(file.path, full.store.read(file.path))
    for table_version in (None, *range(-1, 11)):
        assert found_by(named, table_version) == found_by(full, table_version)


def test_folders_and_dangling_links_are_not_taken_for_commits(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path).commit(PROTOCOL, metadata())
    (tmp_path / commit_path(1)).mkdir()
    (tmp_path / commit_path(2)).symlink_to(tmp_path / "nowhere")
    assert build_segment(log.store).table_version == 0
    (tmp_path / commit_path(0)).rename(tmp_path / "elsewhere")
    (tmp_path / commit_path(0)).symlink_to(tmp_path / "elsewhere")
    (first,) = build_segment(log.store).commits
    assert first.size == len(log.store.read(commit_path(0)))


def test_a_hint_is_not_opened_where_names_tell_more(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path).commit(PROTOCOL, metadata()).commits(3).checkpoint(2, STATE)
    (tmp_path / LAST_CHECKPOINT).mkdir()
    checkpoint = build_segment(log.store).checkpoint
    assert checkpoint is not None
    assert checkpoint.table_version == 2


def test_a_commit_is_looked_up_when_its_size_is_asked_for(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path).commit(PROTOCOL, metadata()).commits(2)
    first, second, last = build_segment(log.store).commits
    size = len(log.store.read(commit_path(0)))
    log.forget(1, 2)
    assert first.size == size
    assert first.modified_ms > 0
    with pytest.raises(StoredFileMissingError):
        _ = second.size
    assert last.size > 0  # known from the start: an update tells by it whether the log is still the same


def test_a_commit_that_travels_is_complete(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path).commit(PROTOCOL, metadata()).commits(1)
    segment = build_segment(log.store)
    travelled = pickle.loads(pickle.dumps(segment))
    log.forget(0, 1)
    assert travelled == segment
    assert hash(travelled.commits[0]) == hash(segment.commits[0])
    assert travelled.commits[0] != travelled.commits[1]
    assert repr(travelled.commits[0]) == f"CommitFile({commit_path(0)!r}, versions 0 to 0)"


def test_an_update_sees_that_the_log_was_replaced(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path).commit(PROTOCOL, metadata()).commits(1)
    before = DeltaLog(LocalStore(tmp_path)).snapshot()
    assert [file.path for file in before.add_actions()] == ["file-1"]
    log.put(commit_path(1), log.store.read(commit_path(1)).replace(b"file-1", b"another-file"))
    assert [file.path for file in before.update().add_actions()] == ["another-file"]
