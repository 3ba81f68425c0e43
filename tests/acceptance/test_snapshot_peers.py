"""Every version of a table the real delta-spark wrote is read as delta-spark reads it, checkpoints and all."""

import json
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.local_store import LocalStore
from tests.peers.delta_spark import DeltaSpark
from tests.peers.snapshot_facts import delta_spark_facts, differences, history

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = pytest.mark.peer

PROPERTIES = {
    "delta.enableDeletionVectors": "true",
    "delta.enableRowTracking": "true",
    "delta.checkpointPolicy": "v2",
    "delta.enableInCommitTimestamps": "true",
    "delta.checkpointInterval": "3",
}


@pytest.fixture(scope="module")
def table(delta_spark: DeltaSpark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A partitioned table through writes, deletes, updates, a compaction and a raised protocol."""
    path = tmp_path_factory.mktemp("peers") / "table"
    delta_spark.sql(
        "CREATE TABLE {table} (id BIGINT, part STRING) USING DELTA PARTITIONED BY (part) "
        "TBLPROPERTIES ('delta.checkpointInterval' = '4')",
        path,
    )
    insert = "INSERT INTO {table} SELECT id, CASE WHEN id % 3 = 0 THEN NULL WHEN id % 3 = 1 THEN 'a b/%' ELSE 'ü:' END"
    delta_spark.sql(f"{insert} FROM RANGE(20)", path)
    delta_spark.sql(f"{insert} FROM RANGE(20, 40)", path)
    delta_spark.sql("DELETE FROM {table} WHERE id < 5", path)
    settings = ", ".join(f"'{key}' = '{value}'" for key, value in PROPERTIES.items())
    delta_spark.sql(f"ALTER TABLE {{table}} SET TBLPROPERTIES ({settings})", path)
    delta_spark.sql("DELETE FROM {table} WHERE id = 11", path)
    delta_spark.sql("UPDATE {table} SET id = id + 100 WHERE id = 13", path)
    delta_spark.write(delta_spark.read(path).limit(1), path, txnAppId="loader", txnVersion="7")
    delta_spark.sql("OPTIMIZE {table}", path)
    delta_spark.sql(f"{insert} FROM RANGE(3)", path)
    return path


def our_facts(snapshot: Snapshot) -> dict[str, Any]:
    protocol = {
        key: sorted(value) if isinstance(value, list) else value for key, value in snapshot.protocol.to_json().items()
    }
    return {
        "table_version": snapshot.table_version,
        "protocol": protocol,
        "metadata": {
            "id": snapshot.metadata.id,
            "partitionColumns": list(snapshot.metadata.partition_columns),
            "configuration": dict(snapshot.metadata.configuration),
            "createdTime": snapshot.metadata.created_time,
            "name": snapshot.metadata.name,
            "description": snapshot.metadata.description,
            "schema": json.loads(snapshot.metadata.schema_string or "null"),
        },
        "files": {
            action.path: {
                "size": action.size,
                "modificationTime": action.modification_time,
                "baseRowId": action.base_row_id,
                "defaultRowCommitVersion": action.default_row_commit_version,
            }
            for action in snapshot.add_actions()
        },
        "transactions": {app_id: each.app_version for app_id, each in snapshot.transactions.items()},
        "domains": {name: each.configuration for name, each in snapshot.domains.items()},
    }


def vectors(snapshot: Snapshot) -> dict[str, int]:
    return {
        action.path: action.deletion_vector.cardinality
        for action in snapshot.add_actions()
        if action.deletion_vector is not None
    }


def test_every_version_is_read_as_delta_spark_reads_it(table: Path) -> None:
    log = DeltaLog(LocalStore(table))
    last = log.snapshot().table_version
    assert last >= 9
    for version in range(last + 1):
        snapshot, theirs = log.snapshot(version=version), delta_spark_facts(table, version)
        ours = our_facts(snapshot)
        assert differences(ours, theirs) == []
        assert ours["files"].keys() == theirs["files"].keys()
        expected = {
            path: file["deletionVector"]["cardinality"]
            for path, file in theirs["files"].items()
            if file.get("deletionVector")
        }
        assert vectors(snapshot) == expected


def test_checkpoints_were_written_and_used(table: Path) -> None:
    segments = [DeltaLog(LocalStore(table)).snapshot(version=version).segment for version in (4, 9)]
    assert all(segment.checkpoint is not None for segment in segments)


def test_updates_one_by_one_end_where_a_fresh_read_does(table: Path) -> None:
    log = DeltaLog(LocalStore(table))
    fresh = our_facts(log.snapshot())
    early = log.snapshot(version=2)
    assert our_facts(early)["table_version"] == 2
    assert our_facts(early.update()) == fresh


def test_history_returns_what_describe_history_returns(table: Path) -> None:
    theirs = [
        (row["version"], row["operation"], int(row["timestamp"].timestamp() * 1000), row["engineInfo"])
        for row in history(table)
    ]
    entries = DeltaLog(LocalStore(table)).history()
    assert [(each.table_version, each.operation, each.timestamp_ms, each.engine) for each in entries] == theirs
    raised = [entry for entry in entries if entry.protocol_change is not None and entry.protocol_change.raises]
    # Row tracking comes first and in a commit of its own, so that the ids of old rows can be filled in.
    assert [entry.operation for entry in raised] == ["SET TBLPROPERTIES", "UPGRADE PROTOCOL"]
    later, earlier = (entry.protocol_change for entry in raised)
    assert earlier is not None
    assert earlier.added_features == ("appendOnly", "domainMetadata", "invariants", "rowTracking")
    assert later is not None
    assert {"deletionVectors", "v2Checkpoint", "inCommitTimestamp"} <= set(later.added_features)
    assert set(PROPERTIES) <= {each.key for each in later.properties}
