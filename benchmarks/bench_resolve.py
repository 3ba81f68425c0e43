"""Resolving protocols, compared with delta-spark in its own JVM, on recorded questions.

    python -m benchmarks.bench_resolve                      both sides, written to results/resolve.json
    python -m benchmarks.bench_resolve --no-peer            this library alone
    python -m benchmarks.bench_resolve --cases FILE         other questions than the default ones

Each question starts from JSON text in every round and ends with the answer as a value; between rounds nothing is kept
except the library's own caches. Times are of the best round, in wall time; for this library also in processor time,
which other programs on the machine affect less. This library is measured before and after delta-spark, and the better
of the two counts, like the best of delta-spark's rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs
import msgspec

from benchmarks.peer_resolve import measure_delta_spark
from benchmarks.results_folder import RESULTS
from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model import Metadata
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.testing.conformance.recorded_cases import recorded_cases
from deltaresolver.testing.conformance.resolver_answers import Ask, ask_for
from tests.peers.unavailable import PeerUnavailableError

ROOT = Path(__file__).resolve().parents[1]
TARGET = RESULTS / "resolve.json"
SHARED = ROOT.parent / "shared" / "conformance" / "resolver.jsonl.gz"
OWN = ROOT / "tests" / "recorded" / "resolver.jsonl.gz"

TIMES_FASTER = 10
WIDE_COLUMNS, WIDE_MILLISECONDS = 1_000, 1.0


@attrs.frozen
class Question:
    """One recorded question as JSON text, and the function that answers its kind."""

    label: str
    ask: Ask
    text: bytes


def main() -> None:
    """Measure, print a table, write the results."""
    arguments = _arguments()
    questions = read_questions(arguments.cases)
    ours = measure_own(questions, arguments.rounds)
    peer = None if arguments.no_peer else _measure_peer(arguments.cases, arguments.rounds)
    ours = min(ours, measure_own(questions, arguments.rounds), key=lambda one: one["us_per_case"])
    wide = {columns: measure_wide(columns) for columns in (10, 100, WIDE_COLUMNS, 10 * WIDE_COLUMNS)}
    _print_cases(ours, peer)
    _print_wide(wide)
    TARGET.parent.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "system": platform.system()}
    result = {"machine": machine, "deltaresolver": ours, "delta-spark": peer, "wide_schemas_ms": wide}
    TARGET.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=SHARED if SHARED.exists() else OWN)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--no-peer", action="store_true")
    return parser.parse_args()


def read_questions(path: Path) -> list[Question]:
    """The questions of a recorded file without their answers."""
    questions = []
    for case in recorded_cases(path):
        del case["expect"]
        label = f"{case['kind']}.{case['op']}" if "op" in case else case["kind"]
        questions.append(Question(label, ask_for(case), msgspec.json.encode(case)))
    return questions


# --- this library ---------------------------------------------------------------------------------


def measure_own(questions: Sequence[Question], rounds: int) -> dict[str, Any]:
    """Microseconds for a case over several rounds, in total and by kind; a first round warms up and does not count."""
    answer_all(questions)
    wall, cpu = zip(*(_timed(lambda: answer_all(questions)) for _ in range(rounds)), strict=True)
    each = 1e6 / len(questions)
    labels = dict.fromkeys(question.label for question in questions)
    return {
        "cases": len(questions),
        "us_per_case": min(wall) * each,
        "median_us_per_case": statistics.median(wall) * each,
        "cpu_us_per_case": min(cpu) * each,
        "by_kind": {label: _of_kind(label, questions, rounds) for label in labels},
    }


def _of_kind(label: str, questions: Sequence[Question], rounds: int) -> dict[str, Any]:
    chosen = [question for question in questions if question.label == label]
    wall, cpu = zip(*(_timed(lambda: answer_all(chosen)) for _ in range(rounds)), strict=True)
    each = 1e6 / len(chosen)
    return {"cases": len(chosen), "us_per_case": min(wall) * each, "cpu_us_per_case": min(cpu) * each}


def answer_all(questions: Iterable[Question]) -> None:
    """Answer every question once; an error is an answer too."""
    catalog, decode = delta_spark_catalog(), msgspec.json.decode
    for question in questions:
        try:
            question.ask(decode(question.text), catalog)
        except DeltaResolverError:
            continue


def _timed(run: Callable[[], None]) -> tuple[float, float]:
    """Wall time and the process's processor time, in seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


