"""The process in which cases run: python -m tests.fuzz.child TARGET[,TARGET] FIRST SECONDS [PLANTED].

Each seed is printed before its case, so that whoever waits knows which one a process hung or died at.
"""

from __future__ import annotations

import json
import sys
import time

from tests.fuzz.case import Target
from tests.fuzz.law import hold, limit_memory
from tests.fuzz.planted import plant
from tests.fuzz.targets import TARGETS


def main(target_name: str, first: int, seconds: float, planted: str = "") -> None:
    """Cases from seed `first` on until the time is up."""
    limit_memory()
    if planted:
        plant(planted)
    for name in target_name.split(","):
        _run(TARGETS[name], first, seconds)


def _run(target: Target, seed: int, seconds: float) -> None:
    hold(target, target.case(-1))
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        print(f"seed {seed}", flush=True)
        breach = hold(target, target.case(seed))
        if breach is not None:
            print("breach " + json.dumps([seed, breach.kind, f"{target.name}: {breach.told}"]), flush=True)
        seed += 1
    print(f"done {seed}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), *sys.argv[4:5])
