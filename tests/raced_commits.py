"""Eight processes race for versions: `python -m tests.raced_commits --commits 100000 --record FILE`, or with `--s3`.

Each round races on a table of its own, and is then accounted for line by line: every acknowledged commit is there
once, at the version that its writer was told, and every other one is one whose writer was told that it is unknown. With
`--s3` the table lies on a server behind a proxy that loses requests and answers and answers 500 and 503. With
`--record` rounds that are done are not raced again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import queue
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.acceptance.transaction_writers import create_table, new_file, open_log, read_commits, replay
from tests.peers.lossy_proxy import Fate, run_lossy_proxy
from tests.peers.s3_server import run_s3_server

WRITERS = 8
FATES = (Fate.LOSE_ANSWER, Fate.FAIL_AFTER, Fate.LOSE_REQUEST, Fate.SLOW_DOWN)
MISHAPS = 0.08
_PATIENCE = 600
SPAWN = multiprocessing.get_context("spawn")

Told = tuple[str, str, int, str]
"""Writer, transaction, version, and the code of an error where there is no version."""


def commit_all(writer: str, asked: Any, start: Any, told: Any) -> None:
    """Commit so many times to each table that is asked for, and tell how each ended."""
    while (round_asked := asked.get()) is not None:
        location, options, count = round_asked
        log = open_log(location, options)
        start.wait()
        answers: list[Told] = []
        for number in range(count):
            transaction = OptimisticTransaction(log, delta_spark_catalog())
            try:
                version = transaction.commit([new_file(f"{writer}-{number}.parquet")], operations.write())
            except DeltaResolverError as error:
                answers.append((writer, transaction.transaction_id, -1, error.code))
            else:
                answers.append((writer, transaction.transaction_id, version, ""))
        told.put(answers)


class Crew:
    """Processes that race on one table after the other: to start them costs as much as hundreds of commits."""

    def __init__(self) -> None:
        # Kept: a barrier that nobody holds is gone before the processes that were started with it find it.
        self._start, self._told = SPAWN.Barrier(WRITERS), SPAWN.Queue()
        self._asked = [SPAWN.Queue() for _ in range(WRITERS)]
        self._processes = [
            SPAWN.Process(target=commit_all, args=(f"w{number}", asked, self._start, self._told), daemon=True)
            for number, asked in enumerate(self._asked)
        ]
        for process in self._processes:
            process.start()

    def race(self, location: str, options: Mapping[str, str], count: int) -> list[Told]:
        """What the writers were told."""
        for asked in self._asked:
            asked.put((location, dict(options), count))
        answers: list[Told] = []
        with contextlib.suppress(queue.Empty):
            for _ in self._asked:
                answers += self._told.get(timeout=_PATIENCE)
        return answers

    def end(self) -> None:
        """Let them go."""
        for asked in self._asked:
            asked.put(None)
        for process in self._processes:
            process.join(timeout=60)


@contextlib.contextmanager
def new_crew() -> Iterator[Crew]:
    """Writers that end with the block."""
    crew = Crew()
    try:
        yield crew
    finally:
        crew.end()


def wrong_with(location: str, options: Mapping[str, str], told: list[Told], count: int) -> str | None:
    """What is lost, doubled or where it should not be, read straight from the store."""
    if len(told) != WRITERS * count:
        return f"{WRITERS * count - len(told)} writers' commits did not come to an end"
    log = open_log(location, options)
    try:
        commits = read_commits(log.store)
        live = replay(commits)
    except (AssertionError, KeyError, ValueError) as error:
        return f"the log contradicts itself: {type(error).__name__} {error}"
    at: dict[str, list[int]] = {}
    for version, actions in enumerate(commits):
        found = next((one["commitInfo"].get("txnId") for one in actions if "commitInfo" in one), None)
        at.setdefault(str(found), []).append(version)
    lost = sum(at.get(one, []) != [version] for _, one, version, code in told if not code)
    doubled = sum(len(versions) > 1 for versions in at.values())
    accounted = {one for _, one, _, _ in told}
    strange = sum(one not in accounted for one in at) - 1  # the first commit made the table
    same = live == {file.path for file in log.snapshot().add_actions()}
    if lost or doubled or strange or not same:
        return f"{lost} lost, {doubled} doubled, {strange} of nobody, state {'right' if same else 'wrong'}"
    return None


@attrs.frozen
class Ground:
    """Where a round's table lies, how writers reach it, and how whoever judges does."""

    location: Callable[[int], str]
    writing: Mapping[str, str] = attrs.field(factory=dict)
    judging: Mapping[str, str] = attrs.field(factory=dict)


