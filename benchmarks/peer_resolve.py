"""Time delta-spark on recorded questions about protocols, warm, in its own JVM.

python -m benchmarks.peer_resolve CASES.jsonl.gz
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.scala_run import run_scala
from tests.peers.scala_program import RESOLVER_ANSWERS

MEASURE = Path(__file__).with_name("jvm_resolve.scala")
WARM_UP_ROUNDS = 3


def measure_delta_spark(path: str | Path, rounds: int = 5, warm_up: int = WARM_UP_ROUNDS) -> dict[str, Any]:
    """Times delta-spark on every case of a recorded file, each from its JSON text, in a JVM of its own.

    The result has cases, seconds and us_per_case of the best round, median_seconds and median_us_per_case,
    round_seconds, and by_kind with cases and us_per_case. Raises PeerUnavailableError where delta-spark cannot
    run, RuntimeError when its JVM fails.
    """
    with tempfile.TemporaryDirectory(prefix="measure-") as scratch:
        summary = Path(scratch, "summary.json")
        run_scala("MeasureResolver", (RESOLVER_ANSWERS, MEASURE), Path(path).resolve(), warm_up, rounds, summary)
        measured: dict[str, Any] = json.loads(summary.read_text(encoding="utf-8"))
    return measured


def main() -> None:
    """Prints the measurement as JSON."""
    parser = argparse.ArgumentParser(description="Measure delta-spark's protocol resolution on recorded cases.")
    parser.add_argument("cases", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    print(json.dumps(measure_delta_spark(chosen.cases, chosen.rounds), indent=2))


if __name__ == "__main__":
    main()
