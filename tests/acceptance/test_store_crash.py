"""kill -9 of a writer at random points: every file that can be seen is whole, and nothing else can be seen."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltaresolver.log.storage.local_publish import STAGING_PREFIX, STAGING_SUFFIX, is_staging_name
from deltaresolver.log.storage.local_store import LocalStore

KILLS = 200
KILLS_PER_TABLE = 25
COMMIT = re.compile(r"_delta_log/(\d{20})\.json")
CHECKPOINT = "_delta_log/_last_checkpoint"

# For each line "table, first version, seconds" it forks a writer that commits as fast as it can, kills it after that
# time, and answers. A body's length and content follow from its version. Forking one process again and again makes
# two hundred kills a matter of seconds.
PROGRAM = """
import os, signal, sys, time
from deltaresolver.log.storage.local_store import LocalStore
way = sys.argv[1]
if way != "unnamed":
    del os.O_TMPFILE
if way == "rename":
    def refuse(*_, **__):
        raise PermissionError(1, "Operation not permitted")
    os.link = refuse

def write(table, first):
    store = LocalStore(table)
    os.write(begun, b"x")
    for number in range(first, 10**9):
        body = b"%d;" % number * (1 + number * 7919 % 30_000)
        store.put_if_absent(f"_delta_log/{number:020}.json", body)
        store.put("_delta_log/_last_checkpoint", body)

for line in sys.stdin:
    table, first, seconds = line.rsplit(maxsplit=2)
    has_begun, begun = os.pipe()
    writer = os.fork()
    if writer == 0:
        write(table, int(first))
    os.read(has_begun, 1)
    time.sleep(float(seconds))
    os.kill(writer, signal.SIGKILL)
    status = os.waitpid(writer, 0)[1]
    os.close(has_begun)
    os.close(begun)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


def expected(number: int) -> bytes:
    return b"%d;" % number * (1 + number * 7919 % 30_000)


@pytest.fixture(params=["unnamed", "link", "rename"])
def killer(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """Starts and kills writers; one for each way to publish a file."""
    command = [sys.executable, "-c", PROGRAM, request.param]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def kill_one_writer(killer: subprocess.Popen[str], table: Path, first: int, seconds: float) -> None:
    assert killer.stdin is not None
    assert killer.stdout is not None
    killer.stdin.write(f"{table} {first} {seconds}\n")
    killer.stdin.flush()
    assert killer.stdout.readline() == "-9\n"


def check_what_can_be_seen(table: Path, checked: int) -> int:
    """Checks all that a reader can see; returns the next free version. Bodies below `checked` were looked at before."""
    store = LocalStore(table)
    commits, others = [], []
    for file in store.list_from("_delta_log/"):
        match = COMMIT.fullmatch(file.path)
        if match is None:
            others.append(file.path)
            continue
        commits.append(int(match[1]))
        if commits[-1] >= checked:
            assert store.read(file.path) == expected(commits[-1])
            assert file.size == len(expected(commits[-1]))
    assert commits == list(range(len(commits)))
    assert others in ([], [CHECKPOINT])
    if others:
        newest = int(store.read(CHECKPOINT).partition(b";")[0])
        assert store.read(CHECKPOINT) == expected(newest)
        assert newest < len(commits)
    return len(commits)


def check_leftovers(table: Path, commits: int) -> None:
    """Whatever else lies in the folder has a name no Delta reader would look at."""
    folder = table / "_delta_log"
    names = {file.name for file in folder.iterdir()} if folder.is_dir() else set[str]()
    names -= {f"{number:020}.json" for number in range(commits)} | {"_last_checkpoint"}
    assert all(is_staging_name(name) for name in names)


@pytest.mark.slow
def test_a_killed_writer_leaves_whole_commits_only(tmp_path: Path, killer: subprocess.Popen[str]) -> None:
    rng = random.Random(9)
    commits = 0
    for tables in range(KILLS // KILLS_PER_TABLE):
        table = tmp_path / f"table {tables}"
        next_version = 0
        for _ in range(KILLS_PER_TABLE):
            kill_one_writer(killer, table, next_version, rng.uniform(0, 0.015))
            next_version = check_what_can_be_seen(table, next_version)
        check_leftovers(table, next_version)
        commits += next_version
    assert commits > KILLS // 10, "the writers were killed before they wrote anything"


def test_delta_rs_reads_and_writes_beside_our_files_and_leftovers(tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake", reason="deltalake is missing: run script/bootstrap")
    pa = pytest.importorskip("pyarrow")
    table, store = tmp_path / "table", LocalStore(tmp_path / "table")
    deltalake.write_deltalake(table, pa.table({"a": [1]}))
    first = store.read("_delta_log/00000000000000000000.json")
    for number in range(3):
        leftover = f"{STAGING_PREFIX}{number}{STAGING_SUFFIX}"
        (table / "_delta_log" / leftover).write_bytes(first[: len(first) // 2])
    store.put_if_absent("_delta_log/00000000000000000001.json", b'{"commitInfo":{"operation":"OURS"}}\n')
    assert deltalake.DeltaTable(table).version() == 1
    deltalake.write_deltalake(table, pa.table({"a": [2]}), mode="append")
    deltalake.DeltaTable(table).create_checkpoint()
    read = deltalake.DeltaTable(table)
    assert read.version() == 2
    assert sorted(read.to_pyarrow_table()["a"].to_pylist()) == [1, 2]
    assert [file.path[11:] for file in store.list_from("_delta_log/")] == [
        "00000000000000000000.json",
        "00000000000000000001.json",
        "00000000000000000002.checkpoint.parquet",
        "00000000000000000002.json",
        "_last_checkpoint",
    ]