@contextlib.contextmanager
def ground(on_s3: bool, seed: int) -> Iterator[Ground]:
    """A folder, or a server behind a proxy with mishaps that are drawn by the seed."""
    if not on_s3:
        with tempfile.TemporaryDirectory() as folder:
            yield Ground(lambda table: f"{folder}/t{table}")
        return
    with run_s3_server() as server, run_lossy_proxy(server.endpoint) as proxy:

        def in_new_bucket(table: int) -> str:
            # A bucket each: the server goes through all objects of one for every listing.
            server.make_bucket(f"raced-{table}")
            return f"s3://raced-{table}/t{table}"

        drawn = random.Random(seed)

        def next_fate(_: str) -> Fate:
            return drawn.choice(FATES) if drawn.random() < MISHAPS else Fate.DELIVER

        proxy.next_fate = next_fate  # type: ignore[method-assign, assignment]
        yield Ground(in_new_bucket, server.options | {"AWS_ENDPOINT_URL": proxy.endpoint}, server.options)


def one_round(crew: Crew, place: Ground, seed: int, count: int) -> dict[str, Any]:
    """Race on a new table, and what came of it."""
    location = place.location(seed)
    create_table(location, place.judging)
    began = time.monotonic()
    told = crew.race(location, place.writing, count)
    took = time.monotonic() - began
    found = {
        "where": "s3" if place.judging else "disk",
        "seed": seed,
        "commits": len(told),
        "acknowledged": sum(not code for *_, code in told),
        "errors": dict(Counter(code for *_, code in told if code)),
        "seconds": round(took, 1),
        "wrong": wrong_with(location, place.judging, told, count),
    }
    if not place.judging:
        shutil.rmtree(location)
    return found


@attrs.frozen
class Record:
    """Rounds in a file, one a line; without a file those of this run."""

    path: Path | None
    rounds: list[dict[str, Any]]

    @classmethod
    def of(cls, path: Path | None) -> Record:
        """What a file has, if there is one."""
        there = path is not None and path.exists()
        return cls(path, [json.loads(line) for line in path.read_text().splitlines()] if path and there else [])

    def add(self, found: dict[str, Any]) -> None:
        """Keep it at once."""
        self.rounds.append(found)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found) + "\n")


def main() -> int:
    """Race until there are so many commits; print the sum as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=100_000)
    parser.add_argument("--each", type=int, default=250, help="commits of one process in a round")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no round after so long")
    parser.add_argument("--s3", action="store_true")
    parser.add_argument("--record", type=Path)
    asked = parser.parse_args()
    record, where = Record.of(asked.record), "s3" if asked.s3 else "disk"

    def done() -> list[dict[str, Any]]:
        return [one for one in record.rounds if one["where"] == where]

    until = time.monotonic() + asked.minutes * 60
    with ground(asked.s3, len(done())) as place, new_crew() as crew:
        while sum(one["commits"] for one in done()) < asked.commits and time.monotonic() < until:
            record.add(one_round(crew, place, len(done()), asked.each))
    keys = ("commits", "acknowledged", "seconds")
    total = {key: round(sum(one[key] for one in done()), 1) for key in keys}
    wrong = [one for one in done() if one["wrong"]]
    print(json.dumps({"where": where, "rounds": len(done()), **total, "wrong": wrong}, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
