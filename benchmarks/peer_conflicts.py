"""Time a commit of delta-spark after many winners, warm, in its own JVM."""

import json
import tempfile
from pathlib import Path

from benchmarks.scala_run import run_scala

MEASURE = Path(__file__).with_name("jvm_conflicts.scala")


def measure_conflicts(
    base: Path, winners: Path, rounds: int, folder: str | None, warm_up: int
) -> dict[str, list[float]]:
    """Milliseconds of each commit: `alone_ms` without winners, `beaten_ms` after the winners.

    `base` and `winners` are folders of log files. Raises PeerUnavailableError where delta-spark cannot run,
    RuntimeError when its JVM fails.
    """
    with tempfile.TemporaryDirectory(prefix="measure-", dir=folder) as scratch:
        summary = Path(scratch, "summary.json")
        run_scala("MeasureConflicts", (MEASURE,), base, winners, scratch, warm_up, rounds, summary)
        measured: dict[str, list[float]] = json.loads(summary.read_text(encoding="utf-8"))
    return measured
