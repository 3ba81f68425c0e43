"""SIGTERM in every command: `python -m tests.terminated_commands --places 20 --record FILE`.

A fork of a process that has loaded the library runs a command on a table of its own and is sent the signal at some call
of a function. It must end by it, lose nothing, leave no unfinished file, and do its work when it is run again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pickle
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import attrs

from tests.interrupted_anywhere import handles
from tests.security.faulty_commands import COMMANDS, EXPECTED, MOVES, TABLE, State, prepare, staging_files

CODES = {"SIGTERM": 143, "SIGINT": 130}
_PATIENCE = 60
"""Seconds of processor time of a command."""
Value = TypeVar("Value")


@attrs.define
class Calls:
    """Counts calls of functions, and sends this process a signal at one of them, or at the next inside the work."""

    place: int | None = None
    signal: str = "SIGTERM"
    count: int = 0
    sent: bool = False

    def trace(self, _: FrameType, event: str, __: object) -> None:
        """What Python calls at each call of a function."""
        if event != "call":
            return
        self.count += 1
        if self.place is not None and 0 < self.place <= self.count and handles(signal.Signals[self.signal]):
            sys.settrace(None)
            self.sent = True
            os.kill(os.getpid(), signal.Signals[self.signal])


def in_fork(act: Callable[[], Value]) -> Value:
    """What it gives, done in a fork: Arrow, once it was used, survives none."""
    with tempfile.TemporaryFile() as told:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                pickle.dump(act(), told)
                told.flush()
                code = 0
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 0:
            raise RuntimeError(f"a fork ended with {code}")
        told.seek(0)
        found: Value = pickle.load(told)
        return found


def _command(name: str, folder: Path, calls: Calls) -> int:
    """The exit code of a command in a folder, and what it prints in the file `told` there."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.chdir(folder)
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, _PATIENCE)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            told = os.open(folder / "told", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
            os.dup2(told, 1)
            os.dup2(told, 2)
            from deltaresolver.cli.main import run

            sys.settrace(calls.trace)
            code = run(list(COMMANDS[name]))
            sys.settrace(None)
            if not calls.sent:
                (folder / "calls").write_text(str(calls.count))
            sys.stdout.flush()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def calls_of(name: str, template: Path, folder: Path) -> int:
    """How many calls of functions a command takes."""
    work = _copied(template, folder)
    _command(name, work, Calls())
    return int((work / "calls").read_text())


def wrong_with(name: str, template: Path, folder: Path, calls: Calls) -> str | None:
    """What a command does wrong that gets the signal; None where it does right."""
    work = _copied(template, folder)
    before = in_fork(lambda: State.of(work / TABLE))
    code = _command(name, work, calls)
    if (work / "calls").exists() and code == EXPECTED.get(name, 0):
        return None  # the place was behind the end of the work, so that nothing was sent
    if code != CODES[calls.signal]:
        return f"it ended with {code}: {(work / 'told').read_text(errors='replace')[-300:]}"
    after = in_fork(lambda: State.of(work / TABLE))
    if lost := before.lost_in(after):
        return f"lost: {lost}"
    if left := staging_files(work):
        return f"left: {left}"
    is_done = after.version > before.version if name in MOVES else name == "new-feature" and _has(work / "out/own")
    again = _command(name, work, Calls(place=-1))
    if not is_done and again != EXPECTED.get(name, 0):
        return f"again it ended with {again}: {(work / 'told').read_text(errors='replace')[-300:]}"
    last = in_fork(lambda: State.of(work / TABLE))
    if lost := after.lost_in(last):
        return f"lost when it was run again: {lost}"
    if name in MOVES and last.version == before.version:
        return "it did nothing when it was run again"
    return None


def _has(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _copied(template: Path, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder)
    return folder


def made_template(folder: Path) -> Path:
    """The folder in which commands run, made in a fork."""
    folder.mkdir(parents=True)
    in_fork(lambda: prepare(folder))
    return folder


def main() -> int:
    """Print what was found, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--places", type=int, default=20, help="of each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--signal", choices=CODES, default="SIGTERM")
    parser.add_argument("--record", type=Path)
    parser.add_argument("commands", nargs="*", help="those to try; all of them")
    asked = parser.parse_args()
    import deltaresolver.cli.main  # noqa: F401 - forks have loaded it

    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        template = made_template(Path(scratch, "template"))
        for name in asked.commands or COMMANDS:
            began, rng = time.monotonic(), random.Random(f"{asked.seed} {name}")
            count = calls_of(name, template, Path(scratch, "work"))
            places = sorted(rng.randint(1, count) for _ in range(asked.places))
            wrong = {
                place: told
                for place in places
                if (told := wrong_with(name, template, Path(scratch, "work"), Calls(place, asked.signal))) is not None
            }
            found.append({
                "command": name, "signal": asked.signal, "seed": asked.seed, "calls": count, "places": len(places),
                "wrong": wrong, "seconds": round(time.monotonic() - began, 1),
            })  # fmt: skip
            print(json.dumps(found[-1]), flush=True)
            if asked.record is not None:
                with contextlib.suppress(OSError), asked.record.open("a", encoding="utf-8") as record:
                    record.write(json.dumps(found[-1]) + "\n")
    return 1 if any(one["wrong"] for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
