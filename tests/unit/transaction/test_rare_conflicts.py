"""Conflicts that few tables ever meet, each decided by one condition of one line."""

from __future__ import annotations

import json

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import (
    ConcurrentAppendError,
    DuplicateActionError,
    FeatureStillUsedError,
    MetadataChangedError,
)
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.upkeep.settings import CHECKPOINT_POLICY
from deltaresolver.model.actions import AddFile, DomainMetadata
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, Winner
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.logs import info
from tests.transactions import SCHEMA, Scene, add, of_kind, remove


@pytest.mark.parametrize("key", ["foo", "delta.enableDeletionVectors"])
def test_a_property_that_another_commit_unset_conflicts(key: str) -> None:
    scene = Scene()
    scene.create({key: "true"})
    transaction = scene.begin()
    other = scene.begin()
    other.update_metadata(other.metadata.with_configuration({}))
    other.commit([], operations.unset_properties([key], if_exists=True))
    with pytest.raises(MetadataChangedError) as caught:
        transaction.commit([add("f")], operations.write())
    assert caught.value.details["where"] == f"property {key}"


@pytest.mark.parametrize("changes_metadata", [True, False])
def test_a_blind_append_slips_in_before_a_write_but_not_before_a_change_of_metadata(changes_metadata: bool) -> None:
    scene = Scene()
    metadata = Metadata("t", schema_string=SCHEMA, partition_columns=("p",)).with_configuration(
        {"delta.isolationLevel": "WriteSerializable"}
    )
    protocol = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
    scene.put_commit(0, [protocol, {"metaData": metadata.to_json()}])
    scene.append(add("f"))
    transaction = scene.begin()
    transaction.read_whole_table()
    if changes_metadata:
        transaction.update_metadata(metadata.with_configuration({**metadata.configuration, "k": "v"}))
    blind = {"path": "g", "partitionValues": {"p": "a"}, "size": 1, "modificationTime": 1, "dataChange": True}
    scene.put_commit(2, [info(isBlindAppend=True), {"add": blind}])
    if changes_metadata:
        with pytest.raises(ConcurrentAppendError):
            transaction.commit([remove("f")], operations.write("Overwrite"))
    else:
        assert transaction.commit([remove("f")], operations.write("Overwrite")) == 3


class Repeating(FeatureBehaviour):
    """Names a file twice once a commit is repeated."""

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """The draft with its first file again."""
        return draft.with_actions([*draft.actions, draft.adds[0]])


@pytest.mark.parametrize("checks", ["true", "false"])
def test_a_file_that_a_feature_names_twice_after_a_lost_race_is_found(checks: str) -> None:
    feature = TableFeature(
        name="acmeRepeating",
        kind=FeatureKind.WRITER,
        summary="Names files twice.",
        spec_url="https://example.com",
        behaviour=Repeating(),
    )
    catalog = FeatureCatalog([*delta_spark_catalog(), feature])
    scene = Scene()
    protocol = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["acmeRepeating"]}
    metadata = Metadata("t", schema_string=SCHEMA, partition_columns=("p",))
    scene.put_commit(0, [{"protocol": protocol}, {"metaData": metadata.to_json()}])
    session = {"spark.databricks.delta.duplicateActionCheck.enabled": checks}
    transaction = OptimisticTransaction(DeltaLog(scene.store), catalog, session=session, sleep=lambda _: None)
    scene.put_commit(1, [info(isBlindAppend=True)])
    if checks == "true":
        with pytest.raises(DuplicateActionError):
            transaction.commit([add("f")], operations.write())
    else:
        assert transaction.commit([add("f")], operations.write()) == 2


def test_a_file_with_the_last_row_id_keeps_it_when_it_is_added_again_after_a_lost_race() -> None:
    scene = Scene()
    scene.create({"delta.enableRowTracking": "true"})
    scene.append(add("f", rows=1))
    (file,) = scene.snapshot().add_actions()
    assert file.base_row_id == 0
    transaction = scene.begin()
    scene.append(add("g", rows=1))
    again = AddFile("f", {"p": "a"}, 100, 1, stats=file.stats, base_row_id=0, default_row_commit_version=1)
    transaction.commit([again], operations.operation("COMPUTE STATS"))
    assert {each.path: each.base_row_id for each in scene.snapshot().add_actions()} == {"f": 0, "g": 1}


def test_two_features_dropped_at_once_are_named_where_another_commit_came_first() -> None:
    scene = Scene()
    session = {"spark.databricks.delta.replace.protocolDowngradeAllowed": "true"}
    scene.create({"delta.feature.deletionVectors": "supported", "delta.feature.v2Checkpoint": "supported"})
    transaction = scene.begin(session=session)
    transaction.update_metadata_for_new_table(Metadata("t", schema_string=SCHEMA, partition_columns=("p",)))
    assert {"deletionVectors", "v2Checkpoint"}.isdisjoint(transaction.protocol.listed_features)
    scene.append(add("f"))
    with pytest.raises(FeatureStillUsedError, match="only one feature can be dropped at a time") as caught:
        transaction.commit([], operations.table_creation("REPLACE TABLE"))
    assert caught.value.details.keys() == {"features", "winner_version", "reason"}
    assert caught.value.details["winner_version"] == scene.snapshot().table_version


