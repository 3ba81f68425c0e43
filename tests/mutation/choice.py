"""Which fast tests to try on a change, the likeliest first: by the functions that each test was seen to call.

The map is made once, by `python -m tests.mutation --map FILE`, which runs the fast tests with `Recorder` as a plugin.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import attrs
import pytest

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
FIRST = 3.0
"""Seconds of tests that are tried before the others are even imported: they notice most changes."""
BESIDE = 30.0
"""Seconds of tests that are tried although they were not seen to call the changed function."""

LOOKS = 300_000
"""Calls that are looked at in one test. What a property calls later, it has called before."""


@attrs.frozen
class Seen:
    """What the fast tests were seen to call: the seconds of each test, and the tests that call each function."""

    seconds: Mapping[str, float]
    callers: Mapping[str, frozenset[str]]

    def near(self, file: str) -> frozenset[str]:
        """The tests that call any function of a file."""
        return frozenset().union(*(tests for call, tests in self.callers.items() if call.startswith(f"{file}:")))


def read_map(file: Path) -> Seen:
    """What was seen."""
    stored = json.loads(file.read_text(encoding="utf-8"))
    names = list(stored["tests"])
    callers = {call: frozenset(names[place] for place in places) for call, places in stored["calls"].items()}
    return Seen(stored["tests"], callers)


def choose_tests(
    tree: Path, file: str, function: str, seen: Seen, beside: float, calling: float = math.inf
) -> list[list[str]]:
    """Tests to try, in the order to try them: a few that are likely and quick, then the others.

    All tests that call the function are among them, or as many as take no more than `calling` seconds. Those of its
    room and those that only use its module follow, within `beside` seconds: what runs while modules are loaded, or
    once in a process, was seen by nobody, or by the test that came first.
    """
    module = "deltaresolver." + file.removeprefix("resolver/").removesuffix(".py").replace("/", ".")
    about = {name for name in {test.partition("::")[0] for test in seen.seconds} if _names(tree / name, module)}
    called = seen.callers.get(f"{file}:{function}", frozenset())
    near = seen.near(file)
    home = f"tests/unit/{file.removeprefix('resolver/').partition('/')[0]}/"
    ranked = sorted(
        (
            test not in called,
            test.partition("::")[0] not in about,
            not test.startswith(home),
            test not in near,
            seconds,
            test,
        )
        for test, seconds in seen.seconds.items()
    )
    certain = [(seconds, test) for is_other, *_, seconds, test in ranked if not is_other]
    others = [(seconds, test) for is_other, *_, seconds, test in ranked if is_other]
    return _in_two([*_within(certain, calling), *_within(others, beside)], seen.seconds)


def _names(file: Path, module: str) -> bool:
    return file.is_file() and module in file.read_text(encoding="utf-8")


def _within(tests: Iterable[tuple[float, str]], seconds: float) -> list[str]:
    """The first tests that take no more than these seconds together, without those that do not fit."""
    chosen, spent = [], 0.0
    for takes, test in tests:
        if spent + takes <= seconds:
            spent += takes
            chosen.append(test)
    return chosen


def _in_two(tests: Sequence[str], seconds: Mapping[str, float]) -> list[list[str]]:
    first = set(_within([(seconds[test], test) for test in tests], FIRST))
    parts = ([test for test in tests if test in first], [test for test in tests if test not in first])
    return [part for part in parts if part]


class Recorder:
    """A plugin of pytest that notes which functions of the rooms each test calls."""

    def __init__(self, root: Path, target: Path) -> None:
        self.target = target
        self.calls: dict[str, set[str]] = {}
        self.seconds: dict[str, float] = {}
        self.names: dict[str, str] = {}
        self.now: set[str] = set()
        self.shared: dict[str, set[str]] = {}
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
        self.looks -= 1
        if self.looks < 0:
            sys.settrace(None)

    def _place(self, name: str) -> str:
        real = os.path.realpath(name)
        for prefix, place in self.prefixes.items():
            if real.startswith(prefix + os.sep):
                return place + real.removeprefix(prefix)
        return ""

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        """What is made once for a file is made for each of its tests, not for the first alone."""
        if fixturedef.scope == "function":
            return (yield)
        outside, self.now = self.now, self.shared.setdefault(self.test.partition("::")[0], set())
        try:
            return (yield)
        finally:
            self.now = outside

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin to note for this test, all of whose parameters count as one."""
        self.test = nodeid.partition("[")[0]
        self.now = self.calls.setdefault(self.test, set())
        self.began = sum(os.times()[:4])
        self.looks = LOOKS
        sys.settrace(self._trace)

    def pytest_runtest_logfinish(self) -> None:
        """Note the time."""
        sys.settrace(None)
        self.seconds[self.test] = self.seconds.get(self.test, 0.0) + sum(os.times()[:4]) - self.began

    def pytest_sessionfinish(self) -> None:
        """Write the map: the seconds of each test, and for each function the places of the tests that call it."""
        rooms = tuple(f"{place}/" for room in ROOMS.values() for place in room)
        callers: dict[str, list[int]] = {}
        for place, name in enumerate(self.seconds):
            for call in self.calls[name] | self.shared.get(name.partition("::")[0], set()):
                if call.startswith(rooms):
                    callers.setdefault(call, []).append(place)
        seconds = {name: round(took, 3) for name, took in self.seconds.items()}
        self.target.write_text(json.dumps({"tests": seconds, "calls": callers}), encoding="utf-8")
