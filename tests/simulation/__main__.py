"""Long runs of the simulation.

python -m tests.simulation --seeds 100000       seeds 0 to 99,999
python -m tests.simulation --seeds 500 --first 7000
python -m tests.simulation --seed 4711          one of them, with all it does
python -m tests.simulation --scopes             all orders of all small scopes
python -m tests.simulation --scopes --from 100 --shard 1/2
python -m tests.simulation --sum FILE...        what recorded runs come to, kept in recorded_runs.json

With --record FILE a run writes down what it has done, and leaves out what the file says is done.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.simulation.record import Record, total
from tests.simulation.run import Setting, SimulationFailedError, run_seed
from tests.simulation.scopes import small_scopes
from tests.simulation.state_graph import StateGraph
from tests.simulation.step import Steps

SEEDS_EACH = 1_000
"""How many seeds make a part of the record."""


def main() -> int:
    """Run what the arguments ask for; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2_000, metavar="N", help="how many seeds")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first of them")
    parser.add_argument("--seed", type=int, metavar="N", help="one seed, with the log of its transactions")
    parser.add_argument("--scopes", action="store_true", help="the small scopes, exhaustively, in place of seeds")
    parser.add_argument("--from", dest="first_scope", type=int, default=0, metavar="N", help="the first scope")
    parser.add_argument("--shard", type=_shard, default=(1, 1), metavar="I/N", help="every Nth scope, from the Ith on")
    parser.add_argument("--record", type=Path, metavar="FILE", help="lines of JSON: what is done")
    parser.add_argument("--sum", type=Path, nargs="+", metavar="FILE", help="add records up")
    arguments = parser.parse_args()
    if arguments.sum:
        records = [Record.open(path) for path in arguments.sum]
        scopes = {"of": sum(1 for _ in small_scopes()), **total(records, "scope ")}
        print(json.dumps({"seeds": total(records, "seeds "), "scopes": scopes}, indent=1))
        return 0
    if arguments.seed is not None:
        return replay(arguments.seed)
    logging.disable()  # what transactions log of their faults is for who replays one seed
    record = Record.open(arguments.record)
    if arguments.scopes:
        return explore_all(arguments.first_scope, arguments.shard, record)
    return run_many(arguments.first, arguments.seeds, record)


def replay(seed: int) -> int:
    """One seed, with the transactions' own log."""
    logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(threadName)s %(message)s")
    summary = run_seed(seed)
    print(f"seed {seed} passes: {dict(summary.endings)}, {summary.faults} faults, {summary.turns} turns")
    return 0


def run_many(first: int, count: int, record: Record) -> int:
    """Seeds one after another; failures are printed and do not end the run."""
    for start in range(first, first + count, SEEDS_EACH):
        seeds = range(start, min(start + SEEDS_EACH, first + count))
        part = f"seeds {seeds.start} to {seeds.stop - 1}"
        if part not in record.parts:
            record.add(part, run_some(seeds))
    return 1 if any(values.get("failed") for values in record.parts.values()) else 0


def run_some(seeds: range) -> dict[str, Any]:
    """What these seeds come to."""
    endings: Counter[str] = Counter()
    failed: list[int] = []
    faults = turns = 0
    started = time.process_time()
    for seed in seeds:
        try:
            summary = run_seed(seed)
        except SimulationFailedError as error:
            failed.append(error.seed)
            print(f"{error}\n{error.__cause__!r}", flush=True)
        else:
            endings += summary.endings
            faults += summary.faults
            turns += summary.turns
    return {
        "seeds": len(seeds),
        "failed": failed,
        "endings": dict(sorted(endings.items())),
        "faults": faults,
        "turns": turns,
        "cpu_seconds": round(time.process_time() - started),
    }


def explore_all(first: int, shard: tuple[int, int], record: Record) -> int:
    """Every small scope of the shard; the first failure ends the run."""
    index, shards = shard
    for number, setting in enumerate(small_scopes()):
        part = f"scope {number}: {describe(setting)}"
        if number >= first and number % shards == index - 1 and part not in record.parts:
            record.add(part, explore_one(setting))
    return 0


def explore_one(setting: Setting) -> dict[str, Any]:
    """What a scope comes to. Raises `AssertionError` where a promise is broken."""
    started, steps = time.process_time(), Steps(setting.level)
    found = StateGraph(setting, steps).explore()
    return {
        "scopes": 1,
        "states": found.states,
        "steps": steps.count,
        "interleavings": found.interleavings,
        "logs": found.logs,
        "endings": dict(sorted(found.endings.items())),
        "cpu_seconds": round(time.process_time() - started),
    }


def describe(setting: Setting) -> str:
    """Level and kinds, in a line."""
    works = ", ".join(" + ".join(kind.name for kind in kinds) for kinds in setting.works)
    return f"{setting.level.value}: {works}"


def _shard(text: str) -> tuple[int, int]:
    index, _, shards = text.partition("/")
    if not (index.isdigit() and shards.isdigit() and 1 <= int(index) <= int(shards)):
        raise argparse.ArgumentTypeError(f"{text!r} is not like 1/2")
    return int(index), int(shards)


if __name__ == "__main__":
    sys.exit(main())
