"""Ctrl-C and SIGTERM end the process, even where Python loses the exception."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import weakref
from collections.abc import Callable, Iterator

import click
import pytest

from deltaresolver.cli import signals
from deltaresolver.cli.signals import EndedBySignalError, followed, signal_behind


@pytest.fixture(autouse=True)
def ctrl_c_is_not_ignored() -> Iterator[None]:
    """As on a terminal: a shell starts what it runs in the background with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Finalized:
    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    def __del__(self) -> None:
        self.act()


def send(number: int) -> None:
    os.kill(os.getpid(), number)


def work() -> None:
    """What goes on for a while, as what lost an exception does."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        pass


def in_a_finalizer(number: int) -> None:
    kept = Finalized(lambda: send(number))
    del kept
    work()


def in_a_callback(number: int) -> None:
    kept = Finalized(lambda: None)
    _ = weakref.ref(kept, lambda _: send(number))
    del kept
    work()


def as_another_error(number: int) -> None:
    try:
        send(number)
    except KeyboardInterrupt as error:
        raise RuntimeError("Error calling __set_name__") from error


def passed_over(number: int) -> None:
    with contextlib.suppress(BaseException):
        send(number)
    work()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("act", [in_a_finalizer, in_a_callback, as_another_error, passed_over, send])
def test_a_lost_signal_still_ends_the_process(
    act: Callable[[int], None], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals, "AGAIN_AFTER", 0.01)
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    with pytest.raises((EndedBySignalError, RuntimeError)) as raised, followed():
        act(number)
    assert signal_behind(raised.value) == number
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)] == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_signal_does_not_disturb_what_is_being_tidied_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "AGAIN_AFTER", 0.01)
    tidied: list[int] = []

    def end_slowly() -> None:
        try:
            send(signal.SIGINT)
        finally:
            with contextlib.suppress(IndexError):  # an error of its own that is handled
                tidied[0] = 1
            time.sleep(0.1)
            tidied.append(1)

    with pytest.raises(EndedBySignalError), followed():
        end_slowly()
    assert tidied == [1]


def test_a_signal_lost_at_the_very_end_still_ends_the_process() -> None:
    with pytest.raises(EndedBySignalError), followed(), contextlib.suppress(KeyboardInterrupt):
        send(signal.SIGINT)


def test_an_aborted_question_counts_as_a_signal() -> None:
    def ask() -> None:
        try:
            send(signal.SIGTERM)
        except KeyboardInterrupt:
            raise click.Abort from None

    with pytest.raises(click.Abort) as raised, followed():
        ask()
    assert signal_behind(raised.value) == signal.SIGTERM


def test_signals_with_another_handler_are_left_alone() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with followed():
            send(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_fork_dies_of_the_signal() -> None:
    with followed():
        child = os.fork()
        if child == 0:
            send(signal.SIGTERM)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM


def _fail_after_a_signal() -> None:
    with contextlib.suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)
    raise ImportError("it failed to import")


def test_an_error_of_c_in_place_of_the_signal_ends_by_the_signal() -> None:
    with pytest.raises(EndedBySignalError) as raised, followed():
        _fail_after_a_signal()
    assert raised.value.number == signal.SIGTERM
