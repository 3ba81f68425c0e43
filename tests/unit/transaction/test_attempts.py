"""Attempts whose answers are lost, late or missing: nothing acknowledged is lost, nothing is written twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from deltaresolver.errors import (
    CommitOutcomeUnknownError,
    CommitRetriesExceededError,
    ConcurrentWriteError,
    DeltaResolverError,
    LogGapError,
    ProtocolMismatchError,
    ProtocolUnsupportedError,
    PutOutcomeUnknownError,
    StorageFullError,
    StorageUnavailableError,
)
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.commit.back_off import LONGEST_SECONDS, BackOff
from tests.transactions import FaultStore, Scene, add

Put = Callable[[], None]


def lost_answer(put: Put) -> None:
    put()
    raise PutOutcomeUnknownError("The answer got lost.")


def never_arrived(put: Put) -> None:
    raise PutOutcomeUnknownError("The answer got lost.")


def disk_full(put: Put) -> None:
    raise StorageFullError("The disk is full.")


def faulty(*faults: Callable[[Put], None] | None) -> tuple[Scene, FaultStore]:
    store = FaultStore()
    scene = Scene(store)
    scene.create()
    store.faults = list(faults)
    return scene, store


def ids(scene: Scene, count: int) -> list[str]:
    """The transaction ids of the first `count` commits."""
    return [
        json.loads(scene.store.read(commit_path(version)).split(b"\n")[0])["commitInfo"]["txnId"]
        for version in range(count)
    ]


def test_a_lost_answer_after_the_write_counts_as_committed() -> None:
    scene, _ = faulty(lost_answer)
    transaction = scene.begin()
    assert transaction.commit([add("f")], operations.write()) == 1
    assert transaction.committed is not None
    assert transaction.committed.attempts == 1
    assert ids(scene, 2)[1] == transaction.transaction_id


def test_a_write_that_never_arrived_is_tried_again_as_the_same_version() -> None:
    scene, _ = faulty(never_arrived, never_arrived)
    transaction = scene.begin()
    assert transaction.commit([add("f")], operations.write()) == 1
    assert transaction.committed is not None
    assert transaction.committed.attempts == 3


def test_a_write_that_arrives_late_is_recognised_as_ones_own() -> None:
    scene, store = faulty()
    late: list[Put] = []

    def delayed(put: Put) -> None:
        late.append(put)
        raise PutOutcomeUnknownError("The answer got lost.")

    def overtaken(put: Put) -> None:
        late[0]()
        put()

    store.faults = [delayed, overtaken]
    transaction = scene.begin()
    assert transaction.commit([add("f")], operations.write()) == 1
    assert scene.snapshot().table_version == 1


def test_a_lost_answer_with_anothers_commit_in_place_is_a_lost_race() -> None:
    scene, store = faulty()

    def beaten(put: Put) -> None:
        scene.append(add("other"))
        raise PutOutcomeUnknownError("The answer got lost.")

    store.faults = [beaten]
    transaction = scene.begin()
    assert transaction.commit([add("f")], operations.write()) == 2
    assert len(set(ids(scene, 3))) == 3


def test_an_outcome_that_cannot_be_read_back_is_reported_with_what_to_look_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene, store = faulty(lost_answer)
    transaction = scene.begin()

    def unavailable(path: str) -> bytes:
        raise StorageUnavailableError("No answer.")

    monkeypatch.setattr(store, "read", unavailable)
    with pytest.raises(CommitOutcomeUnknownError) as caught:
        transaction.commit([add("f")], operations.write())
    assert caught.value.details["transaction_id"] == transaction.transaction_id
    assert caught.value.details["table_version"] == 1


def test_other_failures_of_the_storage_pass_through() -> None:
    scene, _ = faulty(disk_full)
    with pytest.raises(StorageFullError):
        scene.begin().commit([add("f")], operations.write())
    assert scene.snapshot().table_version == 0


def always_beaten(scene: Scene) -> Callable[[Put], None]:
    def beaten(put: Put) -> None:
        store = scene.store
        assert isinstance(store, FaultStore)
        faults, store.faults = store.faults, []
        scene.append(add(scene.new_id()))
        store.faults = faults
        put()

    return beaten


def test_retries_are_bounded_and_wait_ever_longer() -> None:
    scene, store = faulty()
    store.faults = [always_beaten(scene)] * 20
    transaction = scene.begin(session={"spark.databricks.delta.maxCommitAttempts": "5"})
    with pytest.raises(CommitRetriesExceededError) as caught:
        transaction.commit([add("f")], operations.write())
    assert caught.value.details["attempts"] == 6
    assert len(scene.slept) == 4, "the first retry comes at once"
    assert scene.snapshot().table_version == 6


def test_the_wait_is_drawn_from_the_seed_and_has_a_limit() -> None:
    def waits(seed: str) -> list[float]:
        slept: list[float] = []
        back_off = BackOff(slept.append, seed)
        for _ in range(40):
            back_off.wait()
        return slept

    assert waits("a") == waits("a")
    assert waits("a") != waits("b")
    assert max(waits("a")) <= LONGEST_SECONDS


def test_a_large_commit_is_the_next_version_or_nothing() -> None:
    scene, _ = faulty()
    transaction = scene.begin()
    assert transaction.commit_large([add("f")], operations.operation("CLONE")) == 1
    late = scene.begin()
    scene.append(add("g"))
    with pytest.raises(ConcurrentWriteError) as caught:
        late.commit_large([add("h")], operations.operation("RESTORE"))
    assert caught.value.details["winner_operation"] == "WRITE"


@pytest.mark.parametrize(
    ("winner", "expected"),
    [
        ({"minReaderVersion": 4, "minWriterVersion": 7}, ProtocolUnsupportedError),
        ({"minReaderVersion": 3, "minWriterVersion": 7}, ProtocolMismatchError),
    ],
)
def test_a_large_commit_fails_where_a_winner_made_the_table_unreadable(
    winner: dict[str, int], expected: type[DeltaResolverError]
) -> None:
    store = FaultStore()
    scene = Scene(store)
    scene.create({"delta.enableDeletionVectors": "true"})
    late = scene.begin()
    scene.put_commit(1, [{"protocol": {**winner, "readerFeatures": [], "writerFeatures": []}}])
    with pytest.raises(expected):
        late.commit_large([add("h")], operations.operation("RESTORE"))


def test_a_large_commit_whose_answer_got_lost_is_kept() -> None:
    scene, _ = faulty(lost_answer)
    assert scene.begin().commit_large([add("f")], operations.operation("CLONE")) == 1


class LateListing(FaultStore):
    """A table on which listings leave out some commits."""

    hidden: frozenset[str] = frozenset()

    def list_from(self, path: str) -> Iterator[StoredFile]:
        return (file for file in super().list_from(path) if file.path not in self.hidden)


@pytest.mark.parametrize("hidden", [{1}, {2}, {3}, {1, 2}, {1, 2, 3}])
def test_commits_that_a_late_listing_leaves_out_are_checked_all_the_same(hidden: set[int]) -> None:
    store = LateListing()
    scene = Scene(store)
    scene.create()
    transaction = scene.begin()
    transaction.filter_files("p = 'b'")
    for number in range(3):
        scene.append(add(f"f{number}"))
    late = scene.begin()
    store.hidden = frozenset(commit_path(version) for version in hidden)
    assert transaction.commit([add("g", "b")], operations.with_predicate("UPDATE")) == 4
    assert transaction.committed is not None
    assert transaction.committed.conflicts_checked == 3
    assert late.read_version == 3


def test_a_commit_that_is_really_gone_is_reported() -> None:
    scene, store = faulty()
    transaction = scene.begin()
    for number in range(3):
        scene.append(add(f"f{number}"))
    store.delete(commit_path(2))
    with pytest.raises(LogGapError, match="lacks commit 2") as raised:
        transaction.commit([add("g")], operations.write())
    assert raised.value.details == {"location": store.location, "missing": [2], "found": commit_path(3)}
