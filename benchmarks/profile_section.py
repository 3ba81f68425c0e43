"""The part of docs/performance.md about where the time of the main works goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.ratios import Measured

TEXT = """\
For each kind of work the five functions that take the most processor time themselves. The profiler makes calls of
Python functions look slower than they are; the numbers of calls are exact. The last column says what the work cannot
do without."""
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
        "| work | calls | most of it | by rooms | bound by |",
        "|---|---|---|---|---|",
    ]
    lines += [_row(one) for one in found.results["profiles"]]
    return "\n".join([*lines, ""])


def _row(one: Mapping[str, Any]) -> str:
    most = "<br>".join(f"{each['share']:.0%} {_code(each['place'])} ({each['calls']:,})" for each in one["functions"])
    rooms = "<br>".join(f"{share:.0%} {room}" for room, share in one["rooms"].items())
    limit = next((text for work, text in LIMITS.items() if one["work"].startswith((f"{work} (", f"{work},"))), "")
    return f"| {one['work']} | {one['calls']:,} | {most} | {rooms} | {limit} |"


def _code(place: str) -> str:
    return "`" + place.replace("|", "\\|") + "`"
