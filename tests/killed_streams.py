"""kill -9 at points of a batch: `python -m tests.killed_streams --trials 5 --record FILE`.

A driver (`spark/source/killed_stream_job.py`) streams files into tables, by MERGE in `foreachBatch` and by the sink.
It and its JVM are killed when a file of one stream's batch appears, or a moment later; the next driver goes on at the
same checkpoints, and is killed too. After each kill, and at the end, every version of every table must hold every
row of the first files once and no other, read by pyarrow alone. With `--record` a run that was stopped goes on;
`--minutes` ends it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.table import Table
from tests.spark_job import ROOT

JOB = "tests.spark.source.killed_stream_job"
STREAMS = (("merge0", "merge1", "sink0", "sink1"), ("merge0", "merge1", "merge2"), ("sink0", "sink1", "sink2"))
"""What one driver runs at a time, so that each kill finds streams at several places; seeds take turns."""
BATCHES = {"merge": 1, "sink": 2}
"""Of each kind, for each kill: with one more, so that some are left when the last kill comes."""
KILLS_IN_A_ROW = 4
BATCH_ROWS, KEYS = 12, 5
PATIENCE = 600
"""Seconds for a driver on a busy machine."""
Rows = Counter[tuple[int, int]]


@attrs.frozen
class Stream:
    """One folder with small files, a table that they stream into, and the stream's checkpoint."""

    name: str
    folder: Path
    batches: int

    def prepare(self) -> None:
        """Every file of the source is one batch, the oldest first."""
        (self.folder / "source").mkdir(parents=True)
        begin = time.time() - self.batches
        for number in range(self.batches):
            ids = list(range(number * BATCH_ROWS, (number + 1) * BATCH_ROWS))
            path = self.folder / "source" / f"{number}.parquet"
            pq.write_table(pa.table({"id": ids, "k": [each * each % KEYS for each in ids]}), path)
            os.utime(path, (begin + number, begin + number))
        columns = "k BIGINT, n BIGINT" if self.name.startswith("merge") else "id BIGINT, k BIGINT"
        Table.create(self.folder / "sink", columns)

    def after(self, files: int) -> Rows:
        """What so many files make, each row counted once."""
        ids = range(files * BATCH_ROWS)
        if self.name.startswith("sink"):
            return Counter((each, each * each % KEYS) for each in ids)
        totals: Counter[int] = Counter()
        for each in ids:
            totals[each * each % KEYS] += each
        return Counter(totals.items())

    def wrong(self) -> str | None:
        """The first version that holds something else than the one before and the next files, each of them once.

        Spark may give a batch two files: it notes which files there are before it begins a batch with them.
        """
        files = 0
        for version, found in enumerate(self._versions()):
            known = range(files + (version > 0), self.batches + 1)
            holds = next((number for number in known if self.after(number) == found), None)
            if holds is None:
                return f"version {version} has {sorted(found.elements())}, after one with {files} files"
            files = holds
        return None

    def committed(self) -> int:
        """How many batches the table has."""
        return len(list((self.folder / "sink" / "_delta_log").glob("0*.json"))) - 1

    def noted(self, name: str) -> int:
        """How many batches the stream has begun (`offsets`) or ended (`commits`), by its own notes."""
        return len(list((self.folder / "checkpoint" / name).glob("[0-9]*")))

    def files(self) -> int:
        """How many data files lie in the table's folder, while others come and go."""
        return sum(name.endswith(".parquet") for _, _, names in os.walk(self.folder / "sink") for name in names)

    def is_finished(self) -> bool:
        """Whether the stream has handled every file, by its own notes."""
        return self.noted("commits") == self.noted("offsets") and self.noted("sources/0") == self.batches

    def is_whole(self) -> bool:
        """Whether the table has every file."""
        return list(self._versions())[-1] == self.after(self.batches)

    def place(self) -> str:
        """How far it has come."""
        begun, committed, ended = self.noted("offsets"), self.committed(), self.noted("commits")
        if self.is_finished():
            return "had finished"
        if begun == ended:
            return f"between batches, after {ended}"
        return f"in batch {begun}, {'committed' if committed == begun else 'not committed'}"

    def _versions(self) -> Iterator[Rows]:
        files: dict[str, Rows] = {}
        for commit in sorted((self.folder / "sink" / "_delta_log").glob("0*.json")):
            for action in map(json.loads, commit.read_text().splitlines()):
                for kind, told in action.items():
                    if kind == "add":
                        assert not told.get("deletionVector"), "this reader knows none"
                        rows = pq.read_table(self.folder / "sink" / unquote(told["path"])).to_pylist()
                        files[told["path"]] = Counter(tuple(row.values()) for row in rows)
                    elif kind == "remove":
                        del files[told["path"]]
            yield sum(files.values(), Counter())


