"""Measure how work grows: count calls of functions at several sizes, and compute the slope between them.

    python -m benchmarks.growth           written to results/growth.json
    python -m benchmarks.growth --quick   without the largest sizes

The number of calls does not depend on other load on the machine. Processor time is shown too, the best of three. A call
into Arrow, Spark or a parser counts as one, whatever it does inside; its growth shows in the time.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.growth_axes import AXES, Axis, Work
from benchmarks.machine import machine
from benchmarks.results_folder import RESULTS

ROUNDS = 3


def main() -> None:
    """Count, print, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out the largest sizes")
    parser.add_argument("--only", nargs="+", help="the axes whose names contain one of these words")
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    found = []
    for axis in AXES:
        if arguments.only and not any(word in axis.name for word in arguments.only):
            continue
        rows = [measured(axis, size) for size in axis.sizes[: -1 if arguments.quick else None]]
        found.append({"axis": axis.grows_with, "work": axis.work, "most": axis.most, "rows": rows})
        last = exponent(rows[-2]["calls"], rows[-1]["calls"], rows[-1]["size"] / rows[-2]["size"])
        print(f"{axis.name:60} last slope of calls {last:5.2f} ", json.dumps(rows), flush=True)
    if arguments.write:
        RESULTS.mkdir(exist_ok=True)
        content = json.dumps({"machine": machine(), "axes": found}, indent=1)
        (RESULTS / "growth.json").write_text(content + "\n", encoding="utf-8")


def measured(axis: Axis, size: int) -> dict[str, Any]:
    """One row of the results."""
    calls = counted(axis, size)
    return {"size": size, "calls": calls, "cpu_ms": round(1000 * min(_seconds(axis, size) for _ in range(ROUNDS)), 2)}


def counted(axis: Axis, size: int, *, is_first: bool = True) -> int:
    """The number of calls that the work makes once its modules are imported and caches are filled."""
    folder = Path(tempfile.mkdtemp(prefix="growth-"))
    try:
        if is_first:
            axis.make(axis.sizes[0], folder / "first")()
        return calls_of(axis.make(size, folder / "counted"))
    finally:
        shutil.rmtree(folder)


def exponent(before: float, after: float, times: float) -> float:
    """The exponent of growth from `before` to `after` while the size grew by the factor `times`."""
    return math.log(after / before, times)


def calls_of(work: Work) -> int:
    """The number of calls of Python and C functions in a work."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    # When the garbage collector runs depends on everything before, so it is off until the work is done.
    gc.disable()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return calls


def _seconds(axis: Axis, size: int) -> float:
    folder = Path(tempfile.mkdtemp(prefix="growth-"))
    try:
        work = axis.make(size, folder)
        started = time.process_time()
        work()
        return time.process_time() - started
    finally:
        shutil.rmtree(folder)


def slopes(axis: Axis, sizes: Sequence[int]) -> list[float]:
    """The slope of the calls from each size to the next."""
    counts = [counted(axis, size, is_first=size == sizes[0]) for size in sizes]
    pairs = zip(zip(sizes, counts, strict=True), zip(sizes[1:], counts[1:], strict=True), strict=False)
    return [exponent(few, many, large / small) for (small, few), (large, many) in pairs]


if __name__ == "__main__":
    main()
