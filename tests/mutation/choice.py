"""Which fast tests to try on a change, the likeliest first: by the functions that each file of tests was seen to call.

The map is made once, by `python -m tests.mutation --map FILE`, which runs the fast tests with `Recorder` as a plugin.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import attrs

ROOMS: Mapping[str, tuple[str, ...]] = {
    "resolution": ("resolver/resolution",),
    "expressions": ("resolver/expressions",),
    "conflicts": ("resolver/transaction/conflicts",),
    "features": ("features",),
}
"""The folders whose mutants are judged, by room."""
TESTS = (
    "tests/unit/resolution",
    "tests/unit/features",
    "tests/unit/transaction",
    "tests/unit/expressions",
    "tests/unit/model",
    "tests/unit/planning",
    "tests/unit/plugins",
    "tests/unit/log",
    "tests/unit/spark",
    "tests/unit/check",
    "tests/unit/cli",
    "tests/unit/testing",
    "tests/laws",
    "tests/oracle",
    "tests/acceptance",
    "tests/security",
    "tests/house",
)
ENOUGH = 30.0
"""Seconds of tests that are tried on a change, beyond the files that are about its module."""


@attrs.frozen
class Seen:
    """What a file of tests called, and how long it took."""

    seconds: float
    calls: frozenset[str]


def read_map(file: Path) -> dict[str, Seen]:
    """What was seen, by file of tests."""
    stored = json.loads(file.read_text(encoding="utf-8"))
    return {name: Seen(one["seconds"], frozenset(one["calls"])) for name, one in stored.items()}


def function_at(source: bytes, line: int) -> str:
    """The innermost function around a line, as code objects are named; that of the module where there is none."""
    found, size = "<module>", sys.maxsize
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            last = node.end_lineno or node.lineno
            if node.lineno <= line <= last and last - node.lineno < size:
                found, size = node.name, last - node.lineno
    return found


def tests_for(tree: Path, file: str, function: str, seen: Mapping[str, Seen]) -> list[str]:
    """Files of tests to try: those about the module first, then those that call the function.

    What runs while modules are loaded, or once in a process, was seen by nobody, or by the test that came first:
    then any may notice.
    """
    module = "deltaresolver." + file.removeprefix("resolver/").removesuffix(".py").replace("/", ".")
    call = f"{file}:{function}"
    is_called = {name: call in one.calls for name, one in seen.items()}
    is_seen = sum(is_called.values()) > 1
    found = []
    for name, one in seen.items():
        is_about = module in (tree / name).read_text(encoding="utf-8")
        is_near = is_about or any(made.startswith(f"{file}:") for made in one.calls)
        if is_called[name] or is_about or not is_seen:
            found.append((not is_about, not is_called[name], not is_near, one.seconds, name))
    return _within_budget([(is_other, seconds, name) for is_other, _, _, seconds, name in sorted(found)])


def _within_budget(found: Sequence[tuple[bool, float, str]]) -> list[str]:
    chosen, spent = [], 0.0
    for is_other, seconds, name in found:
        spent += seconds
        if not is_other or spent < ENOUGH:
            chosen.append(name)
    return chosen


def _function_of(frame: FrameType) -> str:
    """The name of the function that a frame belongs to: of a comprehension, that of the function around it."""
    file = frame.f_code.co_filename
    while frame.f_code.co_name.startswith("<") and frame.f_back is not None and frame.f_back.f_code.co_filename == file:
        frame = frame.f_back
    return frame.f_code.co_name


class Recorder:
    """A plugin of pytest that notes which functions of the rooms each file of tests calls."""

    def __init__(self, root: Path, target: Path) -> None:
        self.target = target
        self.calls: dict[str, set[str]] = {}
        self.seconds: dict[str, float] = {}
        self.names: dict[str, str] = {}
        self.now: set[str] = set()
        folders = {place: [root / place, root / "resolver" / place] for room in ROOMS.values() for place in room}
        folders["resolver"] = [root / "build" / "dev" / "deltaresolver"]
        self.prefixes = {
            str(path.resolve()): place for place, paths in folders.items() for path in paths if path.is_dir()
        }

    def _trace(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        file = self.names.get(code.co_filename)
        if file is None:
            file = self.names[code.co_filename] = self._place(code.co_filename)
        if file:
            name = code.co_name
            while (
                name.startswith("<")
                and frame.f_back is not None
                and frame.f_back.f_code.co_filename == code.co_filename
            ):
                frame = frame.f_back  # a comprehension belongs to the function around it
                name = frame.f_code.co_name
            self.now.add(f"{file}:{name}")

    def _place(self, name: str) -> str:
        real = os.path.realpath(name)
        for prefix, place in self.prefixes.items():
            if real.startswith(prefix + os.sep):
                return place + real.removeprefix(prefix)
        return ""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin to note for this file."""
        self.file = nodeid.partition("::")[0]
        self.now = self.calls.setdefault(self.file, set())
        self.began = sum(os.times()[:4])
        sys.settrace(self._trace)

    def pytest_runtest_logfinish(self) -> None:
        """Note the time."""
        sys.settrace(None)
        self.seconds[self.file] = self.seconds.get(self.file, 0.0) + sum(os.times()[:4]) - self.began

    def pytest_sessionfinish(self) -> None:
        """Write the map."""
        rooms = tuple(f"{place}/" for room in ROOMS.values() for place in room)
        kept = {
            name: {"seconds": round(self.seconds[name], 2), "calls": sorted(c for c in calls if c.startswith(rooms))}
            for name, calls in self.calls.items()
        }
        self.target.write_text(json.dumps(kept, indent=0), encoding="utf-8")