# --- wide schemas ---------------------------------------------------------------------------------


def measure_wide(columns: int) -> dict[str, float]:
    """Milliseconds to resolve a new table of `columns` columns from JSON text, with no features in it and with many."""
    plain = [_field(at, {}) for at in range(columns)]
    marked = [_field(at, {"delta.generationExpression": "c0"} if at % 10 == 0 else {}) for at in range(columns)]
    return {name: _wide_time(fields) for name, fields in (("plain", plain), ("with markers", marked))}


def _field(at: int, metadata: dict[str, str]) -> dict[str, Any]:
    data_type: Any = ("long", "string", "decimal(10,2)", "timestamp")[at % 4]
    if at % 20 == 0:
        data_type = {"type": "array", "elementType": data_type, "containsNull": True}
    return {"name": f"column_{at}", "type": data_type, "nullable": not metadata, "metadata": metadata}


def _wide_time(fields: list[dict[str, Any]]) -> float:
    schema = json.dumps({"type": "struct", "fields": fields}, separators=(",", ":"))
    text = msgspec.json.encode({"schemaString": schema, "configuration": {"delta.enableRowTracking": "true"}})
    catalog = delta_spark_catalog()
    seconds = [
        _timed(lambda: _consume(resolve_new_table(Metadata.from_json(msgspec.json.decode(text)), catalog)))[0]
        for _ in range(30)
    ]
    return min(seconds) * 1e3


def _consume(_: object) -> None:
    """Drop a result."""


# --- the peer, and printing -----------------------------------------------------------------------


def _measure_peer(path: Path, rounds: int) -> dict[str, Any] | None:
    try:
        return measure_delta_spark(path, rounds)
    except PeerUnavailableError as error:
        print(f"delta-spark is not measured: {error}")
        return None


def _print_cases(ours: dict[str, Any], peer: dict[str, Any] | None) -> None:
    print(f"{'us per case':<50}{'cases':>8}{'ours':>10}{'cpu':>10}{'delta-spark':>14}{'ratio':>8}")
    rows = [(label, of, (peer or {}).get("by_kind", {}).get(label)) for label, of in ours["by_kind"].items()]
    for label, own, other in [*rows, ("all", ours, peer)]:
        line = f"{label:<50}{own['cases']:>8,}{own['us_per_case']:>10.1f}{own['cpu_us_per_case']:>10.1f}"
        if other is not None:
            line += f"{other['us_per_case']:>14.1f}{other['us_per_case'] / own['us_per_case']:>7.1f}x"
        print(line)
    if peer is not None:
        ratio = peer["us_per_case"] / ours["us_per_case"]
        print(
            f"target {TIMES_FASTER}x as many per second: {'met' if ratio >= TIMES_FASTER else 'missed'}, {ratio:.1f}x"
        )


def _print_wide(wide: dict[int, dict[str, float]]) -> None:
    print(f"\n{'columns':>10}{'plain, ms':>14}{'with markers, ms':>18}")
    for columns, times in wide.items():
        print(f"{columns:>10,}{times['plain']:>14.2f}{times['with markers']:>18.2f}")
    worst = max(wide[WIDE_COLUMNS].values())
    verdict = "met" if worst <= WIDE_MILLISECONDS else "missed"
    print(f"target {WIDE_COLUMNS:,} columns within {WIDE_MILLISECONDS} ms: {verdict}, {worst:.2f} ms")


if __name__ == "__main__":
    main()
