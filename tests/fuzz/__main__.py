"""Whatever the bytes, names, numbers and SQL, only errors of this library are raised, in bounded time and memory.

python -m tests.fuzz commits --minutes 20 --seed 0            cases of one target, from a seed on
python -m tests.fuzz all --minutes 20 --record runs.json      of every target in turns; it goes on where it was
python -m tests.fuzz commits --replay 4711                    one case, and how it breaks the law
python -m tests.fuzz commits --replay 4711 --keep NAME        and it is written to the corpus
python -m tests.fuzz --planted all                            how many cases it takes to find bugs that are put in
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tests.fuzz.case import CORPUS, to_text
from tests.fuzz.law import hold
from tests.fuzz.planted import PLANTED
from tests.fuzz.record import Record
from tests.fuzz.run import Run
from tests.fuzz.targets import TARGETS

SECONDS_EACH = 60.0
"""How long one process works; what a run has done so far is written down after it."""
MAX_SECONDS = 180.0
"""Within so long a bug that is put in must be found."""


def main() -> int:
    """Run what the arguments ask for; 1 if some case breaks the law."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="?", default="all", choices=("all", *TARGETS))
    parser.add_argument("--minutes", type=float, default=1.0, metavar="N", help="for each target, recorded included")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the first seed")
    parser.add_argument("--record", type=Path, metavar="FILE", help="JSON: what is done")
    parser.add_argument("--replay", type=int, metavar="SEED", help="one case, in this process")
    parser.add_argument("--keep", metavar="NAME", help="with --replay: write the case to the corpus")
    parser.add_argument("--planted", choices=("all", *PLANTED), help="a bug to put in")
    arguments = parser.parse_args()
    if arguments.planted is not None:
        bugs = list(PLANTED) if arguments.planted == "all" else [arguments.planted]
        return max([_find(name, arguments.seed) for name in bugs])
    if arguments.replay is not None:
        return _replay(arguments.target, arguments.replay, arguments.keep)
    record = Record.open(arguments.record)
    names = list(TARGETS) if arguments.target == "all" else [arguments.target]
    for name in names:
        _look_again(name, record.of(name, arguments.seed))
    while waiting := [name for name in names if record.of(name, 0)["seconds"] < arguments.minutes * 60]:
        # In turns, the least used first: whoever stops early has something of each.
        _fuzz(min(waiting, key=lambda name: record.of(name, 0)["seconds"]), arguments.minutes * 60, record)
    return max([_sum_up(name, record.of(name, 0)) for name in names])


def _look_again(target: str, done: dict[str, Any]) -> None:
    """A breach whose case keeps the law by now is a mended one."""
    for kind, seed in list(done["breaches"].items()):
        if next(iter(Run(target, seed, 0.01)), None) is None:
            done.setdefault("mended", {})[kind] = done["breaches"].pop(kind)


def _fuzz(target: str, seconds: float, record: Record) -> None:
    done = record.of(target, 0)
    run = Run(target, done["next_seed"], min(SECONDS_EACH, seconds - done["seconds"]))
    for found_at, breach in run:
        if breach.kind not in done["breaches"]:
            done["breaches"][breach.kind] = found_at
            print(f"{target} {found_at}: {breach.kind}\n{breach.told}", flush=True)
    done["cases"] += run.next_seed - done["next_seed"]
    done["next_seed"] = run.next_seed
    done["seconds"] += run.seconds
    record.save()


def _sum_up(target: str, done: dict[str, Any]) -> int:
    breaches = len(done["breaches"])
    print(f"{target}: {done['cases']} cases in {done['seconds']:.0f} s, {breaches} kinds of breach", flush=True)
    return int(bool(done["breaches"]))


def _replay(target: str, seed: int, keep: str | None) -> int:
    case = TARGETS[target].case(seed)
    breach = hold(TARGETS[target], case)
    if keep is not None:
        (CORPUS / target).mkdir(parents=True, exist_ok=True)
        (CORPUS / target / f"{keep}.json").write_text(to_text(case), encoding="utf-8")
    print(to_text(case)[:20_000])
    print("keeps the law" if breach is None else f"{breach.kind}\n{breach.told}")
    return int(breach is not None)


def _find(name: str, seed: int) -> int:
    target = PLANTED[name][0]
    run = Run(target, seed, MAX_SECONDS, name)
    for found_at, breach in run:
        print(f"{name}: found by case {found_at - seed + 1} of {target}: {breach.kind}", flush=True)
        return 0
    print(f"{name}: not found by {run.next_seed - seed} cases of {target}", flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
