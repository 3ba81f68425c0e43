"""Settings of the session that change what a commit checks or writes, and what no setting lets through."""

from __future__ import annotations

import json
import logging

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import (
    DuplicateActionError,
    FileActionInvalidError,
    IsolationLevelInvalidError,
    MetadataAbsentError,
    PartitionColumnChangeError,
    PartitioningMismatchError,
    PropertyInvalidError,
    ProtocolMismatchError,
    TablePropertyRefusedError,
)
from deltaresolver.log.names import commit_path
from deltaresolver.model.actions import AddFile, DeletionVector
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.components import minimum_components_from_metadata
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.metadata.properties import ensure_settable
from deltaresolver.transaction.settings import TransactionSettings
from tests.transactions import SCHEMA, Scene, add, remove

PREFIX = "spark.databricks.delta."
MANIFESTS = "delta.compatibility.symlinkFormatManifest.enabled"
VECTORS = "delta.enableDeletionVectors"
VECTOR = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 36, 2)


@pytest.fixture
def scene() -> Scene:
    made = Scene()
    made.create()
    return made


def test_a_file_without_a_path_is_never_committed(scene: Scene) -> None:
    with pytest.raises(FileActionInvalidError) as caught:
        scene.append(add(""))
    assert caught.value.delta_class == "IllegalArgumentException"
    assert scene.snapshot().table_version == 0


def test_the_check_for_duplicates_can_be_switched_off(scene: Scene) -> None:
    twice = [add("f"), add("f")]
    with pytest.raises(DuplicateActionError):
        scene.begin().commit(twice, operations.write())
    assert scene.begin(session={PREFIX + "duplicateActionCheck.enabled": "false"}).commit(twice, operations.write())


