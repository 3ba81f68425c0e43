"""Commits, compared with delta-rs: the time of one, the rate of eight processes, the cost of conflict checks.

    python benchmarks/bench_commit.py              everything, written to results/commit.json
    python benchmarks/bench_commit.py --no-write   to look only

Sides take turns, each in fresh processes. commit_tasks.py defines one commit. Everything is measured on a disk, where
this library syncs file and folder before a commit counts and delta-rs syncs nothing, and in memory, where syncing is
free.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench_log import HERE, RESULTS, machine
from commit_tasks import APPENDS, CONFLICTS, METADATA, RACE, add_winners
from lake import LogShape, write_log

sys.path.insert(0, str(HERE.parent))
from benchmarks.peer_conflicts import measure_conflicts

SIDES = ("deltaresolver", "delta-rs")
SMALL, LARGE = LogShape(1, 10), LogShape(20, 5000)
LARGE_SHARE = 20
"""On the large table only one in this many commits is made: delta-rs takes a second or more for each."""
WRITERS = 8
WINNERS = 1000
JVM_ROUNDS, JVM_WARM_UP_ROUNDS = 2, 1
"""A round is a thousand checks, some twenty seconds, so one warms up."""


def main() -> None:
    """Measure, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--roots", nargs="*", default=[None, "/dev/shm"], help="folders for the tables: on a disk, and in memory"
    )
    parser.add_argument("--commits", type=int, default=60, help="commits in one process")
    parser.add_argument("--race-commits", type=int, default=15, help="commits of each racing process")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-delta-spark", dest="delta_spark", action="store_false")
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    rows = []
    for folder in arguments.roots:
        root = Path(tempfile.mkdtemp(prefix="bench-commit-", dir=folder))
        print(f"in {folder or tempfile.gettempdir()}")
        try:
            # The place of its log makes no difference to delta-spark's seconds, so one folder is enough.
            delta_spark = arguments.delta_spark and folder == arguments.roots[0]
            found = measure_all(root, arguments, delta_spark=delta_spark)
            rows += [{"in_memory": folder == "/dev/shm", **row} for row in found]
        finally:
            shutil.rmtree(root)
    load = round(os.getloadavg()[0], 1)
    if arguments.write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "commit.json").write_text(
            json.dumps({"machine": {**machine(), "load_at_end": load}, "rows": rows}, indent=1) + "\n"
        )


