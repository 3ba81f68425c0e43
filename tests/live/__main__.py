"""Random cases, answered by delta-spark as they are made, and by this library.

    python -m tests.live resolver --seed 1 --cases 100000 --record runs.json
    python -m tests.live conflicts others ddl transitions --seed S --cases N [--keep FOLDER] [--minutes M]
    python -m tests.live commits --seed S --cases N [--minutes M]

One JVM with delta-spark answers all batches of cases, those of several kinds in turn, each while the one before it is
compared. A batch has a seed of its own, counted up from `--seed`, and is recorded when it is done, so that a run can
be interrupted and started again; batches with differences are then asked again. `--keep` leaves the cases of every
batch in a folder, where `deltaresolver conformance` shows single differences, and those that differed once more by
themselves; `--again` compares kept answers once more, without a JVM. `--minutes` begins no batch after that time.
`commits` has both carry out whole programs of statements in one Spark session, and compares the commits. Exits with 1
if an answer differed unexpectedly.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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
Asked = tuple[str, Batch]
"""The name of a kind, and a batch of it."""
Json = dict[str, Any]


Compared = tuple[Asked, ConformanceReport, Counter[str]]


def main() -> int:
    """Ask, compare, record."""
    # Made-up tables are full of what is worth a warning.
    logging.getLogger("deltaresolver").setLevel(logging.ERROR)
    given = _arguments()
    record = Record.open(given.record)
    failures, began = 0, time.monotonic()
    ends = began + 60 * given.minutes
    missing = (one for one in _in_turn(given) if not record.has(one[0], *one[1]))
    asked = itertools.takewhile(lambda _: time.monotonic() < ends, missing)
    for (name, (seed, count)), report, reached in _compared(given, asked):
        now = time.monotonic()
        record.add(name, seed, count, report, reached, now - began)
        began = now
        failures += len(report.failures)
        print(f"seed {seed}: {report.summary()}", flush=True)
        for one in report.failures[:5]:
            print(f"  {one.id}: {one.detail[:300]}", flush=True)
    for name in given.kind:
        print(f"{name}:", ", ".join(f"{value:,} {key}" for key, value in record.totals(name).items()))
    return 1 if failures else 0


def _in_turn(given: argparse.Namespace) -> Iterator[Asked]:
    """The batches of each kind, one of each after the other."""
    sizes = {name: COMMITS_BATCH if name == COMMITS else KINDS[name].batch for name in given.kind}
    each = [[(name, one) for one in _batches(size, given.seed, given.cases)] for name, size in sizes.items()]
    return (one for turn in itertools.zip_longest(*each) for one in turn if one is not None)


def _compared(given: argparse.Namespace, asked: Iterable[Asked]) -> Iterator[Compared]:
    if given.kind == [COMMITS]:
        from tests.live.commits import run_programs

        for name, batch in asked:
            yield (name, batch), *run_programs(random_programs(*batch))
        return
    if given.again is not None:
        for name, batch in asked:
            place = given.again / f"{name}-{batch[0]}.jsonl"
            if place.exists():
                yield (name, batch), *compare(KINDS[name], read_cases(place))
        return
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    with answering_jvm() as answers:
        for (name, batch), answered in answered_batches(KINDS, asked, answers):
            place = None if given.keep is None else given.keep / f"{name}-{batch[0]}.jsonl"
            report, reached = compare(KINDS[name], answered, place)
            if given.keep is not None:
                _keep_failed(given.keep / f"{name}-failed.jsonl", answered, report)
            yield (name, batch), report, reached


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=(*KINDS, COMMITS), nargs="+")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--again", type=Path)
    given = parser.parse_args()
    if COMMITS in given.kind and len(given.kind) > 1:
        parser.error(f"{COMMITS} has a session of its own; ask for the other kinds in another run")
    return given


def _keep_failed(place: Path, asked: list[Json], report: ConformanceReport) -> None:
    failed = {one.id for one in report.failures}
    with place.open("ab") as lines:
        lines.writelines(msgspec.json.encode(case) + b"\n" for case in asked if case["id"] in failed)


def _batches(size: int, first: int, cases: int) -> Iterator[Batch]:
    for number, done in enumerate(range(0, cases, size)):
        yield first + number, min(size, cases - done)


def answered_batches(
    kinds: Mapping[str, Kind], asked: Iterable[Asked], answers: Answers
) -> Iterator[tuple[Asked, list[Json]]]:
    """Batches with delta-spark's answers; the next one is asked while somebody looks at one."""
    with ThreadPoolExecutor(1) as asking:
        waiting: list[tuple[Asked, Future[list[Json]]]] = []
        for name, batch in asked:
            kind = kinds[name]
            waiting.append(((name, batch), asking.submit(kind.ask, kind.cases(*batch), answers)))
            if len(waiting) > 1:
                done, found = waiting.pop(0)
                yield done, found.result()
        for done, found in waiting:
            yield done, found.result()


if __name__ == "__main__":
    sys.exit(main())
