"""Runs cases in a process that may hang or die: a hang, an abort and too much memory are breaches too."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import attrs

from tests.fuzz.law import Breach

ROOT = Path(__file__).parents[2]
PATIENCE = 90.0
"""Seconds without a word from the process: whatever it does cannot be interrupted."""


@attrs.define
class Run:
    """Cases of a target from seed `first` on, for so many seconds or until the process dies."""

    target: str
    first: int
    seconds: float
    planted: str = ""
    next_seed: int = attrs.field(init=False, default=0)

    def __iter__(self) -> Iterator[tuple[int, Breach]]:
        self.next_seed = self.first
        command = [sys.executable, "-m", "tests.fuzz.child", self.target, str(self.first), str(self.seconds)]
        command += [self.planted] if self.planted else []
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
            is_done = False
            try:
                for line in _lines(child):
                    word, _, rest = line.partition(" ")
                    if word == "seed":
                        self.next_seed = int(rest) + 1
                    elif word == "breach":
                        seed, kind, told = json.loads(rest)
                        yield seed, Breach(kind, told)
                    is_done = is_done or word == "done"
            finally:
                child.kill()
            if not is_done:
                code = child.wait()
                kind = "hang" if code == -9 else f"process ended with {code}"
                yield self.next_seed - 1, Breach(kind, f"{kind} at seed {self.next_seed - 1} of {self.target}")


def _lines(child: subprocess.Popen[str]) -> Iterator[str]:
    """What the process prints, until it ends or is silent for too long."""
    waiting: queue.Queue[str | None] = queue.Queue()
    assert child.stdout is not None
    threading.Thread(target=_pass_on, args=(child.stdout, waiting), daemon=True).start()
    while True:
        try:
            line = waiting.get(timeout=PATIENCE)
        except queue.Empty:
            return
        if line is None:
            return
        yield line.rstrip("\n")


def _pass_on(stream: IO[str], waiting: queue.Queue[str | None]) -> None:
    with contextlib.suppress(ValueError):  # closed by who listened, who has heard enough
        for line in stream:
            waiting.put(line)
    waiting.put(None)