def test_the_validation_of_commits_can_be_switched_off(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    unfit = [add("f", partition_values={})]
    with pytest.raises(PartitioningMismatchError):
        scene.begin().commit(unfit, operations.write())
    with caplog.at_level(logging.WARNING):
        assert scene.begin(session={PREFIX + "commitValidation.enabled": "false"}).commit(unfit, operations.write())
    assert any("partition values" in record.message for record in caplog.records)
    with pytest.raises(MetadataAbsentError):
        Scene().begin(session={PREFIX + "commitValidation.enabled": "true"}).commit([], operations.write())


@pytest.mark.parametrize("mode", ["fatal", "FATAL"])
def test_a_mixed_data_change_is_refused_where_the_session_wants_it(scene: Scene, mode: str) -> None:
    key = PREFIX + "commitValidation.consistentDataChange.mode"
    mixed = [add("f"), add("g", data_change=False)]
    with pytest.raises(FileActionInvalidError, match="g") as caught:
        scene.begin(session={key: mode}).commit(mixed, operations.write())
    assert caught.value.delta_class == "IllegalStateException"
    assert scene.begin(session={key: "off"}).commit(mixed, operations.write()) == 1
    assert scene.begin(session={key: mode}).commit([add("h"), remove("f")], operations.write()) == 2
    with pytest.raises(PropertyInvalidError):
        TransactionSettings.from_session({key: "perhaps"})


def test_metrics_stay_out_of_history_where_the_session_wants_it(scene: Scene) -> None:
    for session in ({}, {PREFIX + "history.metricsEnabled": "false"}):
        version = scene.begin(session=session).commit([add(f"f{len(session)}")], operations.write())
        info = json.loads(scene.store.read(commit_path(version)).splitlines()[0])["commitInfo"]
        assert ("operationMetrics" in info) is not bool(session)


def test_the_note_of_when_timestamps_came_is_kept_unless_the_session_says_otherwise() -> None:
    for session, is_kept in (
        ({}, True),
        ({PREFIX + "inCommitTimestamp.retainEnablementInfoFix.enabled": "false"}, False),
    ):
        scene = Scene()
        scene.create()
        scene.set_properties(delta__enableInCommitTimestamps="true")
        transaction = scene.begin(session=session)
        plain = Metadata("t", schema_string=SCHEMA, partition_columns=("p",))
        transaction.update_metadata(plain.with_configuration({"delta.enableInCommitTimestamps": "true"}))
        transaction.commit([], operations.table_creation("REPLACE TABLE"))
        kept = scene.snapshot().metadata.configuration
        assert ("delta.inCommitTimestampEnablementVersion" in kept) is is_kept


def test_only_an_overwrite_of_the_schema_changes_the_partitioning(scene: Scene) -> None:
    session = {PREFIX + "partitionColumnChangeCheck": "true"}
    for operation in (operations.write("Overwrite"), operations.write("ErrorIfExists"), operations.write("Append")):
        transaction = scene.begin(session=session)
        transaction.update_metadata(Metadata("t", schema_string=SCHEMA))
        with pytest.raises(PartitionColumnChangeError):
            transaction.commit([], operation)
    transaction = scene.begin(session=session)
    transaction.update_metadata(Metadata("t", schema_string=SCHEMA))
    assert transaction.commit([], operations.write("Overwrite", overwrites_schema=True)) == 1


# --- deletion vectors and symlink manifests --------------------------------------------------------


@pytest.mark.parametrize("manifests", [MANIFESTS, MANIFESTS.upper()])
def test_a_table_with_deletion_vectors_keeps_no_manifests(manifests: str) -> None:
    scene = Scene()
    both = {VECTORS: "true", manifests: "true"}
    condition = "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED.PERSISTENT_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST"
    with pytest.raises(TablePropertyRefusedError) as caught:
        scene.create(both)
    assert caught.value.delta_condition == f"{condition}_GENERATION"
    for first, second in ((VECTORS, manifests), (manifests, VECTORS)):
        scene = Scene()
        scene.create({first: "true"})
        transaction = scene.begin()
        changed = transaction.metadata.with_configuration({first: "true", second: "true"})
        with pytest.raises(TablePropertyRefusedError):
            transaction.update_metadata(changed)
        with pytest.raises(TablePropertyRefusedError):
            scene.begin().commit([changed], operations.set_properties({second: "true"}))


def test_a_table_whose_files_have_deletion_vectors_begins_no_manifests() -> None:
    scene = Scene()
    scene.create({VECTORS: "true"})
    file = AddFile("f", {"p": "a"}, 1, 1, stats='{"numRecords":3,"tightBounds":false}', deletion_vector=VECTOR)
    scene.begin().commit([file], operations.with_predicate("DELETE"))
    with pytest.raises(TablePropertyRefusedError) as caught:
        scene.set_properties(**{VECTORS: "false", MANIFESTS: "true"})
    assert str(caught.value.delta_condition).endswith("EXISTING_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST_GENERATION")


# --- properties and defaults -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "value", "condition"),
    [
        ("Reader", "0", "OUT_OF_RANGE_OF_OPTIONS"),
        ("Reader", "4", "OUT_OF_RANGE_OF_OPTIONS"),
        ("Reader", "-1", "OUT_OF_RANGE_OF_OPTIONS"),
        ("Writer", "0", "OUT_OF_RANGE_OF_OPTIONS"),
        ("Writer", "8", "OUT_OF_RANGE_OF_OPTIONS"),
        ("Writer", "2147483648", "TYPE_MISMATCH"),
        ("Writer", "99999999999", "TYPE_MISMATCH"),
        ("Writer", "abc", "TYPE_MISMATCH"),
        ("Writer", "", "TYPE_MISMATCH"),
        ("Writer", "1.0", "TYPE_MISMATCH"),
    ],
)
def test_default_versions_that_do_not_exist_are_refused(side: str, value: str, condition: str) -> None:
    session = {f"{PREFIX}properties.defaults.min{side}Version": value}
    for ask in (
        lambda: resolve_new_table(Metadata(), delta_spark_catalog(), session=session),
        lambda: minimum_components_from_metadata(Metadata(), delta_spark_catalog(), session),
    ):
        with pytest.raises(PropertyInvalidError) as caught:
            ask()
        assert caught.value.delta_condition == f"INVALID_CONF_VALUE.{condition}"


