"""Profile the ten main kinds of work: the functions with the most time of their own, and the time by source folder.

    python -m benchmarks.bench_profile            written to results/profile.json, drawn in docs/performance.md

Shares are processor time under the profiler, which makes calls of Python slower than they are; numbers of calls are
exact. The first run of each work is not counted, to leave out imports and filling caches; `explain PATH` from cold is
the exception, since it consists of these. A second run is sampled for flame graphs, and a third is timed together with
its floor: the least that any implementation must do.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.bench_resolve import OWN, SHARED, answer_all, read_questions
from benchmarks.flame_tree import as_text, tree
from benchmarks.floors import FLOORS, milliseconds, of_a_process
from benchmarks.growth_axes import AXES, Axis, Work
from benchmarks.lake import LogShape, write_log
from benchmarks.machine import ROOT, machine
from benchmarks.results_folder import RESULTS
from benchmarks.stack_sampler import Stack, sampled

SIZES = {
    "commits": 400,
    "files": 100_000,
    "filtered files": 100_000,
    "partitions": 10_000,
    "history": 400,
    "commits below": 404,
    "plan columns": 400,
    "impact tables": 50,
    "tables": 40,
}
"""The works of `growth_axes` that are profiled, and how large they are made."""
COLD = """
import cProfile, sys, time
out, table = sys.argv[1:]
profile, sys.argv = cProfile.Profile(time.process_time), ["deltaresolver", "explain", table]
profile.enable()
try:
    from deltaresolver.cli.main import main
    main()
finally:
    profile.disable()
    profile.dump_stats(out)
"""
SAMPLED = """
import json, sys
from benchmarks.stack_sampler import sampled
out, table = sys.argv[1:]
sys.argv = ["deltaresolver", "explain", table]
def work():
    from deltaresolver.cli.main import main
    try:
        main()
    except SystemExit:
        pass
found = sampled([work])
with open(out, "w") as file:
    json.dump([[list(stack), seconds] for stack, seconds in found.items()], file)
"""
SHOWN = 5
REPEATS = 2
SAMPLED_MS, MOST_SAMPLED = 800, 100
"""A short work is repeated until there are some hundred samples."""
ONCE_ONLY = frozenset({"plan columns", "impact tables", "tables"})
"""Works that end at once the second time, because a process caches their results."""
Row = tuple[int, float, str]
"""Calls, seconds of its own, and the place of a function."""


def main() -> None:
    """Profile, print, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[*SIZES], default=[*SIZES])
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    chosen = [axis for axis in AXES if axis.grows_with in arguments.only]
    found = []
    for one in (_cold, _resolving, *(partial(_warm, axis, SIZES[axis.grows_with]) for axis in chosen)):
        found.append(one())
        print(json.dumps(found[-1]), flush=True)
    if arguments.write:
        RESULTS.mkdir(exist_ok=True)
        content = json.dumps({"machine": machine(), "profiles": found}, indent=1)
        (RESULTS / "profile.json").write_text(content + "\n", encoding="utf-8")


def _resolving() -> dict[str, Any]:
    """Every recorded question, from JSON text."""
    questions = read_questions(SHARED if SHARED.exists() else OWN)
    answer_all(questions)
    profile = cProfile.Profile(time.process_time)
    profile.runcall(answer_all, questions)
    found = {"work": f"resolving from JSON ({len(questions):,} questions)", **_summary(pstats.Stats(profile), 1)}
    flame = as_text(tree(sampled([lambda: answer_all(questions)]), _place_of))
    return {**found, "cpu_ms": milliseconds(lambda: answer_all(questions), waits=False), "flame": flame}


def _warm(axis: Axis, size: int) -> dict[str, Any]:
    profile = cProfile.Profile(time.process_time)
    with tempfile.TemporaryDirectory(prefix="profile-") as folder:
        axis.make(size, Path(folder) / "first")()
        for turn in range(REPEATS):
            run = axis.make(size, Path(folder) / str(turn))
            profile.enable()
            run()
            profile.disable()
        found = {"work": f"{axis.work} ({size:,} {axis.grows_with})", **_summary(pstats.Stats(profile), REPEATS)}
        timed = _timed(axis, size, Path(folder))
        took = timed.get("cpu_ms", timed.get("clock_ms"))
        return {**found, **timed, "flame": _flame(axis, size, Path(folder), took)}


def _timed(axis: Axis, size: int, folder: Path) -> dict[str, Any]:
    """The least time of the work and of its floor."""
    floor = FLOORS.get(axis.grows_with)
    waits = floor is not None and floor.waits
    works = [axis.make(size, folder / f"timed-{turn}") for turn in range(REPEATS)]
    took = min(_once(work, waits=waits) for work in works)
    told: dict[str, Any] = {"clock_ms" if waits else "cpu_ms": took}
    if floor is not None:
        least = milliseconds(lambda: floor.do(folder / "timed-0"), waits=waits)
        told["floor"] = {"says": floor.says, "ms": least}
    return told


