"""Dropping features: what goes before, what stays as a guard, and what is refused."""

from __future__ import annotations

import json

import attrs
import pytest

from deltaresolver.errors import (
    BarrierCheckpointError,
    CheckpointUnusableError,
    ColumnMappingError,
    FeatureDropRefusedError,
    FeatureInUseError,
    FeatureStillUsedError,
    HistoryUsesFeatureError,
)
from deltaresolver.features.behaviour.deletion_vector_tombstones import vector_path
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import DeletionVector, DomainMetadata, RemoveFile
from deltaresolver.model.protocol import Protocol
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.alter.alter_table import alter_table
from deltaresolver.transaction.drop.drop_feature import drop_feature
from deltaresolver.transaction.starter import TransactionStarter
from tests.shop import HOUR_MS, SCHEMA, VECTOR, Shop


def test_history_is_protected_by_three_checkpoints_and_a_feature() -> None:
    shop = Shop({"delta.checkpointPolicy": "v2"})
    outcome = drop_feature(shop.starter(), "v2Checkpoint")
    told = [commit.operation for commit in outcome.commits]
    assert told == ["SET TBLPROPERTIES", *["Empty Commit"] * 3, "DROP FEATURE"]
    assert outcome.checkpoints == (2, 3, 4, 5)
    assert outcome.protects_before == 5
    assert outcome.after == Protocol.of(1, 7, (), ["appendOnly", "checkpointProtection", "invariants"])
    assert shop.snapshot.metadata.configuration["delta.requireCheckpointProtectionBeforeVersion"] == "5"


def test_a_dry_run_says_the_same_and_writes_nothing() -> None:
    shop = Shop({"delta.enableRowTracking": "true"})
    shop.append()
    before = sorted(file.path for file in shop.store.list_from("_delta_log/"))
    said = drop_feature(shop.starter(), "rowTracking", dry_run=True)
    assert sorted(file.path for file in shop.store.list_from("_delta_log/")) == before
    done = drop_feature(shop.starter(), "rowTracking")
    assert (said.commits, said.after, said.checkpoints) == (done.commits, done.after, done.checkpoints)


def test_row_tracking_takes_its_ids_properties_and_mark_along() -> None:
    shop = Shop({"delta.enableRowTracking": "true"})
    shop.append("a")
    shop.append("b")
    outcome = drop_feature(shop.starter(), "rowTracking")
    told = [commit.operation for commit in outcome.commits]
    assert told == ["SET TBLPROPERTIES", "ROW TRACKING UNBACKFILL", "DROP FEATURE"]
    snapshot = shop.snapshot
    assert dict(snapshot.metadata.configuration) == {}
    assert all(file.base_row_id is None for file in snapshot.add_actions())
    assert not [domain for domain in snapshot.domains.values() if not domain.removed]
    assert drop_feature(shop.starter(), "domainMetadata").after == Protocol(1, 2)


def test_leftover_domains_are_removed_with_the_feature() -> None:
    shop = Shop({"delta.feature.domainMetadata": "supported"})
    shop.starter().start().commit((DomainMetadata("mine", "{}", removed=False),), operations.manual_update())
    outcome = drop_feature(shop.starter(), "domainMetadata")
    assert [commit.operation for commit in outcome.commits] == ["DOMAIN METADATA CLEANUP", "DROP FEATURE"]


def test_in_commit_timestamps_that_came_later_take_their_note_along() -> None:
    shop = Shop()
    alter_table(shop.starter(), {"delta.enableInCommitTimestamps": "true"})
    outcome = drop_feature(shop.starter(), "inCommitTimestamp")
    assert dict(shop.snapshot.metadata.configuration) == {"delta.enableInCommitTimestamps": "false"}
    first = next(shop.lines(outcome.commits[0].table_version))["commitInfo"]
    assert isinstance(first, dict)
    assert json.loads(first["operationParameters"]["properties"]) == [
        "delta.inCommitTimestampEnablementTimestamp",
        "delta.inCommitTimestampEnablementVersion",
        "delta.enableInCommitTimestamps",
    ]


