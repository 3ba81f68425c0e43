"""The part of docs/performance.md about the profiles of the main kinds of work."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.flame_tree import flame
from benchmarks.ratios import Measured

TEXT = """\
For each kind of work the five functions that take the most processor time themselves. The profiler makes calls of
Python functions look slower than they are; the numbers of calls are exact. The last columns name what it cannot do
without, and how far it is from the least that any implementation needs: processor time of both, or time by the clock
where a disk is waited for. Below are flame graphs of the same works: a caller lies below what it calls, and the width
is the share of processor time, sampled every millisecond of it; point at a box for its name."""
LIMITS = {
    "`explain PATH`": "making classes and loading modules: nothing of it is the table",
    "the protocol": "one listing and one read of each commit that is left",
    "all files of a table": "decoding JSON and Parquet in C",
    "files that a condition leaves": "the same, and decoding statistics",
    "one partition's files": "judging each different value once",
    "the newest ten of the history": "the listing, which the system makes whole",
    "a commit through an open table": "two syncs, of file and folder: waiting for the disk, which counts no processor",
    "resolving from JSON": "decoding JSON, a quarter of it; the rest decides which rules fire",
    "a plan": "resolving each state that is looked at",
    "the impact of a change on a lake": "verdicts for each different demand",
    "an audit": "reading a log and the advice for each table",
}


def profile_section(found: Measured | None) -> str:
    """A table of functions for each work; empty where nothing was profiled."""
    if found is None:
        return ""
    lines = [
        "## Where the time goes\n",
        TEXT,
        "",
        "| work | calls | most of it | by rooms | bound by | how far from it |",
        "|---|---|---|---|---|---|",
    ]
    profiles = found.results["profiles"]
    lines += [_row(one) for one in profiles]
    graphs = [f"![{one['work']}](images/performance_flame_{place}.svg)\n" for place, one in _flames(profiles)]
    return "\n".join([*lines, "", *graphs])


def flame_figures(found: Measured | None) -> Mapping[str, str]:
    """The flame graphs by name; results from before flame graphs were recorded have none."""
    profiles = [] if found is None else found.results["profiles"]
    return {f"flame_{place}.svg": flame(one["work"], json.loads(one["flame"])) for place, one in _flames(profiles)}


def _flames(profiles: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    yield from ((place, one) for place, one in enumerate(profiles, start=1) if "flame" in one)


def _row(one: Mapping[str, Any]) -> str:
    most = "<br>".join(f"{each['share']:.0%} {_code(each['place'])} ({each['calls']:,})" for each in one["functions"])
    rooms = "<br>".join(f"{share:.0%} {room}" for room, share in one["rooms"].items())
    limit = next((text for work, text in LIMITS.items() if one["work"].startswith((f"{work} (", f"{work},"))), "")
    return f"| {one['work']} | {one['calls']:,} | {most} | {rooms} | {limit} | {_distance(one)} |"


def _distance(one: Mapping[str, Any]) -> str:
    """The work's time compared with that of its floor, in words."""
    took = one.get("cpu_ms", one.get("clock_ms"))
    floor = one.get("floor")
    if took is None:
        return ""
    if floor is None:
        return f"{took:,.3g} ms; it reads nothing, all of it is thinking"
    times = took / floor["ms"] if floor["ms"] else 0.0
    return f"{took:,.3g} ms, {times:.1f} times the {floor['ms']:,.3g} ms of {floor['says']}"


def _code(place: str) -> str:
    return "`" + place.replace("|", "\\|") + "`"
