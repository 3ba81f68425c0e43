"""Random programs over one table, each judged after every step.

python -m tests.differential --seed 0 --programs 1000     the programs of seeds 0 to 999
python -m tests.differential --seed 0 --programs 100 --peer   beside delta-spark
python -m tests.differential --seed 0 --programs 100 --statements   with SQL and upkeep woven in; --peer too
python -m tests.differential --seed 0 --programs 100 --wide   with structs, arrays, bytes, declared lengths, defaults
python -m tests.differential --seed 0 --programs 1000 --alone   the data source alone, without a JVM; --planted too
python -m tests.differential --replay 4711                one of them, printed as Python, and made smaller if it fails
python -m tests.differential --planted lost_insert        how many programs it takes to find a bug that is put in
python -m tests.differential --planted all

With --record FILE a run writes down what it has done, and leaves out what the file holds.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
import warnings
from pathlib import Path

import pytest

from tests.differential.alone import run_alone
from tests.differential.generator import draw_program
from tests.differential.meeting import can_meet
from tests.differential.peer_run import run_beside
from tests.differential.planted import PLANTED, WIDE, plant
from tests.differential.program import Program
from tests.differential.record import Batch, Record
from tests.differential.runner import Outcome, run_program, scratch_folder
from tests.differential.session import start
from tests.differential.shrink import shrink
from tests.differential.weaving import woven

SEEDS_EACH = 5
"""How many programs make a part of the record."""
MOST = 300
"""Within so many programs a bug that is put in must be found."""


def main() -> int:
    """Run what the arguments ask for; 1 if a program failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the first seed")
    parser.add_argument("--programs", type=int, default=100, metavar="N", help="how many programs")
    parser.add_argument("--peer", action="store_true", help="compare with delta-spark, not with the oracle")
    parser.add_argument("--statements", action="store_true", help="weave SQL, CLONE, CONVERT and upkeep in")
    parser.add_argument("--alone", action="store_true", help="the data source alone, without a JVM")
    parser.add_argument("--wide", action="store_true", help="structs, arrays, bytes, declared lengths, defaults too")
    parser.add_argument("--replay", type=int, metavar="SEED", help="one program")
    parser.add_argument("--planted", choices=("all", *PLANTED), help="a bug to put in")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no batch after so many minutes")
    parser.add_argument("--record", type=Path, metavar="FILE", help="JSON: what is done")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    machine = (
        AloneMachine(is_wide=arguments.wide)
        if arguments.alone
        else Machine(with_peer=arguments.peer, with_statements=arguments.statements, is_wide=arguments.wide)
    )
    record = Record.open(arguments.record)
    if arguments.replay is not None:
        return machine.replay(arguments.replay)
    if arguments.planted is not None:
        names = [name for name in PLANTED if name not in record.content["planted"]]
        names = names if arguments.planted == "all" else [arguments.planted]
        return max((machine.find(name, arguments.seed, record) for name in names), default=0)
    return machine.run(range(arguments.seed, arguments.seed + arguments.programs), record, arguments.minutes)


class Machine:
    """Runs programs in one session."""

    def __init__(self, *, with_peer: bool, with_statements: bool, is_wide: bool = False) -> None:
        self._with_peer = with_peer
        self._with_statements = with_statements
        self._is_wide = is_wide
        self._folder = scratch_folder()

    def program(self, seed: int) -> Program:
        """The program of a seed, with statements if they are asked for."""
        program = draw_program(seed, is_wide=self._is_wide)
        return woven(program) if self._with_statements else program

    def one(self, program: Program) -> Outcome:
        """One program, in either mode."""
        spark = start(with_peer=self._with_peer)
        return (run_beside if self._with_peer else run_program)(spark, program, self._folder)

    @property
    def mode(self) -> str:
        """What records call runs like this."""
        mode = "peer" if self._with_peer else "oracle"
        mode = f"{mode} with statements" if self._with_statements else mode
        return f"{mode}, wide" if self._is_wide else mode

    def of_seed(self, seed: int) -> Outcome:
        """The program of a seed."""
        return self.one(self.program(seed))

    def run(self, seeds: range, record: Record, minutes: float) -> int:
        """Programs one after another; failures are printed and do not end the run."""
        mode, started, is_wrong = self.mode, time.monotonic(), False
        for first in range(seeds.start, seeds.stop, SEEDS_EACH):
            if time.monotonic() - started > minutes * 60:
                break
            batch = Batch(first)
            part = range(first, min(first + SEEDS_EACH, seeds.stop))
            if all(record.is_done(mode, seed) for seed in part):
                continue
            for seed in part:
                outcome = self.of_seed(seed)
                batch.add(seed, outcome)
                print(f"seed {seed}: {outcome.versions} versions, {outcome.seconds:.1f} s", flush=True)
                if outcome.failure is not None:
                    is_wrong = True
                    print(f"seed {seed}, step {outcome.failure.step}: {outcome.failure.message}", flush=True)
            record.add(mode, batch)
            print(batch.to_json(""), flush=True)
        return int(is_wrong)

    def replay(self, seed: int) -> int:
        """One program with all it does, and the smallest that fails in its way."""
        program = self.program(seed)
        print(program)
        failure = self.one(program).failure
        if failure is None:
            print("passes")
            return 0
        print(f"step {failure.step}: {failure.message}", flush=True)

        def fails(candidate: Program) -> bool:
            found = self.one(candidate).failure
            return found is not None and found.kind == failure.kind

        least = shrink(program, fails)
        found = self.one(least).failure
        print(f"{least}\n{found and found.message}")
        return 1

    def find(self, name: str, first: int, record: Record) -> int:
        """Put a bug in and count the programs until one fails; 1 where none does."""
        self._is_wide = name in WIDE
        with pytest.MonkeyPatch.context() as patch:
            plant(name, patch)
            for seed in range(first, first + MOST):
                program = self.program(seed)
                failure = self.one(program).failure if can_meet(name, program) else None
                if failure is not None:
                    print(f"{name}: {seed - first + 1} programs, {failure.message[:300]}", flush=True)
                    record.found(name, seed - first + 1, failure.kind)
                    return 0
        print(f"{name}: not found in {MOST} programs", flush=True)
        record.found(name, None, "")
        return 1


class AloneMachine(Machine):
    """Runs programs of the data source without a JVM; such a program is drawn as it runs, and does not shrink."""

    def __init__(self, *, is_wide: bool) -> None:
        super().__init__(with_peer=False, with_statements=False, is_wide=is_wide)

    @property
    def mode(self) -> str:
        """What records call runs like this."""
        return f"data source alone{', wide' if self._is_wide else ''}"

    def of_seed(self, seed: int) -> Outcome:
        """The program of a seed."""
        return run_alone(seed, is_wide=self._is_wide)

    def replay(self, seed: int) -> int:
        """One program."""
        failure = run_alone(seed, is_wide=self._is_wide).failure
        print("passes" if failure is None else failure)
        return int(failure is not None)

    def find(self, name: str, first: int, record: Record) -> int:
        """As on Spark; kept apart in the record."""
        with pytest.MonkeyPatch.context() as patch:
            plant(name, patch)
            for seed in range(first, first + MOST):
                failure = run_alone(seed, is_wide=self._is_wide).failure
                if failure is not None:
                    print(f"{name}: {seed - first + 1} programs, {failure.message[:300]}", flush=True)
                    record.found(f"{name}, data source alone", seed - first + 1, failure.kind)
                    return 0
        print(f"{name}: not found in {MOST} programs", flush=True)
        return 1


if __name__ == "__main__":
    sys.exit(main())
