"""kill -9 while a checkpoint is written: the table reads as before, and what is seen of a checkpoint is whole."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deltaresolver.log.checkpoint.soundness import is_sound
from deltaresolver.log.checkpoint.write_last_checkpoint import json_checksum
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import LAST_CHECKPOINT
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.local_publish import is_staging_name
from deltaresolver.log.storage.local_store import LocalStore
from tests.logs import LogBuilder, add, metadata, remove

KILLS = 24
FILES = 600
FEATURES = ["v2Checkpoint"]
PROTOCOLS = {
    True: {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": FEATURES, "writerFeatures": FEATURES},
    False: {"minReaderVersion": 1, "minWriterVersion": 2},
}

# For each version it reads from its input it forks a writer of that version's checkpoint, kills it after the given
# time, and answers. Every other writer is let finish, so that there are checkpoints to find and to replace.
PROGRAM = """
import os, signal, sys, time
from deltaresolver.defaults import built_in_catalog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.checkpoint.write import write_checkpoint
table, kind = sys.argv[1:]
arguments = {"classic": {}, "parts": {"part_size": 100}, "v2": {"part_size": 100}}[kind]

for line in sys.stdin:
    table_version, seconds = line.split()
    has_begun, begun = os.pipe()
    writer = os.fork()
    if writer == 0:
        snapshot = DeltaLog(LocalStore(table)).snapshot(int(table_version))
        snapshot.files()
        os.write(begun, b"x")
        write_checkpoint(snapshot, snapshot.store, built_in_catalog(), **arguments)
        os._exit(0)
    os.read(has_begun, 1)
    if float(seconds) > 0:
        time.sleep(float(seconds))
        os.kill(writer, signal.SIGKILL)
    status = os.waitpid(writer, 0)[1]
    os.close(has_begun)
    os.close(begun)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


def make_table(folder: Path, kind: str) -> int:
    """A table of many commits; its last version."""
    builder = LogBuilder.local(folder)
    configuration = {"delta.checkpointPolicy": "v2"} if kind == "v2" else {}
    builder.commit({"protocol": PROTOCOLS[kind == "v2"]}, metadata(configuration))
    for number in range(20):
        files = [add(f"file {number} {each}", stats='{"numRecords":1}') for each in range(FILES // 20)]
        builder.commit(*files, remove(f"file {number - 1} 0", time.time_ns() // 1_000_000))
    return builder.next_version - 1


def facts(snapshot: Snapshot) -> tuple[object, ...]:
    rows = sorted(json.dumps({**row, "dataChange": 0}, sort_keys=True) for row in snapshot.files().to_pylist())
    return rows, snapshot.tombstones().num_rows, snapshot.protocol, snapshot.metadata


def check_hint(store: LocalStore) -> None:
    if any(file.path == LAST_CHECKPOINT for file in store.list_from(LAST_CHECKPOINT)):
        hint = json.loads(store.read(LAST_CHECKPOINT))
        assert hint["checksum"] == json_checksum(hint)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classic", "parts", "v2"])
def test_a_killed_checkpoint_leaves_the_table_readable(tmp_path: Path, kind: str) -> None:
    last = make_table(tmp_path, kind)
    store, rng = LocalStore(tmp_path), random.Random(4)
    expected = {number: facts(DeltaLog(store).snapshot(number)) for number in (last // 2, last)}
    killed = 0
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for attempt in range(KILLS):
            table_version = rng.randint(1, last)
            seconds = 0 if attempt % 8 == 7 else 0.15 * rng.random() ** 4
            process.stdin.write(f"{table_version} {seconds}\n")
            process.stdin.flush()
            killed += int(process.stdout.readline()) == -signal.SIGKILL
            check_hint(store)
            for number, before in expected.items():
                snapshot = DeltaLog(store).snapshot(number)
                assert facts(snapshot) == before
                checkpoint = snapshot.segment.checkpoint
                assert checkpoint is None or is_sound(store, checkpoint)
        process.stdin.close()
    assert killed > KILLS // 4
    left = [file.name for file in (tmp_path / "_delta_log").iterdir() if file.suffix == ".tmp"]
    assert all(is_staging_name(name) for name in left)