def _once(work: Work, *, waits: bool) -> float:
    clock = time.perf_counter if waits else time.process_time
    began = clock()
    work()
    return round(1000 * (clock() - began), 3)


def _flame(axis: Axis, size: int, folder: Path, took_ms: float) -> str:
    turns = min(MOST_SAMPLED, 1 + int(SAMPLED_MS / took_ms))
    if axis.grows_with in ONCE_ONLY:
        works = [axis.make(size, folder / f"sampled-{turn}") for turn in range(turns)]
    else:
        works = [axis.make(size, folder / "sampled")] * turns
    return as_text(tree(sampled(works), _place_of))


def _place_of(file: str, name: str) -> str:
    """As `_place`, but everything that Python does to import a module is one place."""
    return "import" if file.startswith("<frozen importlib") else _place(file, 0, name)


def _cold() -> dict[str, Any]:
    """Profile `explain PATH` in a process of its own, with bytecode compiled before."""
    with tempfile.TemporaryDirectory(prefix="profile-") as folder:
        table, out = str(write_log(Path(folder) / "t", LogShape(10, 4))), str(Path(folder) / "out")
        start = [sys.executable, "-X", f"pycache_prefix={folder}/bytecode"]
        command = ["-c", COLD, out, table]
        environment = {"PATH": "", "PYTHONPATH": ":".join(sys.path)}
        for _ in range(2):
            subprocess.run([*start, *command], env=environment, stdout=subprocess.DEVNULL, check=True)
        found = {"work": "`explain PATH`, from cold", **_summary(pstats.Stats(out), 1)}
        seconds: dict[Stack, float] = {}
        for _ in range(4):
            subprocess.run(
                [*start, "-c", SAMPLED, out, table], env=environment, stdout=subprocess.DEVNULL, check=True, cwd=ROOT
            )
            for stack, took in json.loads(Path(out).read_text(encoding="utf-8")):
                key = tuple((file, name) for file, name in stack)
                seconds[key] = seconds.get(key, 0.0) + took
        plain = "from deltaresolver.cli.main import main; main()"
        took = of_a_process(*start, "-c", plain, "explain", table, environment=environment)
        floor = {"says": "starting Python", "ms": of_a_process(sys.executable, "-c", "pass")}
        return {**found, "cpu_ms": took, "floor": floor, "flame": as_text(tree(seconds, _place_of))}


def _summary(stats: pstats.Stats, runs: int) -> dict[str, Any]:
    table: Mapping[tuple[str, int, str], tuple[int, int, float, float, Any]] = stats.stats  # type: ignore[attr-defined]
    rows: list[Row] = [(of[1] // runs, of[2], _place(*place)) for place, of in table.items()]
    whole = sum(seconds for _, seconds, _ in rows) or 1.0
    rooms: dict[str, float] = {}
    for _, seconds, place in rows:
        room = _room(place)
        rooms[room] = rooms.get(room, 0.0) + seconds
    return {
        "calls": sum(calls for calls, _, _ in rows),
        "functions": [
            {"place": place, "calls": calls, "share": round(seconds / whole, 3)} for calls, seconds, place in _top(rows)
        ],
        "rooms": {
            room: round(seconds / whole, 3) for room, seconds in sorted(rooms.items(), key=lambda one: -one[1])[:SHOWN]
        },
    }


def _top(rows: Sequence[Row]) -> Sequence[Row]:
    return sorted((one for one in rows if "_lsprof.Profiler" not in one[2]), key=lambda one: -one[1])[:SHOWN]


def _place(file: str, _line: int, name: str) -> str:
    """The place `folder/module.py: function`, without the path of the installation."""
    if name == "<method 'acquire' of '_thread.lock' objects>":
        return "other threads, which read and decode"
    if file == "~":
        return name.strip("<>").removeprefix("built-in method ").removeprefix("method ")
    path = Path(file)
    parts = path.parts
    if "site-packages" in parts:
        return f"{'/'.join(parts[parts.index('site-packages') + 1 :])}: {name}"
    for root in (ROOT / "build" / "dev" / "deltaresolver", ROOT / "resolver", ROOT):
        if path.is_relative_to(root):
            return f"{path.relative_to(root)}: {name}"
    return f"{path.name}: {name}"


def _room(place: str) -> str:
    """The folder of the module of a place; code in C has none."""
    path, found, _ = place.partition(": ")
    if not found:
        return "C"
    return path.split("/", 1)[0] if "/" in path else "Python's own modules"


if __name__ == "__main__":
    main()
