"""Transactions beside delta-spark's recorded answers, and beside each other in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.model.metadata import Metadata
from deltaresolver.testing.conformance.conflicts import run_conflicts
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.transactions import SCHEMA

WRITER = """
import sys
from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.log import DeltaLog
from deltaresolver.model.actions import AddFile
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction

folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
log = DeltaLog(LocalStore(folder))
for number in range(count):
    transaction = OptimisticTransaction(log, delta_spark_catalog())
    file = AddFile(f"{name}-{number}", {}, 1, 1, data_change=True, stats='{"numRecords":3}')
    version = transaction.commit([file], operations.write())
    print(version, transaction.transaction_id, flush=True)
"""


def test_every_recorded_conflict_is_decided_as_recorded(shared: Path) -> None:
    report = run_conflicts(shared / "conformance" / "conflicts.jsonl.gz")
    assert not report.failures, "\n".join(f"{failure.id}: {failure.detail}" for failure in report.failures[:5])
    assert report.passed, "there are no cases"


def create(folder: Path) -> None:
    transaction = OptimisticTransaction(DeltaLog(LocalStore(folder)), delta_spark_catalog())
    configuration = {"delta.enableRowTracking": "true", "delta.enableInCommitTimestamps": "true"}
    transaction.update_metadata_for_new_table(Metadata("t", schema_string=SCHEMA, configuration=configuration))
    transaction.commit([], operations.table_creation())


def start(folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def acknowledged(process: subprocess.Popen[str]) -> dict[int, str]:
    """The commits a writer was told of: transaction id by version."""
    output, _ = process.communicate(timeout=120)
    complete = [line.split() for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return {int(version): transaction_id for version, transaction_id in complete}


def written(folder: Path) -> dict[int, str]:
    """What the log holds: transaction id by version."""
    files = sorted((folder / "_delta_log").glob("*.json"))
    return {int(file.stem): json.loads(file.read_bytes().split(b"\n")[0])["commitInfo"]["txnId"] for file in files}


def ensure_consistent(folder: Path) -> None:
    """Versions dense, each transaction once, row ids dense, timestamps rising."""
    found = written(folder)
    assert sorted(found) == list(range(len(found)))
    assert len(set(found.values())) == len(found)
    log = DeltaLog(LocalStore(folder))
    starts = sorted(file.base_row_id or 0 for file in log.snapshot().add_actions())
    assert starts == [3 * number for number in range(len(starts))]
    times = [entry.info.in_commit_timestamp or 0 for entry in reversed(log.history())]
    assert times == sorted(set(times))


@pytest.mark.slow
def test_writers_in_several_processes_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    create(tmp_path)
    writers = [start(tmp_path, f"w{number}", 25) for number in range(4)]
    told = [acknowledged(writer) for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4
    assert sum(map(len, told)) == 100
    everything = {version: each for one in told for version, each in one.items()}
    assert everything == {version: each for version, each in written(tmp_path).items() if version > 0}
    ensure_consistent(tmp_path)


@pytest.mark.slow
def test_writers_killed_in_the_middle_leave_every_acknowledged_commit_and_no_torn_one(tmp_path: Path) -> None:
    create(tmp_path)
    for number in range(6):
        pair = [start(tmp_path, f"w{number}-{side}", 200) for side in "ab"]
        for writer in pair:
            assert writer.stdout is not None
            lines = [writer.stdout.readline() for _ in range(3 + number)]
            writer.kill()
            output, _ = writer.communicate(timeout=60)
            for line in ("".join(lines) + output).splitlines(keepends=True):
                if line.endswith("\n"):
                    version, transaction_id = line.split()
                    assert written(tmp_path)[int(version)] == transaction_id
    ensure_consistent(tmp_path)
