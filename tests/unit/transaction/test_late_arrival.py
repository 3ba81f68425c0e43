"""A put whose answer was lost and which is not there yet may still arrive: no commit in doubt is called failed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deltaresolver.errors import CommitOutcomeUnknownError, PutOutcomeUnknownError, StorageUnavailableError
from deltaresolver.log.names import commit_path
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.settings import MAX_RETRIES
from tests.transactions import FaultStore, Scene, add

Put = Callable[[], None]


def unanswered(put: Put) -> None:
    raise PutOutcomeUnknownError("No answer.", fix="Read it back.")


def refused(put: Put) -> None:
    raise StorageUnavailableError("Not sent.", fix="Try again.")


def scene_with(*faults: Callable[[Put], None]) -> Scene:
    scene = Scene(FaultStore())
    scene.create()
    assert isinstance(scene.store, FaultStore)
    scene.store.faults = list(faults)
    return scene


def test_a_storage_failure_while_an_earlier_put_is_under_way_leaves_the_outcome_unknown() -> None:
    scene = scene_with(unanswered, refused)
    with pytest.raises(CommitOutcomeUnknownError) as raised:
        scene.append(add("one"))
    assert raised.value.details["table_version"] == 1


def test_giving_up_while_a_put_is_under_way_leaves_the_outcome_unknown() -> None:
    scene = scene_with(unanswered)
    with pytest.raises(CommitOutcomeUnknownError):
        scene.begin(session={MAX_RETRIES: "0"}).commit([add("one")], operations.write())


def test_a_storage_failure_with_nothing_under_way_is_raised_as_it_is() -> None:
    with pytest.raises(StorageUnavailableError):
        scene_with(refused).append(add("one"))


def test_once_another_commit_has_the_version_nothing_is_in_doubt() -> None:
    def taken(put: Put) -> None:
        scene.store.put(commit_path(1), b'{"commitInfo":{"operation":"OTHER"}}\n')
        put()

    scene = scene_with(unanswered, taken, refused)
    with pytest.raises(StorageUnavailableError):
        scene.append(add("one"))


def test_a_large_commit_that_never_gets_an_answer_is_unknown() -> None:
    scene = scene_with(*[unanswered] * 9)
    with pytest.raises(CommitOutcomeUnknownError):
        scene.begin().commit_large([add("one")], operations.manual_update())


def test_a_storage_failure_after_an_unanswered_put_of_a_large_commit_leaves_the_outcome_unknown() -> None:
    scene = scene_with(unanswered, refused)
    with pytest.raises(CommitOutcomeUnknownError) as raised:
        scene.begin().commit_large([add("one")], operations.manual_update())
    assert raised.value.details["table_version"] == 1


def test_a_storage_failure_of_a_large_commit_with_nothing_under_way_is_raised_as_it_is() -> None:
    with pytest.raises(StorageUnavailableError):
        scene_with(refused).begin().commit_large([add("one")], operations.manual_update())
