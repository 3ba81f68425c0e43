"""Let sides take turns in one Spark session, and measure the turns."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.results_folder import RESULTS

__all__ = ["PLAIN", "RESULTS", "Times", "Turn", "processor_seconds", "report", "summary", "take_turns"]

PLAIN = "plain Parquet"
_TICKS = os.sysconf("SC_CLK_TCK")

Turn = Callable[[str], object]
"""One turn of the side with this name."""
Times = dict[str, list[tuple[float, float]]]
"""Wall seconds and processor seconds of every counted turn of each side."""


def take_turns(sides: list[str], turn: Turn, repeat: int, warm: int) -> Times:
    """The sides one after another, `repeat` times, after `warm` rounds that are not counted."""
    times: Times = {name: [] for name in sides}
    for round_ in range(warm + repeat):
        for name in sides:
            start, worked = time.perf_counter(), processor_seconds()
            turn(name)
            taken = time.perf_counter() - start, processor_seconds() - worked
            if round_ >= warm:
                times[name].append(taken)
    return times


def processor_seconds() -> float:
    """Processor seconds of this process and all its descendants (the JVM, the Python workers) so far."""
    parents: dict[int, int] = {}
    worked: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(stat.parent.name)
        parents[number] = int(fields[1])
        worked[number] = sum(map(int, fields[11:15]))  # with children that have ended
    mine = os.getpid()

    def is_below(number: int) -> bool:
        while number > 1 and number != mine:
            number = parents.get(number, 0)
        return number == mine

    return sum(ticks for number, ticks in worked.items() if is_below(number)) / _TICKS


def summary(times: Times) -> dict[str, dict[str, float]]:
    """Best and median in milliseconds, the least processor time, and the ratio of the best to plain Parquet's."""
    best = {name: min(clock for clock, _ in taken) for name, taken in times.items()}
    return {
        name: {
            "best_ms": round(best[name] * 1000, 1),
            "median_ms": round(statistics.median(clock for clock, _ in taken) * 1000, 1),
            "cpu_ms": round(min(worked for _, worked in taken) * 1000),
            **({"against_parquet": round(best[name] / best[PLAIN], 2)} if PLAIN in best else {}),
        }
        for name, taken in times.items()
    }


def report(
    results: Mapping[str, Times], load_before: float, target: Path | None, more: Mapping[str, Any] | None = None
) -> None:
    """Print every table, and write the results together with `more` to `target`, if there is one."""
    found: dict[str, Any] = {name: summary(times) for name, times in results.items()}
    loads = {"load_before": round(load_before, 1), "load_after": round(os.getloadavg()[0], 1)}
    machine = {"cores": os.cpu_count(), **loads}
    for name, sides in found.items():
        print(name)
        for side, each in sides.items():
            print(f"  {side:28}", json.dumps(each))
    print(machine)
    if target is not None:
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps({"machine": machine, "results": found, **(more or {})}, indent=1) + "\n")
