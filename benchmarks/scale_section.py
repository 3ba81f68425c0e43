"""The part of docs/performance.md about tables that are large in one way and about logs of many files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.ratios import SPARK, Measured

OURS = "deltaresolver"
SCALE = """\
Tables that are large in one way. Beside the time stands the most memory that the driver took: what Python held above
what it held before, and the heap of the JVM, which is driver and executors here, with what nobody needed any more."""
LARGE = """\
A log of {files:,} files behind one checkpoint, of which few are wanted or all are counted. What the driving process
held at most, and the heap of its JVM; executors are threads of that JVM here, with Python workers of their own."""


def scale_section(scale: Measured | None, large: Measured | None) -> str:
    """Two tables; empty where nothing was measured."""
    lines = [*_scale(scale), *_large(large)]
    return "\n".join(["## Large tables\n", *lines]) if lines else ""


def _scale(found: Measured | None) -> Iterator[str]:
    if found is None:
        return
    yield from [SCALE, "", "| work | ours | delta-spark | ours, memory | delta-spark, heap |", "|---|---|---|---|---|"]
    for work, sides in found.results["results"].items():
        memory = found.results["memory"][work]
        ours, theirs = sides[OURS], sides.get(SPARK)
        held = f"{_most(memory[OURS], 'above'):,} MB, heap {_most(memory[OURS], 'heap'):,} MB"
        beside = f"{theirs['best_ms']:,.0f} ms" if theirs else ""
        heap = f"{_most(memory[SPARK], 'heap'):,} MB" if theirs else ""
        yield f"| {work} | {ours['best_ms']:,.0f} ms | {beside} | {held} | {heap} |"
    yield ""


def _most(turns: list[Mapping[str, int]], key: str) -> int:
    return max(turn[key] for turn in turns)


def _large(found: Measured | None) -> Iterator[str]:
    if found is None:
        return
    yield from [LARGE.format(files=found.results["files"]), "", "| work | driver | heap | time |", "|---|---|---|---|"]
    for work, one in found.results["ways"].items():
        yield f"| {work} | {one['python']:,} MB | {_heap(one)} | {one['wall_s']:,.1f} s |"
    yield ""


def _heap(one: Mapping[str, Any]) -> str:
    return f"{one['heap']:,} MB" if "heap" in one else ""
