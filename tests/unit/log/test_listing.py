"""From a listing to the files of one version: hints, checkpoints, compactions, gaps and truncation."""

from __future__ import annotations

import pytest

from deltaresolver.errors import LogGapError, LogTruncatedError, TableNotFoundError, VersionNotFoundError
from deltaresolver.log.build_segment import build_segment, extend_segment
from deltaresolver.log.compactions import prefer_compactions
from deltaresolver.log.listing import list_log
from deltaresolver.log.names import (
    LAST_CHECKPOINT,
    checkpoint_part_paths,
    checkpoint_path,
    checksum_path,
    commit_path,
    compaction_path,
    staged_commit_path,
    v2_checkpoint_path,
)
from deltaresolver.log.segment import CheckpointKind, CommitFile, LogSegment
from tests.logs import PROTOCOL, LogBuilder, add, lines, metadata, remove

STATE = [PROTOCOL, metadata(), add("a")]


def versions_of(segment: LogSegment) -> list[tuple[int, int]]:
    return [(commit.first_version, commit.last_version) for commit in segment.commits]


def test_without_a_checkpoint_every_commit_is_needed() -> None:
    log = LogBuilder.started().commits(3)
    segment = build_segment(log.store)
    assert segment.table_version == 3
    assert versions_of(segment) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert segment.checkpoint is None
    assert segment.last_commit == segment.commits[-1]


def test_the_newest_complete_checkpoint_shortens_the_segment() -> None:
    log = LogBuilder.started().commits(5).checkpoint(2, STATE).checkpoint(4, STATE)
    segment = build_segment(log.store)
    assert segment.checkpoint is not None
    assert segment.checkpoint.table_version == 4
    assert versions_of(segment) == [(5, 5)]


def test_a_checkpoint_after_the_wanted_version_is_not_used() -> None:
    log = LogBuilder.started().commits(5).checkpoint(2, STATE).checkpoint(4, STATE).hint(4)
    segment = build_segment(log.store, 3)
    assert segment.checkpoint is not None
    assert segment.checkpoint.table_version == 2
    assert segment.table_version == 3
    assert segment.last_commit is not None
    assert segment.last_commit.path == commit_path(3)


def test_a_version_that_is_a_checkpoint_needs_no_commit_but_keeps_its_time() -> None:
    log = LogBuilder.started().commits(4).checkpoint(3, STATE)
    segment = build_segment(log.store, 3)
    assert segment.commits == ()
    assert segment.last_commit is not None
    assert segment.last_commit.path == commit_path(3)


def test_the_hint_saves_listing_what_came_before() -> None:
    log = LogBuilder.started().commits(4).checkpoint(3, STATE).hint(3)
    log.forget(1)  # a gap that a listing from the hint never sees
    assert build_segment(log.store).table_version == 4


@pytest.mark.parametrize(
    "hint",
    [
        b"",
        b"{",
        b'{"version":3',
        b"null",
        b"[]",
        b'{"version":"3"}',
        b'{"version":-1}',
        b'{"version":1e3}',
        b'{"version":99999999999999999999999}',
        b"\xff\xfe\x00",
        b'{"size":3}',
        b'{"version":2}',
        b'{"version":999}',
        b'{"version":0}',
    ],
)
def test_a_wrong_torn_or_stale_hint_is_never_fatal(hint: bytes) -> None:
    log = LogBuilder.started().commits(4).checkpoint(3, STATE).put(LAST_CHECKPOINT, hint)
    segment = build_segment(log.store)
    assert segment.table_version == 4
    assert segment.checkpoint is not None
    assert segment.checkpoint.table_version == 3


def test_a_hint_older_than_the_newest_checkpoint_still_finds_it() -> None:
    log = LogBuilder.started().commits(6).checkpoint(2, STATE).checkpoint(5, STATE).hint(2)
    segment = build_segment(log.store)
    assert segment.checkpoint is not None
    assert segment.checkpoint.table_version == 5


def test_a_checkpoint_lacking_a_part_is_passed_over() -> None:
    log = LogBuilder.started().commits(5).checkpoint(2, STATE).checkpoint_parts(4, [STATE, [], []]).hint(4)
    complete = build_segment(log.store).checkpoint
    assert complete is not None
    assert complete.kind is CheckpointKind.MULTI_PART
    assert complete.paths == checkpoint_part_paths(4, 3)
    log.delete(checkpoint_part_paths(4, 3)[1])
    segment = build_segment(log.store)
    assert segment.checkpoint is not None
    assert segment.checkpoint.table_version == 2
    assert versions_of(segment) == [(3, 3), (4, 4), (5, 5)]


