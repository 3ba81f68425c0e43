"""A signal at every Nth call of a function: `python -m tests.interrupted_anywhere --every 50 explain TABLE`.

Python throws away what is raised in finalizers and in callbacks of weak references, of which its import runs one for
each module. So a command is forked at each such call, before its modules are loaded, and the fork is sent the signal
there: it must end by it. Prints as JSON how many forks there were, and where the signal was lost.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import attrs

_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
_PATIENCE = 20


def handles(number: signal.Signals) -> bool:
    """Whether the command has set up what it does about the signal.

    Before it has, and after its work is done and said, the system or Python ends the process as it ends any other.
    """
    return signal.getsignal(number) not in (signal.SIG_DFL, signal.default_int_handler)


@attrs.define
class Injection:
    """Forks at each `every`th call; a fork runs on with the signal sent to it, and must end with its code."""

    every: int
    number: signal.Signals
    seconds: float
    first: int = 0
    is_fork: bool = False
    calls: int = 0
    forks: int = 0
    wrong: list[str] = attrs.Factory(list)

    def trace(self, frame: FrameType, event: str, _: object) -> None:
        """What Python calls at each call of a function."""
        if event != "call" or self.is_fork:
            return
        self.calls += 1
        if (self.calls + self.first) % self.every or time.monotonic() > self.seconds or not handles(self.number):
            return
        self.forks += 1
        child = os.fork()
        if child == 0:
            self._interrupt()
            return
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != _CODES[self.number]:
            self.wrong.append(f"{code} at {frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}")

    def _interrupt(self) -> None:
        self.is_fork = True
        sys.settrace(None)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, _PATIENCE)
        handler = getattr(signal.getsignal(self.number), "__self__", None)
        if handler is not None:
            handler._process = os.getpid()  # the fork plays the command itself
        os.kill(os.getpid(), self.number)

    @contextlib.contextmanager
    def tracing(self) -> Iterator[None]:
        """Calls inside are counted."""
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(None)


def _in_fork(injection: Injection, act: Callable[[], int]) -> None:
    """Do it; a fork ends here, with what the command would end with."""
    code = 99
    try:
        with injection.tracing():
            code = act()
    finally:
        if injection.is_fork:
            os._exit(code)


def main() -> int:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="so many calls earlier")
    parser.add_argument("--signal", choices=("SIGINT", "SIGTERM"), default="SIGINT")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    injection = Injection(asked.every, signal.Signals[asked.signal], time.monotonic() + asked.seconds, asked.first)
    from deltaresolver.cli.main import run

    told = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    _in_fork(injection, lambda: run(asked.command))
    found: dict[str, Any] = {"calls": injection.calls, "forks": injection.forks, "wrong": injection.wrong}
    os.write(told, json.dumps(found, indent=1).encode() + b"\n")
    return 1 if injection.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
