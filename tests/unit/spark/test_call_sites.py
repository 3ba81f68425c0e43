"""Inside the library PySpark does not note where a Column was made; outside it does, whatever happened inside."""

from __future__ import annotations

import threading
from types import ModuleType

import pytest

from deltaresolver.spark.call_sites import no_call_sites

pytest.importorskip("pyspark")
from pyspark.errors import utils

SWITCH = "_enable_debugging_cache"


@pytest.fixture(params=[True, False, None])
def before(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool | None:
    """What PySpark has kept; None until it has asked a session."""
    monkeypatch.setattr(utils, SWITCH, request.param, raising=False)
    kept: bool | None = request.param
    return kept


def switch() -> object:
    return getattr(utils, SWITCH)


def test_call_sites_are_off_inside_and_as_before_afterwards(before: bool | None) -> None:
    with no_call_sites():
        assert switch() is False
        with no_call_sites():
            assert switch() is False
        assert switch() is False
    assert switch() is before


def test_an_error_puts_the_switch_back(before: bool | None) -> None:
    def fail() -> None:
        with no_call_sites():
            raise ValueError("out")

    with pytest.raises(ValueError, match="out"):
        fail()
    assert switch() is before


def test_threads_that_overlap_leave_the_switch_as_the_first_found_it(before: bool | None) -> None:
    inside, out = threading.Event(), threading.Event()

    def other() -> None:
        with no_call_sites():
            inside.set()
            out.wait(10)

    thread = threading.Thread(target=other)
    with no_call_sites():
        thread.start()
        assert inside.wait(10)
    assert switch() is False  # the other is inside still
    out.set()
    thread.join()
    assert switch() is before


def test_a_release_without_the_switch_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(utils, SWITCH, raising=False)
    with no_call_sites():
        assert not hasattr(utils, SWITCH)
    assert not hasattr(utils, SWITCH)
    assert isinstance(utils, ModuleType)