def test_parts_of_two_checkpoints_do_not_complete_each_other() -> None:
    log = LogBuilder.started().commits(3)
    log.put(checkpoint_part_paths(2, 2)[0], b"x").put(checkpoint_part_paths(2, 3)[1], b"x")
    assert build_segment(log.store).checkpoint is None


def test_an_empty_checkpoint_file_is_passed_over() -> None:
    log = LogBuilder.started().commits(3).put(checkpoint_path(2), b"")
    assert build_segment(log.store).checkpoint is None


def test_of_several_checkpoints_of_one_version_the_v2_one_is_taken() -> None:
    log = LogBuilder.started().commits(3).checkpoint(2, STATE).checkpoint_parts(2, [STATE, []])
    log.put(v2_checkpoint_path(2, "b", "json"), b"x").put(v2_checkpoint_path(2, "a", "parquet"), b"x")
    checkpoint = build_segment(log.store).checkpoint
    assert checkpoint is not None
    assert checkpoint.paths == (v2_checkpoint_path(2, "b", "json"),)
    second = build_segment(log.store, avoid=[checkpoint]).checkpoint
    assert second is not None
    assert second.paths == (v2_checkpoint_path(2, "a", "parquet"),)


def test_avoiding_the_only_checkpoint_falls_back_to_the_commits() -> None:
    log = LogBuilder.started().commits(3).checkpoint(2, STATE)
    checkpoint = build_segment(log.store).checkpoint
    assert checkpoint is not None
    segment = build_segment(log.store, avoid=[checkpoint])
    assert segment.checkpoint is None
    assert len(segment.commits) == 4


def test_avoiding_the_only_checkpoint_is_an_error_that_names_what_is_missing() -> None:
    log = LogBuilder.started().commits(2).checkpoint(2, STATE).forget(0, 1, 2)
    checkpoint = build_segment(log.store).checkpoint
    assert checkpoint is not None
    with pytest.raises(LogTruncatedError, match="no commits to do without it"):
        build_segment(log.store, avoid=[checkpoint])


def test_a_missing_commit_is_a_gap_with_its_number() -> None:
    log = LogBuilder.started().commits(5).forget(2, 3)
    with pytest.raises(LogGapError) as caught:
        build_segment(log.store)
    assert caught.value.details["missing"] == [2, 3]
    assert caught.value.delta_condition == "DELTA_VERSIONS_NOT_CONTIGUOUS"
    assert commit_path(2) in caught.value.fix


def test_a_gap_before_the_checkpoint_does_no_harm() -> None:
    log = LogBuilder.started().commits(5).checkpoint(4, STATE).forget(2)
    assert build_segment(log.store).table_version == 5


def test_a_gap_right_after_the_checkpoint_is_found() -> None:
    log = LogBuilder.started().commits(5).checkpoint(2, STATE).forget(3)
    with pytest.raises(LogTruncatedError) as caught:
        build_segment(log.store)
    assert caught.value.details["needed"] == 3


def test_a_log_without_its_beginning_is_truncated() -> None:
    log = LogBuilder.started().commits(3).forget(0, 1)
    with pytest.raises(LogTruncatedError) as caught:
        build_segment(log.store)
    assert caught.value.delta_condition == "DELTA_TRUNCATED_TRANSACTION_LOG"
    assert caught.value.details["first"] == 2


def test_an_error_about_a_version_cleaned_up_long_ago_names_the_first_one_left() -> None:
    log = LogBuilder.started().commits(5).checkpoint(3, STATE).forget(0, 1, 2)
    with pytest.raises(LogTruncatedError) as caught:
        build_segment(log.store, 1)
    assert caught.value.details["first"] == 3
    assert caught.value.delta_condition == "DELTA_LOG_FILE_NOT_FOUND"


def test_an_error_about_a_version_still_to_come_names_the_latest() -> None:
    log = LogBuilder.started().commits(2)
    with pytest.raises(VersionNotFoundError) as caught:
        build_segment(log.store, 7)
    assert caught.value.details["last"] == 2


