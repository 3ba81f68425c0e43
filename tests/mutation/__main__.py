"""Change the rules of the library at random places, and see that the fast tests notice.

    python -m tests.mutation --map FILE
    python -m tests.mutation --map FILE --seed 0 --sample 300 --record tests/mutation/recorded_runs.json
    python -m tests.mutation --map FILE --mutant 'NAME'

The first command makes the map of what each test calls, and takes some minutes; the second tries mutants, as many of
each room, and goes on where it was interrupted; `--again` tries those that survived once more. A sample depends on
the names of the mutants and the seed alone: a bigger one holds the smaller one, and a change of one function leaves
the mutants of all others where they are. A copy of the tree is changed, never the tree itself.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.mutation.choice import BESIDE, ROOMS, TESTS, Recorder, Seen, choose_tests, read_map
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.record import SURVIVED, Record
from tests.mutation.trial import HEAVY, Verdict, changed, copied, load, tried

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Make the map or try mutants; 1 where one survived without a reason."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--map", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--rooms", nargs="+", choices=list(ROOMS), default=list(ROOMS))
    parser.add_argument("--record", type=Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--mutant")
    parser.add_argument("--beside", type=float, default=BESIDE, help="seconds of tests that only use the module")
    parser.add_argument("--calling", type=float, default=math.inf, help="seconds of tests that call the function")
    given = parser.parse_args()
    if not given.map.exists():
        return make_map(given.map)
    record = Record.open(given.record)
    seen = read_map(given.map)
    load()
    with tempfile.TemporaryDirectory(prefix="mutation-") as name:
        tree = copied(ROOT, Path(name))
        sound = tried(tree, ["tests/unit/resolution/test_graph.py", "tests/unit/transaction/test_rare_conflicts.py"])
        if sound.killer is not None:
            print(f"Without a change {sound.killer} fails: nothing can be judged.", file=sys.stderr)
            return 2
        passing: set[str] = set()
        for room, mutant in chosen(given, record):
            verdict = judged(tree, mutant, seen, given)
            if verdict.killer is not None and not passes_unchanged(tree, verdict.killer, passing):
                print(f"Without a change {verdict.killer} fails too: mutants cannot be judged by it.", file=sys.stderr)
                return 2
            record.add(room, mutant.name, verdict.killer)
            print(
                f"{'survived' if verdict.killer is None else 'killed':8} {verdict.seconds:5.1f} s  {mutant.name}",
                flush=True,
            )
    print("\n".join(record.summary()))
    return int(any(not reason for room in record.content["rooms"].values() for reason in room[SURVIVED].values()))


def make_map(target: Path) -> int:
    """Run the fast tests once, noting what each file of them calls."""
    import pytest

    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", f"not ({HEAVY})"]
    return int(pytest.main([*options, *TESTS], plugins=[Recorder(ROOT, target)]))


def mutants_in(room: str) -> list[Mutant]:
    """Every mutant of a room."""
    files = sorted(file for folder in ROOMS[room] for file in (ROOT / folder).rglob("*.py"))
    return [one for file in files for one in mutants_of(file.relative_to(ROOT).as_posix(), file.read_bytes())]


def chosen(given: argparse.Namespace, record: Record) -> Iterator[tuple[str, Mutant]]:
    """The mutants to try: in turn one of each room, without those judged before."""
    wanted: list[list[tuple[str, Mutant]]] = []
    for room in given.rooms:
        found = mutants_in(room)
        record.room(room).update({"mutants": len(found), "seed": given.seed})
        if given.mutant is None and not given.again:
            found = sampled(found, given.seed, given.sample // len(given.rooms))
        wanted.append([(room, one) for one in found if is_wanted(one, room, given, record)])
    for turn in range(max(map(len, wanted), default=0)):
        yield from (mine[turn] for mine in wanted if turn < len(mine))


def sampled(mutants: Sequence[Mutant], seed: int, size: int) -> list[Mutant]:
    """So many mutants at random, in an order that no other mutant has a part in."""
    return sorted(mutants, key=lambda one: hashlib.sha256(f"{seed} {one.name}".encode()).digest())[:size]


def is_wanted(mutant: Mutant, room: str, given: argparse.Namespace, record: Record) -> bool:
    """Whether a mutant is to be tried by what was asked for."""
    if given.mutant is not None:
        return bool(mutant.name == given.mutant)
    if given.again:
        return mutant.name in record.room(room)[SURVIVED]
    return not record.knows(room, mutant.name)


def judged(tree: Path, mutant: Mutant, seen: Seen, given: argparse.Namespace) -> Verdict:
    """What the fast tests make of a mutant."""
    source = (tree / mutant.file).read_bytes()
    verdict = Verdict(None, 0.0)
    function = mutant.function.rpartition(".")[2]
    with changed(tree / mutant.file, mutant.apply(source)):
        for tests in choose_tests(tree, mutant.file, function, seen, given.beside, given.calling):
            allowed = round(60 + 2 * sum(seen.seconds[test] for test in tests))
            verdict = tried(tree, tests, seconds=allowed).after(verdict)
            if verdict.killer is not None:
                break
    return verdict


def passes_unchanged(tree: Path, killer: str, passing: set[str]) -> bool:
    """Whether a test that failed passes without the mutant; each test is tried once."""
    test = killer.partition("[")[0]
    if test not in passing and (tree / test.partition("::")[0]).is_file() and tried(tree, [test]).killer is None:
        passing.add(test)
    return test in passing or not (tree / test.partition("::")[0]).is_file()


if __name__ == "__main__":
    sys.exit(main())