POINTS: Mapping[str, Callable[[Stream], int]] = {
    "begun": lambda stream: stream.noted("offsets"),
    "files": lambda stream: stream.files(),
    "committed": lambda stream: stream.committed(),
    "ended": lambda stream: stream.noted("commits"),
}
"""What is counted while a driver runs, to kill it when there is one more."""


def trial(seed: int, kills: int = KILLS_IN_A_ROW, streams: Sequence[str] | None = None) -> tuple[list[str], str | None]:
    """Streams whose driver is killed so many times: where each kill found each of them, and what went wrong."""
    drawn = random.Random(f"streams {seed}")
    places: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        names = STREAMS[seed % len(STREAMS)] if streams is None else streams
        all_ = [Stream(name, Path(scratch, name), BATCHES[name[:-1]] * kills + 1) for name in names]
        for stream in all_:
            stream.prepare()
        for _ in range(kills):
            aimed, point, further = drawn.choice(all_), drawn.choice(list(POINTS)), drawn.randrange(2)
            aimed = aimed if not aimed.is_finished() else next(each for each in all_ if not each.is_finished())
            _kill_driver(Path(scratch), aimed, point, further, drawn.choice((0, 0, drawn.uniform(0, 1.5))))
            places.extend(f"{stream.name}: {stream.place()}" for stream in all_)
            wrong = [f"{stream.name}: {found}" for stream in all_ if (found := stream.wrong()) is not None]
            if wrong:
                return places, f"after kill {len(places)}, {wrong[0]}"
        code = _start(Path(scratch)).wait(PATIENCE)
        if code:
            return places, f"the last driver ended with {code}"
        wrong = [f"{each.name}: {each.wrong() or each.place()}" for each in all_ if each.wrong() or not each.is_whole()]
        return places, wrong[0] if wrong else None


def _start(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", JOB, str(folder)],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _kill_driver(folder: Path, aimed: Stream, point: str, further: int, later: float) -> None:
    """Start a driver and kill it, with its JVM, at a point of one stream's next batch or of one further on."""
    count = POINTS[point]
    before = count(aimed)
    job = _start(folder)
    try:
        ends = time.monotonic() + PATIENCE
        while count(aimed) <= before + further and not aimed.is_finished():
            assert job.poll() is None, f"the driver ended with {job.returncode} before it was killed"
            assert time.monotonic() < ends, f"{point} of {aimed.name} did not happen"
            time.sleep(0.005)
        time.sleep(later)
    finally:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()


def main() -> int:
    """Run what the arguments ask for; print what was found as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=5, help=f"{KILLS_IN_A_ROW} drivers each")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--minutes", type=float, default=math.inf)
    asked = parser.parse_args()
    noted: dict[str, Any] = {}
    if asked.record is not None and asked.record.exists():
        noted = dict(json.loads(line) for line in asked.record.read_text().splitlines())
    ends = time.monotonic() + asked.minutes * 60
    for seed in range(asked.trials):
        key = f"streams: {seed}"
        if key in noted or time.monotonic() > ends:
            continue
        noted[key] = trial(seed)
        if asked.record is not None:
            with asked.record.open("a") as file:
                file.write(json.dumps([key, noted[key]]) + "\n")
    places = Counter(
        re.sub(r"\d+: |, after \d+| \d+", " ", place).strip() for each in noted.values() for place in each[0]
    )
    wrong = {key: each[1] for key, each in noted.items() if each[1] is not None}
    print(json.dumps({"places": places, "wrong": wrong}, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
