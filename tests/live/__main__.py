"""Random cases, answered by delta-spark as they are made, and by this library.

    python -m tests.live resolver --seed 1 --cases 100000 --record runs.json
    python -m tests.live {resolver,conflicts,ddl,columns,transitions} --seed S --cases N [--keep FOLDER]
    python -m tests.live commits --seed S --cases N

One JVM with delta-spark answers all batches of cases, each while the one before it is compared. A batch has a seed of
its own, counted up from `--seed`, and is recorded when it is done, so that a run can be interrupted and started
again; batches with differences are then asked again. `--keep` leaves the cases of every batch in a folder, where
`deltaresolver conformance` shows single differences, and those that differed once more by themselves; `--again`
compares kept answers once more, without a JVM. `commits` has both carry out whole programs of statements in one Spark
session, and compares the commits. Exits with 1 if an answer differed unexpectedly.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from deltaresolver.testing.conformance.report import ConformanceReport
from tests.live.commit_programs import random_programs
from tests.live.kinds import KINDS, Kind, compare
from tests.live.record import Record
from tests.peers.answering_jvm import Answers, answering_jvm
from tests.peers.record_resolver import read_cases

COMMITS = "commits"
COMMITS_BATCH = 5
Batch = tuple[int, int]
"""Seed and number of cases."""
Json = dict[str, Any]


Compared = tuple[Batch, ConformanceReport, Counter[str]]


def main() -> int:
    """Ask, compare, record."""
    # Made-up tables are full of what is worth a warning.
    logging.getLogger("deltaresolver").setLevel(logging.ERROR)
    given = _arguments()
    record = Record.open(given.record)
    size = COMMITS_BATCH if given.kind == COMMITS else KINDS[given.kind].batch
    batches = [one for one in _batches(size, given.seed, given.cases) if not record.has(given.kind, *one)]
    failures, began = 0, time.monotonic()
    for (seed, count), report, reached in _compared(given, batches):
        now = time.monotonic()
        record.add(given.kind, seed, count, report, reached, now - began)
        began = now
        failures += len(report.failures)
        print(f"seed {seed}: {report.summary()}", flush=True)
        for one in report.failures[:5]:
            print(f"  {one.id}: {one.detail[:300]}", flush=True)
    print(", ".join(f"{value:,} {key}" for key, value in record.totals(given.kind).items()))
    return 1 if failures else 0


def _compared(given: argparse.Namespace, batches: list[Batch]) -> Iterator[Compared]:
    if given.kind == COMMITS:
        from tests.live.commits import run_programs

        for batch in batches:
            yield batch, *run_programs(random_programs(*batch))
        return
    kind = KINDS[given.kind]
    if given.again is not None:
        for batch in batches:
            place = given.again / f"{given.kind}-{batch[0]}.jsonl"
            if place.exists():
                yield batch, *compare(kind, read_cases(place))
        return
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    with answering_jvm() as answers:
        for batch, asked in answered_batches(kind, batches, answers):
            place = None if given.keep is None else given.keep / f"{given.kind}-{batch[0]}.jsonl"
            report, reached = compare(kind, asked, place)
            if given.keep is not None:
                _keep_failed(given.keep / f"{given.kind}-failed.jsonl", asked, report)
            yield batch, report, reached


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=(*KINDS, COMMITS))
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--again", type=Path)
    return parser.parse_args()


def _keep_failed(place: Path, asked: list[Json], report: ConformanceReport) -> None:
    failed = {one.id for one in report.failures}
    with place.open("ab") as lines:
        lines.writelines(msgspec.json.encode(case) + b"\n" for case in asked if case["id"] in failed)


def _batches(size: int, first: int, cases: int) -> Iterator[Batch]:
    for number, done in enumerate(range(0, cases, size)):
        yield first + number, min(size, cases - done)


def answered_batches(kind: Kind, batches: list[Batch], answers: Answers) -> Iterator[tuple[Batch, list[Json]]]:
    """Batches with delta-spark's answers; the next one is asked while somebody looks at one."""
    with ThreadPoolExecutor(1) as asking:
        waiting: list[tuple[Batch, Future[list[Json]]]] = []
        for batch in batches:
            waiting.append((batch, asking.submit(kind.ask, kind.cases(*batch), answers)))
            if len(waiting) > 1:
                done, asked = waiting.pop(0)
                yield done, asked.result()
        for done, asked in waiting:
            yield done, asked.result()


if __name__ == "__main__":
    sys.exit(main())
