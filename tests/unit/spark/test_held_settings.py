"""Settings of a session stay as long as a block needs them, whichever thread of the session ends first."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from deltaresolver.spark.held_settings import session_settings

KEY = "spark.sql.datetime.java8API.enabled"


class Conf(dict[str, str]):
    """A session's settings."""

    def set(self, key: str, value: str) -> None:
        self[key] = value

    def unset(self, key: str) -> None:
        self.pop(key, None)


def block(session: Any, value: str) -> ExitStack:
    """A block that is entered now and ends when it is closed."""
    stack = ExitStack()
    stack.enter_context(session_settings(session, {KEY: value}))
    return stack


def standing_for(name: str, conf: Conf) -> Any:
    """An object of Python that stands for the session of this name."""
    return SimpleNamespace(conf=conf, _jsparkSession=SimpleNamespace(sessionUUID=lambda: name))


@pytest.fixture(params=[None, "false"])
def session(request: pytest.FixtureRequest) -> Any:
    found = standing_for("a session", Conf({} if request.param is None else {KEY: request.param}))
    found.before = request.param
    return found


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_objects_of_one_session_hold_its_settings_together(session: Any, order: tuple[int, int]) -> None:
    blocks = [block(session, "true"), block(standing_for("a session", session.conf), "true")]
    blocks[order[0]].close()
    assert session.conf.get(KEY) == "true"
    blocks[order[1]].close()
    assert session.conf.get(KEY) == session.before


def test_another_session_has_settings_of_its_own(session: Any) -> None:
    other = standing_for("another", Conf({KEY: "other"}))
    blocks = [block(session, "true"), block(other, "true")]
    blocks[0].close()
    assert session.conf.get(KEY) == session.before
    assert other.conf == {KEY: "true"}
    blocks[1].close()
    assert other.conf == {KEY: "other"}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_setting_stays_until_the_last_block_ends(session: Any, order: tuple[int, int]) -> None:
    blocks = [block(session, "true"), block(session, "true")]
    blocks[order[0]].close()
    assert session.conf.get(KEY) == "true"
    blocks[order[1]].close()
    assert session.conf.get(KEY) == session.before


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_value_before_two_overlapping_blocks_is_restored(session: Any, order: tuple[int, int]) -> None:
    blocks = [block(session, "true"), block(session, "other")]
    assert session.conf.get(KEY) == "other"
    blocks[order[0]].close()
    assert session.conf.get(KEY) == ("other" if order[0] == 0 else "true")
    blocks[order[1]].close()
    assert session.conf.get(KEY) == session.before


def test_a_value_that_is_there_already_is_left_alone() -> None:
    session = standing_for("a session", Conf({KEY: "true"}))
    blocks = [block(session, "true"), block(session, "true")]
    for each in blocks:
        each.close()
    assert session.conf == {KEY: "true"}


def test_nested_blocks_restore_each_value(session: Any) -> None:
    with session_settings(session, {KEY: "true"}):
        with session_settings(session, {KEY: "other"}), session_settings(session, {KEY: "true"}):
            assert session.conf.get(KEY) == "true"
        assert session.conf.get(KEY) == "true"
    assert session.conf.get(KEY) == session.before


def test_an_error_ends_a_block(session: Any) -> None:
    with pytest.raises(ValueError, match="x"), session_settings(session, {KEY: "true"}):
        raise ValueError("x")
    assert session.conf.get(KEY) == session.before
