"""Random cases, answered by delta-spark as they are made, and by this library.

    python -m tests.live resolver --seed 1 --cases 100000 --record runs.json
    python -m tests.live {resolver,conflicts,ddl,columns} --seed S --cases N [--keep FOLDER]

A JVM with delta-spark answers a batch of cases; each batch has a seed of its own, counted up from `--seed`, and is
recorded when it is done, so that a run can be interrupted and started again. `--keep` leaves the cases of every batch
in a folder, where `deltaresolver conformance` shows single differences. Exits with 1 if an answer differed
unexpectedly.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.live.kinds import KINDS, compare
from tests.live.record import Record


def main() -> int:
    """Ask, compare, record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=tuple(KINDS))
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    kind, record = KINDS[given.kind], Record.open(given.record)
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    failures = 0
    for number, first in enumerate(range(0, given.cases, kind.batch)):
        seed, count = given.seed + number, min(kind.batch, given.cases - first)
        if record.has(given.kind, seed, count):
            continue
        began = time.monotonic()
        report, reached = compare(kind, seed, count, given.keep)
        record.add(given.kind, seed, count, report, reached, time.monotonic() - began)
        failures += len(report.failures)
        print(f"seed {seed}: {report.summary()}", flush=True)
        for one in report.failures[:5]:
            print(f"  {one.id}: {one.detail[:300]}", flush=True)
    print(", ".join(f"{value:,} {key}" for key, value in record.totals(given.kind).items()))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
