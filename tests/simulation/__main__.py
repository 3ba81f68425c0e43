"""Long runs of the simulation.

python -m tests.simulation --seeds 100000       seeds 0 to 99,999
python -m tests.simulation --seeds 500 --first 7000
python -m tests.simulation --seed 4711          one of them, with all it does
python -m tests.simulation --exhaustive         all small scopes, all interleavings
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections import Counter
from pathlib import Path

from tests.simulation.exhaustive import explore_setting, scopes
from tests.simulation.run import SimulationFailedError, run_seed

PROGRESS_EVERY = 1_000


def main() -> int:
    """Run what the arguments ask for; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--record", type=Path, help="a JSON file that says how far the run has come")
    arguments = parser.parse_args()
    if arguments.seed is not None:
        return replay(arguments.seed)
    if arguments.exhaustive:
        return explore_all(arguments.record)
    return run_many(arguments.first, arguments.seeds, arguments.record)


def replay(seed: int) -> int:
    """One seed, with the transactions' own log."""
    logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(threadName)s %(message)s")
    summary = run_seed(seed)
    print(f"seed {seed} passes: {dict(summary.endings)}, {summary.faults} faults, {summary.turns} turns")
    return 0


def run_many(first: int, count: int, record: Path | None) -> int:
    """Seeds one after another; failures are printed and do not end the run."""
    endings: Counter[str] = Counter()
    failed: list[int] = []
    faults = turns = 0
    started = time.monotonic()
    for number in range(1, count + 1):
        try:
            summary = run_seed(first + number - 1)
        except SimulationFailedError as error:
            failed.append(error.seed)
            print(f"{error}\n{error.__cause__!r}", flush=True)
        else:
            endings += summary.endings
            faults += summary.faults
            turns += summary.turns
        if number % PROGRESS_EVERY == 0 or number == count:
            done = {
                "first_seed": first,
                "seeds": number,
                "failed": failed,
                "endings": dict(sorted(endings.items())),
                "faults": faults,
                "turns": turns,
                "seconds": round(time.monotonic() - started),
            }
            _report(done, record)
    return 1 if failed else 0


def explore_all(record: Path | None) -> int:
    """Every small scope; the first failure ends the run."""
    endings: Counter[str] = Counter()
    interleavings = 0
    started = time.monotonic()
    for number, setting in enumerate(scopes(), 1):
        print(setting, flush=True)
        count, found = explore_setting(setting)
        interleavings += count
        endings += found
        done = {
            "scopes": number,
            "interleavings": interleavings,
            "endings": dict(sorted(endings.items())),
            "seconds": round(time.monotonic() - started),
        }
        _report(done, record)
    return 0


def _report(done: dict[str, object], record: Path | None) -> None:
    text = json.dumps(done)
    print(text, flush=True)
    if record is not None:
        record.write_text(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