def measure_all(root: Path, arguments: argparse.Namespace, *, delta_spark: bool) -> list[dict[str, Any]]:
    """Every row of the table."""
    rows = []
    for shape in (SMALL, LARGE):
        plain = write_log(root, shape)
        for task in (APPENDS, METADATA):
            count = arguments.commits if shape is SMALL else max(arguments.commits // LARGE_SHARE, 3)
            rows.append(measure_commits(plain, task, count, arguments.repeat))
            print(describe_commits(rows[-1]), flush=True)
        if shape is SMALL:
            rows.append(measure_race(plain, arguments.race_commits, arguments.repeat))
            print(describe_race(rows[-1]), flush=True)
            rows.append(measure_commits(plain, CONFLICTS, WINNERS, arguments.repeat))
            print(describe_commits(rows[-1]), flush=True)
            if delta_spark:
                rows[-1]["delta-spark"] = measure_delta_spark(plain)
                print(describe_delta_spark(rows[-1]), flush=True)
        shutil.rmtree(plain)
    return rows


def measure_commits(plain: Path, task: str, count: int, repeat: int) -> dict[str, Any]:
    """Milliseconds a commit, by side: the median over all commits of all processes, and the best process's."""
    found: dict[str, list[list[float]]] = {side: [] for side in SIDES}
    for _ in range(repeat):
        for side in SIDES:
            table = copy(plain)
            found[side].append([1000 * each for each in run_one(side, task, table, count)["seconds"]])
            written = count_commits(table) - count_commits(plain)
            if written != (count + 1 if task == CONFLICTS else count + 2):
                raise SystemExit(f"{side} left {written} commits after {task} x {count}")
            shutil.rmtree(table)
    sides = {
        side: {
            "median_ms": round(statistics.median(each for run in runs for each in run), 3),
            "best_run_ms": round(min(statistics.median(run) for run in runs), 3),
        }
        for side, runs in found.items()
    }
    return {"task": task, "table": plain.name, "count": count, **sides}


def measure_delta_spark(plain: Path) -> dict[str, float]:
    """Milliseconds of a warm delta-spark's commit after the same winners, and of the same commit without winners."""
    base, winners = plain.with_name("base"), plain.with_name("winners")
    table = copy(plain)
    shutil.copytree(plain / "_delta_log", base)
    add_winners(table, WINNERS)
    winners.mkdir()
    for file in (table / "_delta_log").glob("*.json"):
        if not (base / file.name).exists():
            shutil.copy(file, winners)
    found = measure_conflicts(base, winners, JVM_ROUNDS, str(plain.parent), JVM_WARM_UP_ROUNDS)
    for folder in (base, winners, table):
        shutil.rmtree(folder)
    return {
        "median_ms": round(statistics.median(found["beaten_ms"]), 3),
        "without_winners_ms": round(statistics.median(found["alone_ms"]), 3),
    }


def measure_race(plain: Path, count: int, repeat: int) -> dict[str, Any]:
    """Commits per second of all writers together, and the number of commits given up, by side."""
    found: dict[str, list[tuple[float, int]]] = {side: [] for side in SIDES}
    for _ in range(repeat):
        for side in SIDES:
            table = copy(plain)
            found[side].append(race(side, table, count))
            shutil.rmtree(table)
    sides = {
        side: {
            "commits_per_second": round(statistics.median(rate for rate, _ in runs), 1),
            "all_rates": [round(rate, 1) for rate, _ in runs],
            "given_up": sum(given_up for _, given_up in runs),
        }
        for side, runs in found.items()
    }
    return {"task": RACE, "table": plain.name, "writers": WRITERS, "commits": WRITERS * count * repeat, **sides}


def race(side: str, table: Path, count: int) -> tuple[float, int]:
    """Commits per second and the number given up; checks that the log has all others."""
    before = count_commits(table)
    writers = [
        subprocess.Popen(command(side, RACE, table, count), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
        for _ in range(WRITERS)
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    answers = [json.loads(writer.communicate()[0]) for writer in writers]
    given_up = sum(answer["given_up"] for answer in answers)
    seconds = max(answer["end"] for answer in answers) - min(answer["start"] for answer in answers)
    written = count_commits(table) - before
    if written != WRITERS * count - given_up:
        raise SystemExit(f"{side} wrote {written} commits and gave up {given_up} of {WRITERS * count}")
    return written / seconds, given_up


def count_commits(table: Path) -> int:
    """How many commits the log has."""
    return len(list((table / "_delta_log").glob("*.json")))


def run_one(side: str, task: str, table: Path, count: int) -> dict[str, Any]:
    """The answer of one process."""
    done = subprocess.run(command(side, task, table, count), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def command(side: str, task: str, table: Path, count: int) -> list[str]:
    """The command that starts one side."""
    return [sys.executable, str(HERE / "commit_tasks.py"), side, task, str(table), str(count)]


def copy(plain: Path) -> Path:
    """A table to write to."""
    return Path(shutil.copytree(plain, plain.with_name(f"{plain.name}-used")))


def describe_commits(row: dict[str, Any]) -> str:
    """One line."""
    ours, theirs = (row[side]["median_ms"] for side in SIDES)
    return f"{row['task']:10} {row['table']:10} ours {ours:9.3f} ms  delta-rs {theirs:9.3f} ms  {theirs / ours:6.1f}x"


def describe_delta_spark(row: dict[str, Any]) -> str:
    """One line."""
    ours, theirs = row[SIDES[0]]["median_ms"], row["delta-spark"]["median_ms"]
    return (
        f"{row['task']:10} {row['table']:10} ours {ours:9.3f} ms  delta-spark {theirs:9.1f} ms  {theirs / ours:6.1f}x"
    )


def describe_race(row: dict[str, Any]) -> str:
    """One line."""
    ours, theirs = (row[side] for side in SIDES)
    rates = [side["commits_per_second"] for side in (ours, theirs)]
    return (
        f"{row['task']:10} {WRITERS} writers  ours {rates[0]:.1f}/s, {ours['given_up']} given up  "
        f"delta-rs {rates[1]:.1f}/s, {theirs['given_up']} given up  {rates[0] / rates[1]:.1f}x"
    )


if __name__ == "__main__":
    main()
