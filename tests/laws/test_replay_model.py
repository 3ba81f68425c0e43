"""The reference replay against a model that shares nothing with it: the last action on a subject counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.model.actions import AddFile, RemoveFile, write_action
from tests.laws.random_logs import commit_actions, replay_of
from tests.logs import Json

Pick = Callable[[str, Any], Any]


def last_words(commits: list[list[Json]], name: str, subject: Callable[[Any], Any]) -> dict[Any, Any]:
    """For each subject of the actions called `name`, the last one in the log."""
    return {subject(wrapped[name]): wrapped[name] for actions in commits for wrapped in actions if name in wrapped}


def file_words(commits: list[list[Json]]) -> dict[tuple[str, str], tuple[str, Any]]:
    """For each file, whether it was added or removed last, and how."""
    words: dict[tuple[str, str], tuple[str, Any]] = {}
    for actions in commits:
        for wrapped in actions:
            for name in ("add", "remove"):
                if name in wrapped:
                    value = wrapped[name]
                    words[value["path"], str(value.get("deletionVector"))] = (name, value)
    return words


@settings(max_examples=150, deadline=None)
@given(st.lists(commit_actions(), max_size=6), st.none() | st.integers(-1, 10))
def test_replay_keeps_the_last_action_on_every_subject(commits: list[list[Json]], retention: int | None) -> None:
    replay = replay_of(commits)
    replay.min_file_retention_timestamp = retention
    words = file_words(commits)
    live = sorted(((value["path"], value["size"]) for name, value in words.values() if name == "add"))
    gone = sorted(
        (value["path"], value["deletionTimestamp"])
        for name, value in words.values()
        if name == "remove" and (retention is None or value["deletionTimestamp"] > retention)
    )
    state = list(replay.checkpoint())
    assert sorted((action.path, action.size) for action in state if isinstance(action, AddFile)) == live
    removed = [action for action in state if isinstance(action, RemoveFile)]
    assert sorted((action.path, action.deletion_timestamp) for action in removed) == gone
    assert not any(action.data_change for action in state if isinstance(action, AddFile | RemoveFile))

    written = [write_action(action) for action in state]
    for name, subject in (("txn", "appId"), ("domainMetadata", "domain")):
        expected = last_words(commits, name, lambda value, subject=subject: value[subject])  # type: ignore[misc]
        kept = {key: value for key, value in expected.items() if not value.get("removed")}
        assert {value[name][subject]: value[name] for value in written if name in value} == kept
    for name in ("protocol", "metaData"):
        last = last_words(commits, name, lambda value: None).get(None)
        assert [value[name] for value in written if name in value] == ([] if last is None else [last])


@settings(max_examples=80, deadline=None)
@given(st.lists(commit_actions(), min_size=1, max_size=6))
def test_the_checkpoint_is_ordered_and_replays_to_itself(commits: list[list[Json]]) -> None:
    state = [write_action(action) for action in replay_of(commits).checkpoint()]
    order = ["protocol", "metaData", "domainMetadata", "txn", "files"]
    ranks = [order.index(next(iter(value)) if next(iter(value)) in order else "files") for value in state]
    assert ranks == sorted(ranks)
    paths = [
        next(iter(value.values()))["path"] for value in state[ranks.count(0) :] if "add" in value or "remove" in value
    ]
    assert paths == sorted(paths)
    assert [write_action(action) for action in replay_of([state]).checkpoint()] == state
