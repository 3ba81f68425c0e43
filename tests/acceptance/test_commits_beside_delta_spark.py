"""delta-spark reads what our transactions commit, and continues to write where we stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.model.actions import Action, AddFile, DomainMetadata, SetTransaction
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.acceptance.test_snapshot_peers import our_facts
from tests.peers.delta_spark import DeltaSpark
from tests.peers.snapshot_facts import delta_spark_facts, differences
from tests.transactions import SCHEMA

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = pytest.mark.peer

PROPERTIES = {
    "delta.enableRowTracking": "true",
    "delta.enableInCommitTimestamps": "true",
    "delta.enableDeletionVectors": "true",
    "delta.columnMapping.mode": "name",
    "delta.feature.v2Checkpoint": "supported",
}


def begin(path: Path) -> OptimisticTransaction:
    return OptimisticTransaction(DeltaLog(LocalStore(path)), delta_spark_catalog())


def commit(path: Path, operation: Operation, *actions: Action) -> int:
    return begin(path).commit(list(actions), operation)


def moved(file: AddFile) -> AddFile:
    """The same file again, with other statistics."""
    return AddFile(
        file.path,
        file.partition_values,
        file.size,
        file.modification_time,
        data_change=False,
        stats=file.stats,
        base_row_id=file.base_row_id,
        default_row_commit_version=file.default_row_commit_version,
    )


@pytest.fixture(scope="module")
def table(delta_spark: DeltaSpark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Created and changed by us, with rows written by delta-spark in between."""
    path = tmp_path_factory.mktemp("commits") / "table"
    creation = begin(path)
    creation.update_metadata_for_new_table(
        Metadata("11111111-1111-4111-8111-111111111111", schema_string=SCHEMA, configuration=PROPERTIES)
    )
    creation.commit([], operations.table_creation())
    delta_spark.sql("INSERT INTO {table} SELECT id, 'a' FROM RANGE(20)", path)
    commit(path, operations.streaming_update("Append", "q", 3), SetTransaction("app", 3))
    commit(path, operations.manual_update(), DomainMetadata("user.domain", '{"a":1}'))
    reader = begin(path)
    files = reader.filter_files()
    reader.commit([moved(file) for file in files], operations.with_predicate("COMPUTE STATS"))
    changing = begin(path)
    properties = {**changing.metadata.configuration, "delta.enableChangeDataFeed": "true"}
    changing.update_metadata(changing.metadata.with_configuration(properties))
    changing.commit([], operations.set_properties({"delta.enableChangeDataFeed": "true"}))
    delta_spark.sql("DELETE FROM {table} WHERE id = 3", path)
    delta_spark.sql("INSERT INTO {table} SELECT id, 'b' FROM RANGE(20, 25)", path)
    return path


def test_delta_spark_sees_the_same_table_at_every_version(table: Path) -> None:
    log = DeltaLog(LocalStore(table))
    last = log.snapshot().table_version
    assert last == 7
    for version in range(last + 1):
        snapshot = log.snapshot(version)
        ours, theirs = our_facts(snapshot), delta_spark_facts(table, version)
        assert differences(ours, theirs) == []
        assert ours["files"].keys() == theirs["files"].keys()


def test_delta_spark_reads_the_rows_with_their_ids(table: Path, delta_spark: DeltaSpark) -> None:
    rows = delta_spark.read(table).selectExpr("id", "_metadata.row_id AS row").collect()
    assert sorted(row["id"] for row in rows) == [number for number in range(25) if number != 3]
    assert len({row["row"] for row in rows}) == 24


def test_history_shows_our_operations_beside_its_own(table: Path, delta_spark: DeltaSpark) -> None:
    found = delta_spark.sql("DESCRIBE HISTORY {table}", table).orderBy("version").collect()
    assert [row["operation"] for row in found] == [
        "CREATE TABLE",
        "WRITE",
        "STREAMING UPDATE",
        "Manual Update",
        "COMPUTE STATS",
        "SET TBLPROPERTIES",
        "DELETE",
        "WRITE",
    ]
    assert json.loads(found[5]["operationParameters"]["properties"]) == {"delta.enableChangeDataFeed": "true"}
    assert found[2]["isolationLevel"] == "Serializable"
    assert found[2]["engineInfo"].startswith("deltaresolver")