def test_column_mapping_is_dropped_from_a_table_without_files_only() -> None:
    shop = Shop({"delta.columnMapping.mode": "name"})
    outcome = drop_feature(shop.starter(), "columnMapping")
    assert outcome.commits[0].operation == "REMOVE COLUMN MAPPING"
    assert shop.snapshot.metadata.schema_string == SCHEMA
    shop = Shop({"delta.columnMapping.mode": "name"})
    shop.append()
    with pytest.raises(FeatureInUseError, match="physical names"):
        drop_feature(shop.starter(), "columnMapping")
    assert shop.snapshot.table_version == 1


def test_type_changes_are_forgotten_where_no_file_can_hold_the_old_type() -> None:
    change = '{"delta.typeChanges":[{"toType":"long","fromType":"integer"}]}'
    schema = SCHEMA.replace('"metadata":{}', f'"metadata":{change}')
    shop = Shop({"delta.enableTypeWidening": "true"}, schema)
    outcome = drop_feature(shop.starter(), "typeWidening")
    told = [commit.operation for commit in outcome.commits]
    assert told == ["UNSET TBLPROPERTIES", "DROP FEATURE", *["Empty Commit"] * 3, "DROP FEATURE"]
    assert shop.snapshot.metadata.schema_string == SCHEMA
    shop = Shop({"delta.enableTypeWidening": "true"}, schema)
    shop.append()
    with pytest.raises(FeatureInUseError, match="id changed type"):
        drop_feature(shop.starter(), "typeWidening")


def test_deletion_vectors_on_files_are_for_spark_and_nothing_is_written() -> None:
    shop = Shop({"delta.enableDeletionVectors": "true"})
    shop.append(deletion_vector=VECTOR)
    with pytest.raises(FeatureInUseError) as raised:
        drop_feature(shop.starter(), "deletionVectors")
    assert "REORG TABLE" in (raised.value.fix or "")
    assert shop.snapshot.table_version == 1


def test_files_of_recent_deletion_vectors_get_tombstones() -> None:
    shop = Shop({"delta.enableDeletionVectors": "true"})
    shop.append(deletion_vector=VECTOR)
    removed = RemoveFile("a", shop.clock(), deletion_vector=VECTOR)
    shop.starter().start().commit((removed,), operations.with_predicate("DELETE"))
    outcome = drop_feature(shop.starter(), "deletionVectors")
    told = [commit.operation for commit in outcome.commits[:2]]
    assert told == ["UNSET TBLPROPERTIES", "Deletion Vector Tombstones"]
    assert vector_path(VECTOR) in [file.path for file in shop.snapshot.remove_actions()]


def test_the_path_of_a_deletion_vectors_file_is_that_of_the_specification() -> None:
    # The example of the protocol's text.
    assert vector_path(VECTOR) == "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
    assert vector_path(DeletionVector("i", "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L")) is None


def test_a_refused_drop_names_the_constraints() -> None:
    shop = Shop({"delta.constraints.positive": "id > 0"})
    with pytest.raises(FeatureInUseError) as raised:
        drop_feature(shop.starter(), "checkConstraints")
    assert raised.value.delta_condition == "DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE"
    assert "DROP CONSTRAINT positive" in (raised.value.fix or "")


def test_a_feature_written_in_other_letters_is_named_as_the_table_has_it() -> None:
    shop = Shop({"delta.enableRowTracking": "true"})
    with pytest.raises(FeatureDropRefusedError, match="the table has it as rowTracking") as raised:
        drop_feature(shop.starter(), "RowTracking")
    assert raised.value.fix == "Write rowTracking."


@pytest.mark.parametrize(
    ("name", "truncate", "condition"),
    [
        ("nonsense", False, "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE"),
        ("delta.appendOnly", False, "DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY"),
        ("columnMapping", False, "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT"),
        ("ROWTRACKING", False, "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT"),
        ("appendOnly", False, "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE"),
        ("domainMetadata", False, "DELTA_FEATURE_DROP_DEPENDENT_FEATURE"),
        ("rowTracking", True, "DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED"),
        (
            "checkpointProtection",
            False,
            "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION",
        ),
    ],
)
def test_a_drop_that_cannot_be_done_is_refused(name: str, truncate: bool, condition: str) -> None:
    asked = {"delta.feature.rowTracking": "supported", "delta.feature.checkpointProtection": "supported"}
    shop = Shop(asked)
    with pytest.raises(FeatureDropRefusedError) as raised:
        drop_feature(shop.starter(), name, truncate_history=truncate)
    assert raised.value.delta_condition == condition
    assert raised.value.fix
    assert shop.snapshot.table_version == 0