@pytest.mark.parametrize("value", ["1", "7", "+3", "07"])
def test_default_versions_are_read_as_spark_reads_numbers(value: str) -> None:
    session = {f"{PREFIX}properties.defaults.minWriterVersion": value}
    resolution = resolve_new_table(Metadata(), delta_spark_catalog(), session=session)
    assert resolution.protocol.min_writer_version <= 7


def test_what_the_table_itself_keeps_cannot_be_set() -> None:
    for key in ("clusteringColumns", "delta.columnMapping.maxColumnId"):
        with pytest.raises(TablePropertyRefusedError) as caught:
            ensure_settable({key: "x"}, delta_spark_catalog())
        assert caught.value.delta_condition == "DELTA_CANNOT_MODIFY_TABLE_PROPERTY"


def test_an_isolation_level_is_known_and_serializable() -> None:
    ensure_settable({"delta.isolationLevel": "SERIALIZABLE"}, delta_spark_catalog())
    with pytest.raises(PropertyInvalidError):
        ensure_settable({"delta.isolationLevel": "WriteSerializable"}, delta_spark_catalog())
    with pytest.raises(IsolationLevelInvalidError) as caught:
        ensure_settable({"delta.isolationLevel": "snapshots"}, delta_spark_catalog())
    assert caught.value.delta_condition == "DELTA_INVALID_ISOLATION_LEVEL"


@pytest.mark.parametrize(
    "key",
    [
        "delta.deletedFileRetentionDuration",
        "delta.logRetentionDuration",
        "delta.setTransactionRetentionDuration",
        "delta.checkpointRetentionDuration",
    ],
)
def test_a_retention_is_never_negative(key: str) -> None:
    for value in ("interval -1 day", "interval 1 hour -1 day"):
        with pytest.raises(PropertyInvalidError) as caught:
            ensure_settable({key: value}, delta_spark_catalog())
        assert caught.value.details["key"] == key
    ensure_settable({"delta.checkpointRetentionDuration": "interval 0 days"}, delta_spark_catalog())


def test_a_commit_never_leaves_a_feature_without_what_it_requires(scene: Scene) -> None:
    scene.set_properties(delta__feature__rowTracking="supported", delta__rowTrackingSuspended="true")
    protocol = scene.snapshot().protocol
    kept = protocol.writer_feature_names - {"domainMetadata"}
    without = Protocol(protocol.min_reader_version, protocol.min_writer_version, protocol.reader_features, kept)
    with pytest.raises(ProtocolMismatchError) as caught:
        scene.begin().commit([without], operations.drop_feature("domainMetadata"))
    assert caught.value.details["features"] == ["domainMetadata"]
    assert scene.snapshot().protocol == protocol


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("isolationLevel", "WriteSerializable"),
        ("checkpointInterval", "0"),
        ("logRetentionDuration", "interval -1 day"),
        ("dataSkippingNumIndexedCols", "x"),
        ("columnMapping.maxColumnId", "4"),
        ("minReaderVersion", " 2"),
    ],
)
def test_a_property_that_no_table_may_have_is_refused_as_a_default_too(name: str, value: str) -> None:
    session = {f"{PREFIX}properties.defaults.{name}": value}
    scene = Scene()
    with pytest.raises((PropertyInvalidError, TablePropertyRefusedError)):
        scene.begin(session=session).update_metadata_for_new_table(Metadata("t", schema_string=SCHEMA))


def test_defaults_are_properties_of_delta_alone() -> None:
    session = {
        f"{PREFIX}properties.defaults.{name}": value
        for name, value in (("appendOnly", "true"), ("AppendOnly", "no"), ("mine", "x"), ("constraints.c", "1 ="))
    }
    scene = Scene()
    transaction = scene.begin(session=session)
    transaction.update_metadata_for_new_table(Metadata("t", schema_string=SCHEMA))
    assert transaction.metadata.configuration == {"delta.appendOnly": "true"}
