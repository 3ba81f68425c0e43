"""Ctrl-C and SIGTERM end a command, also where Python loses the exception that they raise.

Python discards what is raised in a finalizer and in a callback of a weak reference, and its own import runs such a
callback after each module. So whoever has asked is not forgotten until the exception is being handled.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

AGAIN_AFTER = 0.1
"""Seconds after which an exception that was lost is raised again."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class InterruptedWorkError(Exception):
    """Ctrl-C during work whose text says what is kept and how to go on."""


class EndedBySignalError(KeyboardInterrupt):
    """Somebody asked this command to end, by the signal `number`."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def followed() -> Iterator[None]:
    """While inside, `EndedBySignalError` is raised for Ctrl-C and SIGTERM until it comes out.

    A signal that this process ignores, or that other code handles, is left alone.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    usual = (signal.default_int_handler, signal.SIG_DFL)
    before = {number: signal.getsignal(number) for number in (*_SIGNALS, signal.SIGALRM)}
    asking = _Asking()
    for number in _SIGNALS:
        if before[number] in usual:
            signal.signal(number, asking.begin)
    try:
        yield
        asking.ensure_nobody_asked()
    except Exception as error:
        # Code in C, such as the beginning of NumPy, makes an error of its own that knows nothing of the signal.
        if signal_behind(error) is None:
            asking.ensure_nobody_asked()
        raise
    finally:
        asking.end(before[signal.SIGALRM])
        for number in _SIGNALS:
            if signal.getsignal(number) == asking.begin:
                signal.signal(number, before[number])


def signal_behind(error: BaseException) -> int | None:
    """The signal that the error came of, through whatever others it was made into on its way."""
    return next((one.number for one in _chain(error) if isinstance(one, EndedBySignalError)), None)


class _Asking:
    def __init__(self) -> None:
        self._process = os.getpid()
        self._number = 0

    def begin(self, number: int, _: FrameType | None) -> None:
        if os.getpid() != self._process:
            # A fork that somebody made to work: it has nothing to say and nothing to tidy.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        self._number = number
        signal.signal(signal.SIGALRM, self._again)
        signal.setitimer(signal.ITIMER_REAL, AGAIN_AFTER, AGAIN_AFTER)
        raise EndedBySignalError(number)

    def _again(self, _: int, __: FrameType | None) -> None:
        if not any(isinstance(one, KeyboardInterrupt) for one in _chain(sys.exc_info()[1])):
            raise EndedBySignalError(self._number)

    def ensure_nobody_asked(self) -> None:
        """Raise what was lost so late that the work came to its end before."""
        if self._number:
            raise EndedBySignalError(self._number)

    def end(self, before: signal.Handlers | object) -> None:
        if self._number:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)  # type: ignore[arg-type]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and those that it came of."""
    waiting, seen = [error], set[int]()
    while waiting:
        one = waiting.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [one.__cause__, one.__context__]
