"""A process in a client's environment that carries out acts, each with a time limit."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import attrs

INSIDE = Path(__file__).with_name("inside")
START_SECONDS = 900
"""The time limit for the first answer: a client that starts a JVM has to fetch its JARs."""
_TOLD_BY_A_JVM = ("Exception in thread ", "Error: ")


@attrs.frozen
class Answer:
    """The answer to a request. `crashed` is set where the process ended or did not answer in time."""

    ok: bool
    error: str = ""
    crashed: bool = False
    versions: Any = None


def command_for(python: Path, module: str, engine: str) -> list[str]:
    """The command of a client's process."""
    return [str(python), str(INSIDE / "run.py"), module, engine]


class Child:
    """The process; it is started at the first request, and again after a crash."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self._command = list(command)
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str] = queue.Queue()
        self._told = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._told.close()

    def start(self) -> Answer:
        """Start it; the answer has the versions of the installed packages, or the reason why it cannot start."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        self._answers = queue.Queue()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._told,
            text=True,
            env=environment,
        )
        threading.Thread(target=_listen, args=(self._process, self._answers), daemon=True).start()
        return self._answer(START_SECONDS)

    def ask(self, act: str, table: Path, file: Path) -> Answer:
        """Have one act carried out on a table."""
        if self._process is None:
            started = self.start()
            if not started.ok:
                return started
        assert self._process is not None
        assert self._process.stdin is not None
        request = json.dumps({"act": act, "table": str(table), "file": str(file)})
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
        except OSError:
            self._end()
            return Answer(False, "the client's process has ended", crashed=True)
        return self._answer(self._seconds)

    def _answer(self, seconds: float) -> Answer:
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            self._end()
            return Answer(False, f"no answer within {seconds:g} seconds", crashed=True)
        if not line:
            self._end()
            return Answer(False, self._last_words(), crashed=True)
        value = json.loads(line)
        return Answer(value["ok"], value.get("error", ""), versions=value.get("version"))

    def _last_words(self) -> str:
        self._told.seek(0)
        lines = [line.strip() for line in self._told.read()[-20_000:].splitlines() if line.strip()]
        if not lines:
            return "the process ended without a message"
        # The error that ended a JVM is printed above the Python error that follows from it.
        of_jvm = [line for line in lines if line.startswith(_TOLD_BY_A_JVM)]
        return f"{lines[-1][:500]} {' '.join(of_jvm[-1:])[:500]}".strip()

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process = None


def _listen(process: subprocess.Popen[str], answers: queue.Queue[str]) -> None:
    assert process.stdout is not None
    try:
        for line in process.stdout:
            answers.put(line)
    except ValueError:
        pass  # closed from the other thread
    answers.put("")
