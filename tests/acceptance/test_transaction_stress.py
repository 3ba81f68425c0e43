"""Real processes on one table: every commit is accounted for, whoever writes beside us and whoever dies."""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.transaction_writers import (
    append_with_delta_rs,
    check_all_is_accounted_for,
    commit_some,
    create_table,
    open_log,
    read_commits,
)
from tests.peers.delta_spark import DeltaSpark
from tests.peers.s3_server import S3Server, run_s3_server

pytest_plugins = ["tests.peers.fixtures"]

WRITERS = 8
COMMITS_EACH = 100
KILLS = 100
# Not fork: the threads of Arrow and of object stores do not survive it.
SPAWN = multiprocessing.get_context("spawn")


def race(location: str, options: dict[str, str], writers: int, count: int, *others: Any) -> list[tuple[str, str, int]]:
    """Our writers, and processes of others' that take a start signal last; what ours were told."""
    start = SPAWN.Barrier(writers + len(others))
    told: Any = SPAWN.Queue()
    processes = [
        SPAWN.Process(target=commit_some, args=(f"w{number}", location, options, count, start, told))
        for number in range(writers)
    ]
    processes += [SPAWN.Process(target=target, args=(*arguments, start)) for target, *arguments in others]
    for process in processes:
        process.start()
    answers: list[tuple[str, str, int]] = []
    while len(answers) < writers * count and all(process.exitcode in (None, 0) for process in processes):
        with contextlib.suppress(queue.Empty):
            answers.append(told.get(timeout=5))
    for process in processes:
        process.join(timeout=240)
    assert [process.exitcode for process in processes] == [0] * len(processes)
    return answers


@pytest.mark.slow
@pytest.mark.parametrize(
    "properties",
    [{}, {"delta.enableRowTracking": "true", "delta.enableInCommitTimestamps": "true"}],
    ids=["plain", "rows"],
)
def test_no_commit_of_eight_processes_is_lost_or_doubled(tmp_path: Path, properties: dict[str, str]) -> None:
    location = str(tmp_path / "table")
    create_table(location, {}, properties)
    told = race(location, {}, WRITERS, COMMITS_EACH)
    assert check_all_is_accounted_for(location, {}, told) == WRITERS * COMMITS_EACH + 1
    if properties:
        check_row_ids(location)


def check_row_ids(location: str) -> None:
    adds = [
        action["add"] for actions in read_commits(open_log(location).store) for action in actions if "add" in action
    ]
    assert sorted(add["baseRowId"] for add in adds) == list(range(len(adds)))


@pytest.mark.slow
def test_no_commit_is_lost_beside_delta_rs_writers(tmp_path: Path) -> None:
    pytest.importorskip("deltalake", reason="deltalake is missing: run script/bootstrap")
    location = str(tmp_path / "table")
    create_table(location)
    told = race(location, {}, 3, 40, *[(append_with_delta_rs, location, {}, 20)] * 3)
    assert check_all_is_accounted_for(location, {}, told) == 3 * 40 + 3 * 20 + 1
    import deltalake

    live = {file.path for file in open_log(location).snapshot().add_actions()}
    assert {Path(path).name for path in deltalake.DeltaTable(location).file_uris()} == live


@pytest.mark.peer
@pytest.mark.slow
def test_no_commit_is_lost_beside_a_delta_spark_session(tmp_path: Path, delta_spark: DeltaSpark) -> None:
    location = str(tmp_path / "table")
    create_table(location)
    rows = delta_spark.spark.range(1)
    begun = threading.Event()

    def append_with_spark() -> None:
        begun.set()
        for _ in range(15):
            delta_spark.write(rows, location)

    spark_writer = threading.Thread(target=append_with_spark)
    spark_writer.start()
    begun.wait()
    told = race(location, {}, 3, 60)
    spark_writer.join(timeout=240)
    assert not spark_writer.is_alive()
    assert check_all_is_accounted_for(location, {}, told) == 3 * 60 + 15 + 1
    live = {file.path for file in open_log(location).snapshot().add_actions()}
    theirs = {file.path() for file in delta_spark.snapshot(location).allFiles().collectAsList()}
    assert theirs == live


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with run_s3_server() as server:
        server.make_bucket("lake")
        yield server


@pytest.mark.s3
@pytest.mark.slow
def test_no_commit_is_lost_on_an_object_store(server: S3Server) -> None:
    location = "s3://lake/stress"
    create_table(location, server.options)
    told = race(location, server.options, 4, 15)
    assert check_all_is_accounted_for(location, server.options, told) == 4 * 15 + 1


@pytest.mark.s3
@pytest.mark.slow
def test_no_commit_is_lost_beside_delta_rs_writers_on_an_object_store(server: S3Server) -> None:
    pytest.importorskip("deltalake", reason="deltalake is missing: run script/bootstrap")
    location = "s3://lake/beside-delta-rs"
    create_table(location, server.options)
    told = race(location, server.options, 2, 15, *[(append_with_delta_rs, location, server.options, 5)] * 2)
    assert check_all_is_accounted_for(location, server.options, told) == 2 * 15 + 2 * 5 + 1


# Forks writers that commit without end, keeps two alive, and kills one after the other. Forking a process that has
# imported everything makes a hundred deaths a matter of seconds.
PROGRAM = """
import os, random, signal, sys, time
from pathlib import Path
from deltaresolver.defaults import delta_spark_catalog
from tests.acceptance.transaction_writers import killed_at_random
location, notes, kills = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
delta_spark_catalog()

def fork(number):
    writer = os.fork()
    if writer == 0:
        killed_at_random(location, f"w{number}", notes / f"w{number}")
    return writer

rng = random.Random(5)
alive = [fork(0), fork(1)]
for number in range(2, kills + 2):
    time.sleep(rng.uniform(0.01, 0.15))
    victim = alive.pop(rng.randrange(len(alive)))
    os.kill(victim, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(victim, 0)[1]) == -9
    if number < kills:
        alive.append(fork(number))
"""


@pytest.mark.slow
def test_killed_writers_lose_nothing_acknowledged_and_tear_nothing(tmp_path: Path, root: Path) -> None:
    location, notes = str(tmp_path / "table"), tmp_path / "notes"
    create_table(location)
    notes.mkdir()
    command = [sys.executable, "-c", PROGRAM, location, str(notes), str(KILLS)]
    subprocess.run(command, cwd=root, check=True, timeout=240)
    told = [note for file in notes.iterdir() for note in read_notes(file)]
    commits = check_all_is_accounted_for(location, {}, told)
    assert len(told) > KILLS, "the writers were killed before they wrote anything"
    # A writer may die between its commit and its note, so each leaves at most one commit it was not told of.
    assert len(told) <= commits - 1 <= len(told) + KILLS


def read_notes(file: Path) -> list[tuple[str, str, int]]:
    lines = [line.split() for line in file.read_text().splitlines()]
    return [(writer, transaction_id, int(version)) for writer, transaction_id, version in lines]
