"""Draw the results of audits and replays as figures in docs/images.

    python -m benchmarks.plot_audit

audit_memory.svg    from audit.json: the driver's memory and the time against the number of tables
spark_replay.svg    from spark_replay.json: time and memory of the replay here and on Spark against the size of the log
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.line_figure import figure, page

HERE = Path(__file__).parent
RESULTS, IMAGES = HERE / "results", HERE.parent / "docs" / "images"


def main() -> None:
    """Draw a figure for each of the results that exist."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, source, draw in (
        ("audit_memory.svg", RESULTS / "audit.json", audit_memory),
        ("spark_replay.svg", RESULTS / "spark_replay.json", spark_replay),
    ):
        if source.exists():
            (IMAGES / name).write_text(draw(json.loads(source.read_text())))
            print(IMAGES / name)


def audit_memory(results: dict[str, Any]) -> str:
    """Memory of the driver by tables, and the time beside it."""
    sides = {"two processes": results["audit"]} | ({"Spark": results["spark"]} if results.get("spark") else {})
    memory = {name: [(row["tables"], row["peak_mb"]) for row in rows] for name, rows in sides.items()}
    if results.get("spark"):
        memory["Spark's JVM"] = [(row["tables"], row["jvm_mb"]) for row in results["spark"]]
    time = {name: [(row["tables"], row["wall_s"]) for row in rows] for name, rows in sides.items()}
    left = figure("Memory of the driver", "tables audited", "MB", memory, logarithmic=False)
    return page([left, figure("Time of an audit", "tables audited", "seconds", time, logarithmic=False, left=480)])


def spark_replay(results: dict[str, Any]) -> str:
    """Time and memory of both replays by actions."""

    def lines(measure: str) -> dict[str, list[tuple[float, float]]]:
        names = {"local": "one process", "spark": "Spark"}
        return {name: [(row["actions"], row[side][measure]) for row in results["rows"]] for side, name in names.items()}

    left = figure("Time of a replay", "file actions in the log", "seconds", lines("wall_s"), logarithmic=True)
    right = figure(
        "Memory of all its processes", "file actions in the log", "MB", lines("peak_mb"), logarithmic=True, left=480
    )
    return page([left, right])


if __name__ == "__main__":
    main()
