"""Every order in which the calls of a few small transactions can come, and proof that none is left out."""

from __future__ import annotations

import pytest

from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.transaction.commit import attempt
from deltaresolver.transaction.commit.attempt import AttemptOutcome
from deltaresolver.transaction.commit.loop import CommitLoop
from deltaresolver.transaction.conflicts import rebase as conflicts
from tests.simulation.plain_enumeration import enumerate_outcomes
from tests.simulation.run import Setting
from tests.simulation.scopes import small_scopes
from tests.simulation.state_graph import Explored, StateGraph
from tests.simulation.step import Steps
from tests.simulation.work import Kind

SCOPES = tuple(small_scopes())
SERIALIZABLE, WRITE_SERIALIZABLE, SNAPSHOT = (
    IsolationLevel.SERIALIZABLE,
    IsolationLevel.WRITE_SERIALIZABLE,
    IsolationLevel.SNAPSHOT,
)


def explore(setting: Setting, *, lost_replies: int = 0, keeps_results: bool = False) -> Explored:
    steps = Steps(setting.level)
    return StateGraph(setting, steps, lost_replies=lost_replies, keeps_results=keeps_results).explore()


@pytest.mark.parametrize(
    "kinds",
    [
        (Kind.DELETE, Kind.COPY, Kind.CLEAR),
        pytest.param((Kind.METADATA, Kind.DOMAIN, Kind.APPEND_ONCE), marks=pytest.mark.slow),
        pytest.param((Kind.APPEND, Kind.UPDATE, Kind.OPTIMIZE), marks=pytest.mark.slow),
    ],
    ids=lambda kinds: "-".join(kind.name for kind in kinds),
)
@pytest.mark.parametrize(
    "level",
    [
        SERIALIZABLE,
        pytest.param(WRITE_SERIALIZABLE, marks=pytest.mark.slow),
        pytest.param(SNAPSHOT, marks=pytest.mark.slow),
    ],
)
def test_all_orders_of_three_writers_with_two_commits_keep_every_promise(
    level: IsolationLevel, kinds: tuple[Kind, ...]
) -> None:
    (setting,) = (scope for scope in SCOPES if scope.level is level and {work[0] for work in scope.works} == set(kinds))
    found = explore(setting)
    assert found.interleavings > 10_000
    assert found.endings["committed"] > found.logs


def test_all_orders_of_three_commits_with_all_losses_of_answers_keep_every_promise() -> None:
    works = ((Kind.APPEND,), (Kind.DELETE,), (Kind.APPEND_ONCE,))
    found = explore(Setting(SERIALIZABLE, works, keeps_handle=False), lost_replies=3)
    assert found.endings["committed"] > found.logs >= 6


def test_the_small_scopes_name_every_kind_in_every_place_at_every_level() -> None:
    for number in range(3):
        for place in range(2):
            found = {(scope.level, scope.works[number][place]) for scope in SCOPES}
            assert found == {(level, kind) for level in IsolationLevel for kind in Kind}


@pytest.mark.parametrize(
    ("level", "works", "lost_replies"),
    [
        pytest.param(
            SERIALIZABLE, ((Kind.METADATA, Kind.DOMAIN), (Kind.APPEND_ONCE, Kind.METADATA)), 0, marks=pytest.mark.slow
        ),
        (WRITE_SERIALIZABLE, ((Kind.UPDATE, Kind.APPEND), (Kind.DELETE,)), 0),
        pytest.param(SNAPSHOT, ((Kind.APPEND,), (Kind.APPEND,), (Kind.COPY,)), 0, marks=pytest.mark.slow),
        pytest.param(SERIALIZABLE, ((Kind.APPEND,), (Kind.APPEND, Kind.DOMAIN)), 1, marks=pytest.mark.slow),
        pytest.param(SERIALIZABLE, ((Kind.DELETE,), (Kind.APPEND,), (Kind.DOMAIN,)), 0, marks=pytest.mark.slow),
        pytest.param(SERIALIZABLE, ((Kind.OPTIMIZE, Kind.COPY), (Kind.CLEAR, Kind.APPEND)), 0, marks=pytest.mark.slow),
        pytest.param(SNAPSHOT, ((Kind.UPDATE,), (Kind.APPEND_ONCE,)), 2, marks=pytest.mark.slow),
    ],
)
def test_the_search_by_states_finds_what_running_every_order_finds(
    level: IsolationLevel, works: tuple[tuple[Kind, ...], ...], lost_replies: int
) -> None:
    setting = Setting(level, works, keeps_handle=False)
    count, outcomes = enumerate_outcomes(setting, lost_replies=lost_replies)
    found = explore(setting, lost_replies=lost_replies, keeps_results=True)
    assert found.outcomes == outcomes
    assert len(outcomes) > 1
    assert found.interleavings <= count


def test_both_searches_find_a_commit_that_is_not_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "_settle", lambda *_: AttemptOutcome.LOST)
    monkeypatch.setattr(CommitLoop, "_is_own", lambda *_, **__: False)
    setting = Setting(SERIALIZABLE, ((Kind.APPEND,), (Kind.APPEND,)), keeps_handle=False)
    assert explore(setting).logs == 2  # no answer is lost, so nothing is to be found
    with pytest.raises(AssertionError, match="twice"):
        explore(setting, lost_replies=1)
    with pytest.raises(AssertionError, match="twice"):
        enumerate_outcomes(setting, lost_replies=1)


def test_both_searches_find_a_conflict_that_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflicts, "check_files", lambda *_: None)
    setting = Setting(SERIALIZABLE, ((Kind.CLEAR,), (Kind.UPDATE,)), keeps_handle=False)
    for search in (explore, enumerate_outcomes):
        with pytest.raises(AssertionError, match=r"is removed but not there|files it read are gone|should have read"):
            search(setting)