def test_a_feature_needed_to_read_another_commits_version_is_not_dropped() -> None:
    scene = Scene()
    session = {"spark.databricks.delta.replace.protocolDowngradeAllowed": "true"}
    scene.create({CHECKPOINT_POLICY: "v2"})
    write_checkpoint(scene.snapshot(), scene.store, delta_spark_catalog())
    scene.set_properties(**{CHECKPOINT_POLICY: "classic"})
    transaction = scene.begin(session=session)
    transaction.update_metadata_for_new_table(Metadata("t", schema_string=SCHEMA, partition_columns=("p",)))
    assert "v2Checkpoint" not in transaction.protocol.listed_features
    scene.append(add("f"))
    with pytest.raises(FeatureStillUsedError, match="read from a V2 checkpoint"):
        transaction.commit([], operations.table_creation("REPLACE TABLE"))


class Pretender(FeatureBehaviour):
    """Notes in the commit info that the commit is harmless."""

    def amend_draft(self, draft: Draft) -> Draft:
        return draft.with_info("isBlindAppend", True).with_info("isolationLevel", "SnapshotIsolation")

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        return self.amend_draft(draft)


def test_notes_of_a_feature_do_not_decide_conflicts() -> None:
    feature = TableFeature(
        name="acmePretending",
        kind=FeatureKind.WRITER,
        summary="Calls every commit harmless.",
        spec_url="https://example.com",
        behaviour=Pretender(),
    )
    catalog = FeatureCatalog([*delta_spark_catalog(), feature])
    scene = Scene()
    begun = OptimisticTransaction(DeltaLog(scene.store), catalog)
    properties = {"delta.feature.acmePretending": "supported"}
    begun.update_metadata_for_new_table(
        Metadata("t", schema_string=SCHEMA, partition_columns=("p",)).with_configuration(properties)
    )
    begun.commit([], operations.table_creation())

    def overwriting() -> OptimisticTransaction:
        found = OptimisticTransaction(DeltaLog(scene.store), catalog)
        found.read_whole_table()
        return found

    late, later = overwriting(), overwriting()
    late.commit([add("f")], operations.write("Overwrite"))
    assert late.committed is not None
    fields = late.committed.commit_info.fields
    assert (fields["isolationLevel"], fields["isBlindAppend"]) == ("Serializable", False)
    with pytest.raises(ConcurrentAppendError):
        later.commit([add("g")], operations.write("Overwrite"))


def test_a_clustering_column_is_dropped_in_the_commit_that_clusters_by_another() -> None:
    scene = Scene()
    protocol = {
        "minReaderVersion": 2,
        "minWriterVersion": 7,
        "writerFeatures": ["columnMapping", "clustering", "domainMetadata", "invariants", "appendOnly"],
    }
    fields = json.loads(SCHEMA)["fields"]
    for number, field in enumerate(fields, start=1):
        field["metadata"] = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": field["name"]}
    metadata = Metadata(
        "t",
        schema_string=json.dumps({"type": "struct", "fields": fields}),
        configuration={"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"},
    )
    clustered = {"domain": "delta.clustering", "configuration": '{"clusteringColumns":[["p"]]}', "removed": False}
    scene.put_commit(0, [{"protocol": protocol}, {"metaData": metadata.to_json()}, {"domainMetadata": clustered}])
    transaction = scene.begin()
    transaction.update_metadata(transaction.metadata.with_schema(StructType(transaction.metadata.schema.fields[:1])))
    other = DomainMetadata("delta.clustering", '{"clusteringColumns":[["id"]]}')
    assert transaction.commit([other], operations.operation("DROP COLUMNS")) == 1
    (kept,) = of_kind(DomainMetadata, scene.snapshot().domains.values())
    assert "id" in kept.configuration


@pytest.mark.parametrize("comment", [None, "Who bought it."])
def test_another_commit_may_add_mapping_by_name_and_nothing_else_with_it(comment: str | None) -> None:
    scene = Scene()
    scene.create({"delta.feature.columnMapping": "supported"})
    transaction, other = scene.begin(), scene.begin()
    first, *more = other.metadata.schema.fields
    own = {} if comment is None else {"comment": comment}
    changed = other.metadata.with_schema(StructType((StructField(first.name, first.type, first.nullable, own), *more)))
    properties = {**changed.configuration, "delta.columnMapping.mode": "name"}
    other.update_metadata(changed.with_configuration(properties))
    other.commit([], operations.set_properties({"delta.columnMapping.mode": "name"}))
    if comment is None:
        transaction.commit([add("f")], operations.write("Append"))
    else:
        with pytest.raises(MetadataChangedError):
            transaction.commit([add("f")], operations.write("Append"))
