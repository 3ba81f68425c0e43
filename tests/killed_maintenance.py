"""kill -9 in the middle of upkeep: `python -m tests.killed_maintenance --kills 50 --record FILE`.

Each command runs in a fork of this process, which shares its JVM and is killed after a time drawn by chance; so one
session of Spark serves all of them. After each kill the table must be readable with the rows it had, or those it was to
get, in every version; a second run must finish the work; and what belongs to others must be as it was. With `--record`
a run that was stopped goes on, and `--minutes` ends it in time.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tests.forked_spark import run_forked
from tests.maintenance_to_kill import COMMANDS, known, prepare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Noted = dict[str, tuple[bool, str | None]]


@attrs.frozen
class Template:
    """What every trial begins with, and what it holds."""

    folder: Path
    known: Mapping[str, Any]

    @classmethod
    def made(cls, spark: SparkSession, folder: Path) -> Template:
        """Prepared in an empty folder."""
        prepare(spark, folder)
        return cls(folder, known(spark, folder))


def trial(spark: SparkSession, name: str, seed: int, template: Template, duration: float) -> tuple[bool, str | None]:
    """One kill of one command on a copy of the template: whether it came before the end, and what went wrong."""
    command, drawn = COMMANDS[name], random.Random(f"{name} {seed}")
    before = template.known
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "x")
        shutil.copytree(template.folder, folder)
        code = run_forked(spark, lambda: command.act(spark, folder), drawn.uniform(0, 1.15 * duration))[1]
        wrong = command.judge(spark, folder, before)
        if wrong is not None:
            return code < 0, f"after the kill, {wrong}"
        if not command.is_done(spark, folder):
            command.act(spark, folder)
            wrong = command.judge(spark, folder, before)
        if wrong is not None:
            return code < 0, f"after the second run, {wrong}"
        return code < 0, None if command.is_done(spark, folder) else "the second run did not finish"


def measured(spark: SparkSession, name: str, template: Template) -> float:
    """How long the command takes when nobody kills it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "x")
        shutil.copytree(template.folder, folder)
        seconds, code = run_forked(spark, lambda: COMMANDS[name].act(spark, folder), None)
        assert code == 0, f"{name} failed without a kill"
        assert COMMANDS[name].is_done(spark, folder), name
        return seconds


def run(spark: SparkSession, names: Sequence[str], kills: int, record: Path | None, minutes: float) -> Noted:
    """What came of each kill, by command and seed; those that the record has are not made again."""
    noted: Noted = {}
    if record is not None and record.exists():
        noted = dict(json.loads(line) for line in record.read_text().splitlines())
    ends = time.monotonic() + minutes * 60
    with tempfile.TemporaryDirectory() as scratch:
        template = Template.made(spark, Path(scratch))
        for name in names:
            left = [seed for seed in range(kills) if f"spark {name}: {seed}" not in noted]
            if not left or time.monotonic() > ends:
                continue
            duration = measured(spark, name, template)
            for seed in left:
                if time.monotonic() > ends:
                    break
                key = f"spark {name}: {seed}"
                noted[key] = trial(spark, name, seed, template, duration)
                if record is not None:
                    with record.open("a") as file:
                        file.write(json.dumps([key, noted[key]]) + "\n")
    return noted


def main() -> int:
    """Run what the arguments ask for; print what was found as JSON."""
    from tests.spark_job import QUIET, configure

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument("--only", choices=COMMANDS, action="append")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--minutes", type=float, default=math.inf)
    asked = parser.parse_args()
    from pyspark.sql import SparkSession

    spark = configure(SparkSession.builder.master("local[2]"), {**QUIET, "spark.log.level": "OFF"}).getOrCreate()
    noted = run(spark, asked.only or list(COMMANDS), asked.kills, asked.record, asked.minutes)
    spark.stop()
    found = {name: [each for key, each in noted.items() if key.startswith(f"spark {name}:")] for name in COMMANDS}
    counts = {
        name: {"kills": len(all_), "in the middle": sum(bool(each[0]) for each in all_)} for name, all_ in found.items()
    }
    wrong = {key: each[1] for key, each in noted.items() if each[1] is not None}
    print(json.dumps({**counts, "wrong": wrong}, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
