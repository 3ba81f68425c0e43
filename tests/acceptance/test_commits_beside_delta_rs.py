"""Commits of ours and of delta-rs on one table: both read it alike, and in a race neither loses a commit.

delta-rs runs in processes of its own, since its runtime may end the interpreter when it stops.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.log.local_store import LocalStore
from deltaresolver.log.log import DeltaLog
from deltaresolver.model.actions import AddFile, RemoveFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.acceptance.test_conflicts import acknowledged, start
from tests.transactions import SCHEMA

pytest.importorskip("deltalake", reason="deltalake is missing: run script/bootstrap")

FACTS = """
import json, sys
from deltalake import DeltaTable

table = DeltaTable(sys.argv[1])
print(json.dumps({
    "version": table.version(),
    "files": sorted(path.rsplit("/", 1)[-1] for path in table.file_uris()),
    "configuration": dict(table.metadata().configuration),
    "protocol": [table.protocol().min_reader_version, table.protocol().min_writer_version],
    "operations": [entry["operation"] for entry in reversed(table.history())],
}))
"""
APPENDING = """
import sys
import pyarrow as pa
from deltalake import write_deltalake

for number in range(int(sys.argv[2])):
    write_deltalake(sys.argv[1], pa.table({"id": [number], "p": ["rs"]}), mode="append")
print("done")
"""


def in_process(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)


def read_by_delta_rs(folder: Path) -> dict[str, Any]:
    output, _ = in_process(FACTS, str(folder)).communicate(timeout=120)
    found: dict[str, Any] = json.loads(output)
    return found


def begin(folder: Path) -> OptimisticTransaction:
    return OptimisticTransaction(DeltaLog(LocalStore(folder)), delta_spark_catalog())


def create(folder: Path, **configuration: str) -> None:
    transaction = begin(folder)
    transaction.update_metadata_for_new_table(Metadata("t", schema_string=SCHEMA, configuration=configuration))
    transaction.commit([], operations.table_creation())


def file(name: str) -> AddFile:
    return AddFile(name, {}, 1, 1, data_change=True, stats='{"numRecords":3}')


@pytest.mark.slow
def test_delta_rs_reads_what_we_commit(tmp_path: Path) -> None:
    create(tmp_path, **{"delta.appendOnly": "false"})
    begin(tmp_path).commit([file("a"), file("b")], operations.write())
    begin(tmp_path).commit([RemoveFile("a", 1, partition_values={}, size=1), file("c")], operations.merge(["x"]))
    transaction = begin(tmp_path)
    metadata = transaction.metadata
    transaction.update_metadata(metadata.with_configuration({**metadata.configuration, "my.key": "1"}))
    transaction.commit([], operations.set_properties({"my.key": "1"}))
    assert read_by_delta_rs(tmp_path) == {
        "version": 3,
        "files": ["b", "c"],
        "configuration": {"delta.appendOnly": "false", "my.key": "1"},
        "protocol": [1, 2],
        "operations": ["CREATE TABLE", "WRITE", "MERGE", "SET TBLPROPERTIES"],
    }


@pytest.mark.slow
def test_a_race_with_delta_rs_loses_nothing(tmp_path: Path) -> None:
    create(tmp_path)
    theirs = [in_process(APPENDING, str(tmp_path), "15") for _ in range(2)]
    ours = [start(tmp_path, f"w{number}", 15) for number in range(2)]
    told = [acknowledged(writer) for writer in ours]
    assert [writer.communicate(timeout=120)[0] for writer in theirs] == ["done\n"] * 2
    assert [len(each) for each in told] == [15, 15]
    assert sorted(int(each.stem) for each in (tmp_path / "_delta_log").glob("0*.json")) == list(range(61))
    facts = read_by_delta_rs(tmp_path)
    live = sorted(each.path for each in DeltaLog(LocalStore(tmp_path)).snapshot().add_actions())
    assert len(live) == 60
    assert facts["files"] == live
