"""The comparisons in the results of every part: pairs of a figure of this library and one of its peer.

For every figure less is better (milliseconds, megabytes), so `of_peer` below 1 is faster or smaller than the peer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from benchmarks.results_folder import RESULTS

Results = Mapping[str, Any]
LOG_TASKS = {"a": "protocol and metadata", "b": "all paths", "c": "adds with statistics", "u": "update by one commit"}
PARQUET, SPARK, RS = "plain Parquet", "delta-spark", "delta-rs"


@attrs.frozen
class Ratio:
    """One work, done by this library and by a peer."""

    part: str
    work: str
    peer: str
    ours: float
    theirs: float
    unit: str = "ms"

    @property
    def of_peer(self) -> float:
        """The figure of this library divided by the peer's."""
        return self.ours / self.theirs if self.theirs else float("inf")

    @property
    def name(self) -> str:
        """A name that is equal for the same comparison in every run."""
        return f"{self.part}: {self.work} / {self.peer}"


@attrs.frozen
class Measured:
    """The results of one part, as recorded."""

    part: str
    results: Results

    @property
    def record(self) -> Results:
        """The circumstances; empty for older results, which have none."""
        found: Results = self.results.get("record", {})
        return found

    @property
    def is_idle(self) -> bool:
        """Whether no other program used the machine, as far as is known."""
        return not self.record.get("busy", True)

    def ratios(self) -> list[Ratio]:
        """Every comparison that the part makes."""
        reader = READERS.get(self.part)
        return [] if reader is None else list(reader(self))


def measured(part: str, folder: Path = RESULTS) -> Measured | None:
    """The results of a part from the whole or the quick run: on an idle machine first, then the later one; or None."""
    found = [
        Measured(part, json.loads(path.read_text(encoding="utf-8")))
        for path in (folder / f"{part}.json", folder / "quick" / f"{part}.json")
        if path.exists()
    ]
    return max(found, key=lambda one: (one.is_idle, str(one.record.get("started", ""))), default=None)


def _cold(found: Measured) -> Iterator[Ratio]:
    # Wall time from an idle machine; else processor time, which does not include waiting for a core.
    key = "median_ms" if found.is_idle else "cpu_ms"
    times = {name: one[key] for name, one in found.results["commands"].items()}
    pairs = {"protocol": "protocol, delta-rs", "180,000 files": "180,000 files, delta-rs"}
    for name, took in times.items():
        if name in pairs and pairs[name] in times:
            yield Ratio("cold", name, RS, took, times[pairs[name]])
        elif name not in pairs.values() and name not in {"git --version", "python -c pass", "import pyarrow"}:
            yield Ratio("cold", name, "import pyarrow", took, times["import pyarrow"])


def _resolve(found: Measured) -> Iterator[Ratio]:
    ours, theirs = found.results["deltaresolver"], found.results.get("delta-spark")
    if theirs:
        yield Ratio("resolve", "all questions", SPARK, ours["us_per_case"], theirs["us_per_case"], "us")


def _log(found: Measured) -> Iterator[Ratio]:
    for row in found.results["rows"]:
        work = f"{LOG_TASKS[row['task']]}, {row['shape']}, {row['variant']}"
        ours, theirs = row["deltaresolver"], row[RS]
        yield Ratio("log", work, RS, 1000 * ours["seconds"], 1000 * theirs["seconds"])
        yield Ratio("log", f"memory: {work}", RS, ours["peak_mb"], theirs["peak_mb"], "MB")


def _small(found: Measured) -> Iterator[Ratio]:
    ours, theirs = (1000 * found.results[side]["seconds"] for side in ("deltaresolver", RS))
    yield Ratio("small", "protocol of many small tables", RS, ours, theirs)


def _checkpoint(found: Measured) -> Iterator[Ratio]:
    for row in found.results["rows"]:
        ours, theirs = (1000 * row[side]["seconds"] for side in ("deltaresolver", RS))
        yield Ratio("checkpoint", f"statistics as {row['stats']}", RS, ours, theirs)


def _commit(found: Measured) -> Iterator[Ratio]:
    for row in found.results["rows"]:
        work = f"{row['task']}, {row['table']}{', in memory' if row['in_memory'] else ''}"
        ours, theirs = row["deltaresolver"], row[RS]
        if "commits_per_second" in ours:
            yield Ratio("commit", work, RS, 1000 / ours["commits_per_second"], 1000 / theirs["commits_per_second"])
            continue
        yield Ratio("commit", work, RS, ours["median_ms"], theirs["median_ms"])
        if SPARK in row:
            yield Ratio("commit", work, SPARK, ours["median_ms"], row[SPARK]["median_ms"])


def _turns(found: Measured) -> Iterator[Ratio]:
    """The comparisons of sides that took turns in a Spark session."""
    for work, sides in found.results["results"].items():
        for ours in ("deltaresolver", "deltaresolver, second door"):
            for theirs in (PARQUET, SPARK, "bare Arrow reader"):
                if ours in sides and theirs in sides:
                    door = work if ours == "deltaresolver" else f"{work}, data source"
                    figures = (sides[side]["best_ms"] for side in (ours, theirs))
                    yield Ratio(found.part, door, theirs, *figures)


def _audit(found: Measured) -> Iterator[Ratio]:
    each = found.results["wall_ms_per_table"]
    yield Ratio("audit", "a table", "a loop over delta-rs", each["audit"], each["loop"])


READERS: Mapping[str, Callable[[Measured], Iterator[Ratio]]] = {
    "cold": _cold,
    "resolve": _resolve,
    "log": _log,
    "small": _small,
    "checkpoint": _checkpoint,
    "commit": _commit,
    "spark_write": _turns,
    "spark_read": _turns,
    "spark_change": _turns,
    "maintenance": _turns,
    "spark_scale": _turns,
    "audit": _audit,
}