def test_truncating_history_waits_and_then_succeeds() -> None:
    shop = Shop({"delta.checkpointPolicy": "v2"})
    shop.append()
    with pytest.raises(HistoryUsesFeatureError) as raised:
        drop_feature(shop.starter(), "v2Checkpoint", truncate_history=True)
    assert raised.value.delta_condition == "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD"
    with pytest.raises(HistoryUsesFeatureError) as raised:
        drop_feature(shop.starter(), "v2Checkpoint", truncate_history=True)
    assert raised.value.delta_condition == "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST"
    shop.clock.now += 25 * HOUR_MS
    outcome = drop_feature(shop.starter(), "v2Checkpoint", truncate_history=True)
    assert outcome.after == Protocol(1, 2)
    assert outcome.protects_before is None
    assert [file.path for file in shop.snapshot.add_actions()] == ["a"]


def test_protection_ends_when_the_history_is_gone() -> None:
    shop = Shop({"delta.checkpointPolicy": "v2"})
    shop.append()
    drop_feature(shop.starter(), "v2Checkpoint")
    with pytest.raises(HistoryUsesFeatureError) as raised:
        drop_feature(shop.starter(), "checkpointProtection", truncate_history=True)
    condition = "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD"
    assert raised.value.delta_condition == condition
    shop.clock.now += 25 * HOUR_MS
    outcome = drop_feature(shop.starter(), "checkpointProtection", truncate_history=True)
    assert outcome.after == Protocol(1, 2)
    assert "delta.requireCheckpointProtectionBeforeVersion" not in shop.snapshot.metadata.configuration
    assert [file.path for file in shop.snapshot.add_actions()] == ["a"]


def test_without_barrier_checkpoints_nothing_is_dropped() -> None:
    @attrs.frozen(slots=True, eq=False)
    class Failing(TransactionStarter):
        def write_checkpoint(self, snapshot: Snapshot) -> None:
            raise CheckpointUnusableError("no space", fix="Make room.")

    shop = Shop({"delta.feature.vacuumProtocolCheck": "supported"})
    usual = shop.starter()
    failing = Failing(usual.log, usual.catalog, clock=usual.clock)
    with pytest.raises(BarrierCheckpointError, match="no space"):
        drop_feature(failing, "vacuumProtocolCheck")
    assert "vacuumProtocolCheck" in shop.snapshot.protocol.writer_feature_names


def test_a_feature_that_is_used_again_meanwhile_is_noticed() -> None:
    """Deletion vectors come back between the barriers and the downgrade."""
    shop = Shop({"delta.enableDeletionVectors": "true"})

    @attrs.frozen(slots=True, eq=False)
    class Meddling(TransactionStarter):
        def write_checkpoint(self, snapshot: Snapshot) -> None:
            alter_table(shop.starter(), {"delta.enableDeletionVectors": "true"})

    usual = shop.starter()
    with pytest.raises(FeatureStillUsedError) as raised:
        drop_feature(Meddling(usual.log, usual.catalog, clock=usual.clock), "deletionVectors")
    assert raised.value.delta_condition == "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL"
    assert "deletionVectors" in shop.snapshot.protocol.writer_feature_names


def test_row_tracking_that_was_suspended_is_switched_off_by_a_commit_all_the_same() -> None:
    """As delta-spark does, so that writers in flight notice."""
    shop = Shop({"delta.enableRowTracking": "true"})
    shop.append("a")
    alter_table(shop.starter(), {"delta.enableRowTracking": "false", "delta.rowTrackingSuspended": "true"})
    outcome = drop_feature(shop.starter(), "rowTracking")
    told = [commit.operation for commit in outcome.commits]
    assert told == ["SET TBLPROPERTIES", "ROW TRACKING UNBACKFILL", "DROP FEATURE"]


def test_a_session_may_forbid_that_column_mapping_is_taken_away() -> None:
    shop = Shop({"delta.columnMapping.mode": "name"})
    session = {"spark__databricks__delta__columnMapping__allowRemoval": "false"}
    with pytest.raises(ColumnMappingError) as raised:
        alter_table(shop.starter(**session), {"delta.columnMapping.mode": "none"})
    assert raised.value.delta_condition == "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE"
    alter_table(shop.starter(), {"delta.columnMapping.mode": "none"})