def test_an_error_about_a_negative_version_names_the_latest() -> None:
    with pytest.raises(VersionNotFoundError, match=r"no version -1; .* up to 2"):
        build_segment(LogBuilder.started().commits(2).store, -1)


def test_a_checkpoint_alone_is_enough() -> None:
    log = LogBuilder().checkpoint(8, STATE)
    segment = build_segment(log.store)
    assert (segment.table_version, segment.commits, segment.last_commit) == (8, (), None)


@pytest.mark.parametrize("path", [checksum_path(0), "_delta_log/.00000000000000000000.json.crc", LAST_CHECKPOINT])
def test_files_that_hold_no_state_make_no_table(path: str) -> None:
    log = LogBuilder().put(path, b'{"version":0}')
    for table_version in (None, 0):
        with pytest.raises(TableNotFoundError):
            build_segment(log.store, table_version)


def test_the_checksum_of_exactly_this_version_is_offered() -> None:
    log = LogBuilder.started().commits(2).put(checksum_path(1), b"{}")
    assert build_segment(log.store).checksum_path is None
    assert build_segment(log.store, 1).checksum_path == checksum_path(1)


def compaction(first: int, last: int, *actions: dict[str, object]) -> tuple[str, bytes]:
    return compaction_path(first, last), lines(actions)


def test_the_longest_sound_compaction_replaces_its_commits() -> None:
    log = LogBuilder.started().commits(6)
    log.put(*compaction(1, 2, add("file-1"))).put(*compaction(1, 4, add("file-1"))).put(*compaction(5, 9, add("x")))
    segment = prefer_compactions(log.store, build_segment(log.store))
    assert versions_of(segment) == [(0, 0), (1, 4), (5, 5), (6, 6)]
    assert versions_of(prefer_compactions(log.store, build_segment(log.store, 3))) == [(0, 0), (1, 2), (3, 3)]


def test_a_compaction_straddling_the_checkpoint_is_not_used() -> None:
    log = LogBuilder.started().commits(5).checkpoint(3, STATE).put(*compaction(2, 5, add("x")))
    assert versions_of(prefer_compactions(log.store, build_segment(log.store))) == [(4, 4), (5, 5)]


@pytest.mark.parametrize(
    "content",
    [
        lines([remove("a"), add("a")]),
        lines([add("/a"), add("file:/a")]),
        b'{"add":{"path":"a"',
        b"x" * 100_000,
    ],
)
def test_an_unsound_or_larger_compaction_is_passed_over(content: bytes) -> None:
    log = LogBuilder.started().commits(3).put(compaction_path(1, 3), content)
    assert versions_of(prefer_compactions(log.store, build_segment(log.store))) == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_a_compaction_hides_no_gap() -> None:
    log = LogBuilder.started().commits(4).put(*compaction(1, 3, add("x"))).forget(2)
    with pytest.raises(LogGapError):
        build_segment(log.store)


def staged(table_version: int) -> CommitFile:
    return CommitFile(staged_commit_path(table_version, "u"), 1, 1, table_version, table_version)


def test_staged_commits_extend_the_published_ones() -> None:
    log = LogBuilder.started().commits(1)
    segment = build_segment(log.store, staged=[staged(3), staged(2), staged(1)])
    assert [commit.path for commit in segment.commits] == [
        commit_path(0),
        commit_path(1),
        staged_commit_path(2, "u"),
        staged_commit_path(3, "u"),
    ]
    assert build_segment(log.store, 2, staged=[staged(2), staged(3)]).table_version == 2


def test_a_staged_commit_that_does_not_follow_is_a_gap() -> None:
    log = LogBuilder.started().commits(1)
    with pytest.raises(LogGapError):
        build_segment(log.store, staged=[staged(3)])


def test_staged_commits_that_no_catalog_confirms_do_not_count() -> None:
    log = LogBuilder.started().put(staged_commit_path(1, "u"), lines([add("a")]))
    assert build_segment(log.store).table_version == 0


def test_a_segment_grows_by_new_commits_or_starts_over_at_a_newer_checkpoint() -> None:
    log = LogBuilder.started().commits(2)
    before = build_segment(log.store)
    log.commits(2)
    assert extend_segment(before, list_log(log.store, 2), "t") == build_segment(log.store)
    log.checkpoint(3, STATE)
    assert extend_segment(before, list_log(log.store, 2), "t") == build_segment(log.store)
