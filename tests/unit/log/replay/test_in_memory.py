"""In-memory replay: registries, order, retention, and the message it fails with."""

from __future__ import annotations

import pytest

from deltaresolver.errors import ReplayOrderError
from deltaresolver.log.replay.in_memory import InMemoryLogReplay
from deltaresolver.model.actions import (
    Action,
    AddFile,
    ChangeFile,
    CommitInfo,
    DeletionVector,
    DomainMetadata,
    RemoveFile,
    SetTransaction,
    UnknownAction,
)
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

PROTOCOL = Protocol.of(1, 2)
METADATA = Metadata(id="t")


def replayed(*commits: list[Action], retention: int | None = None) -> InMemoryLogReplay:
    replay = InMemoryLogReplay(retention)
    for table_version, actions in enumerate(commits):
        replay.append(table_version, actions)
    return replay


def test_a_fresh_replay_holds_nothing() -> None:
    replay = InMemoryLogReplay(0)
    assert replay.current_version == -1
    assert (replay.current_protocol, replay.current_metadata) == (None, None)
    assert list(replay.checkpoint()) == []


@pytest.mark.parametrize("first", [0, 7])
def test_replay_may_start_anywhere_and_goes_on_one_by_one(first: int) -> None:
    replay = InMemoryLogReplay()
    replay.append(first, [])
    replay.append(first + 1, [])
    assert replay.current_version == first + 1


@pytest.mark.parametrize("wrong", [0, 3, 5, 6, 9])
def test_a_version_out_of_order_is_an_assertion_error_with_the_documented_sentence(wrong: int) -> None:
    replay = InMemoryLogReplay()
    replay.append(3, [])
    if wrong == 4:
        return
    with pytest.raises(ReplayOrderError) as caught:
        replay.append(wrong, [AddFile("a")])
    assert str(caught.value) == f"Attempted to replay version {wrong}, but state is at 3"
    assert isinstance(caught.value, AssertionError)
    assert replay.current_version == 3
    assert replay.active_files == {}


def test_the_last_protocol_metadata_and_transaction_win() -> None:
    newer, later = Protocol.of(1, 4), Metadata(id="t", name="renamed")
    replay = replayed([PROTOCOL, METADATA, SetTransaction("a", 1)], [newer, SetTransaction("a", 2)], [later])
    assert (replay.current_protocol, replay.current_metadata) == (newer, later)
    assert replay.transactions == {"a": SetTransaction("a", 2)}


def test_an_added_file_is_active_with_data_change_off() -> None:
    replay = replayed([AddFile("a", data_change=True)])
    assert list(replay.active_files.values()) == [AddFile("a", data_change=False)]


def test_a_removed_file_becomes_a_tombstone_and_an_add_revives_it() -> None:
    removed = replayed([AddFile("a")], [RemoveFile("a", 5)])
    assert removed.active_files == {}
    assert list(removed.tombstones.values()) == [RemoveFile("a", 5, data_change=False)]
    revived = replayed([AddFile("a")], [RemoveFile("a", 5)], [AddFile("a", size=9)])
    assert revived.tombstones == {}
    assert [file.size for file in revived.active_files.values()] == [9]


def test_inside_one_commit_the_last_word_counts() -> None:
    assert replayed([RemoveFile("a"), AddFile("a")]).tombstones == {}
    assert replayed([AddFile("a"), RemoveFile("a")]).active_files == {}


def test_another_deletion_vector_is_another_file() -> None:
    vector = DeletionVector("u", "abc", 1)
    replay = replayed([AddFile("a")], [RemoveFile("a"), AddFile("a", deletion_vector=vector)])
    assert [file.deletion_vector for file in replay.active_files.values()] == [vector]
    assert len(replay.tombstones) == 1
    other = DeletionVector("u", "abc", 2)
    assert len(replayed([AddFile("a", deletion_vector=vector), AddFile("a", deletion_vector=other)]).active_files) == 2


def test_spellings_of_one_path_are_one_file() -> None:
    assert replayed([AddFile("/a/b")], [RemoveFile("file:///a/b")]).active_files == {}


def test_domains_stay_until_removed() -> None:
    replay = replayed([DomainMetadata("a", "1"), DomainMetadata("b", "2")], [DomainMetadata("a", "", removed=True)])
    assert replay.domains == {"b": DomainMetadata("b", "2")}


def test_actions_that_are_not_state_are_passed_over() -> None:
    replay = replayed([CommitInfo({"operation": "WRITE"}), ChangeFile("c"), UnknownAction("x", 1)])
    assert list(replay.checkpoint()) == []


def test_the_checkpoint_comes_in_the_documented_order() -> None:
    replay = replayed(
        [AddFile("z"), AddFile("a"), RemoveFile("m", 9), SetTransaction("s", 1)],
        [METADATA, PROTOCOL, DomainMetadata("d")],
    )
    assert list(replay.checkpoint()) == [
        PROTOCOL,
        METADATA,
        DomainMetadata("d"),
        SetTransaction("s", 1),
        AddFile("a"),
        RemoveFile("m", 9, data_change=False),
        AddFile("z"),
    ]


@pytest.mark.parametrize(("retention", "kept"), [(None, "abcd"), (-1, "abcd"), (0, "cd"), (5, "d"), (6, "")])
def test_tombstones_are_kept_only_after_the_retention_timestamp(retention: int | None, kept: str) -> None:
    removes: list[Action] = [RemoveFile("a"), RemoveFile("b", 0), RemoveFile("c", 5), RemoveFile("d", 6)]
    paths = [
        action.path for action in replayed(removes, retention=retention).checkpoint() if isinstance(action, RemoveFile)
    ]
    assert "".join(paths) == kept


def test_transactions_without_a_recent_update_are_left_out_of_the_checkpoint() -> None:
    replay = InMemoryLogReplay(min_transaction_retention_timestamp=5)
    replay.append(0, [SetTransaction("a", 1), SetTransaction("b", 1, 5), SetTransaction("c", 1, 6)])
    assert list(replay.checkpoint()) == [SetTransaction("c", 1, 6)]
    assert len(replay.transactions) == 3
