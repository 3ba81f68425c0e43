"""The part of docs/performance.md about commands from cold."""

from __future__ import annotations

from benchmarks.bar_figure import GOOD, OTHER, Bar, bars
from benchmarks.ratios import Measured

BESIDE = ("git --version", "python -c pass", "import pyarrow", "protocol, delta-rs", "180,000 files, delta-rs")
NAMES = {
    "protocol": "the protocol of a small table, from Python",
    "protocol, delta-rs": "the protocol of a small table, delta-rs",
    "180,000 files": "all files of a log of 180,000, from Python",
    "180,000 files, delta-rs": "all files of a log of 180,000, delta-rs",
}

TEXT = """\
Each command in a process of its own; the clock starts before the process does, so imports count in full.
Bytecode is compiled beforehand, as pip compiles it, and the sides take turns. Milliseconds by the clock (the median and
the least of {runs} runs), and of the processor (the least), which does not wait for a core.
"""


def cold_section(found: Measured | None) -> str:
    """The table of commands; empty where none were measured."""
    if found is None:
        return ""
    commands = found.results["commands"]
    rows = [
        f"| {_name(name)} | {took['median_ms']} | {took['least_ms']} | {took['cpu_ms']} |"
        for name, took in commands.items()
    ]
    return "\n".join(
        [
            "## Cold\n",
            TEXT.format(runs=found.results["runs"]),
            "![Commands from cold](images/performance_cold.svg)\n",
            "| command | median | least | processor |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def cold_figure(found: Measured | None) -> str:
    """One bar for each small command."""
    if found is None:
        return ""
    key, what = (
        ("median_ms", "by the clock") if found.is_idle else ("cpu_ms", "of the processor, since others used it too")
    )
    rows = [
        Bar(NAMES.get(name, name), took[key], f"{took[key]} ms", OTHER if name in BESIDE else GOOD)
        for name, took in found.results["commands"].items()
        if not name.startswith("180,000")
    ]
    return bars(
        "Commands from cold", f"milliseconds {what}; in blue what they are measured beside", rows, around_one=False
    )


def _name(name: str) -> str:
    if name in NAMES:
        return NAMES[name]
    return f"`{name}`" if name in BESIDE else f"`deltaresolver {name}`"
