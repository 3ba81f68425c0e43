"""The features that refuse or amend a commit, each through a real transaction."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import (
    AppendOnlyTableError,
    ClusteringError,
    ColumnMappingError,
    DeletionVectorInvalidError,
    DomainMetadataError,
    IcebergCompatError,
    MetadataChangedError,
    ProtocolUnsupportedError,
    RowTrackingError,
    SchemaRuleError,
)
from deltaresolver.model.actions import Action, AddFile, DeletionVector, DomainMetadata
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import walk_fields
from deltaresolver.transaction import operation as operations
from tests.logs import info
from tests.transactions import NOW_MS, SCHEMA, Scene, add, remove

VECTOR = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 36, 2)
WIDE = '{"numRecords":10,"tightBounds":false}'


def table(**properties: str) -> Scene:
    scene = Scene()
    scene.create({key.replace("__", "."): value for key, value in properties.items()})
    return scene


def with_vector(stats: str | None = WIDE) -> AddFile:
    return AddFile("f", {"p": "a"}, 1, 1, data_change=True, stats=stats, deletion_vector=VECTOR)


# --- appendOnly ---------------------------------------------------------------------------------


def test_an_append_only_table_takes_appends_and_compaction_only() -> None:
    scene = table(delta__appendOnly="true")
    scene.append(add("f"))
    compaction: list[Action] = [remove("f", data_change=False), add("g", data_change=False)]
    scene.begin().commit(compaction, operations.optimize())
    with pytest.raises(AppendOnlyTableError) as caught:
        scene.begin().commit([remove("g")], operations.with_predicate("DELETE"))
    assert caught.value.delta_condition == "DELTA_CANNOT_MODIFY_APPEND_ONLY"


# --- deletionVectors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stats", "condition"),
    [
        (None, "DELTA_DELETION_VECTOR_MISSING_NUM_RECORDS"),
        ('{"tightBounds":false}', "DELTA_DELETION_VECTOR_MISSING_NUM_RECORDS"),
        ('{"numRecords":10}', "DELTA_ADDING_DELETION_VECTORS_WITH_TIGHT_BOUNDS_DISALLOWED"),
        ('{"numRecords":10,"tightBounds":true}', "DELTA_ADDING_DELETION_VECTORS_WITH_TIGHT_BOUNDS_DISALLOWED"),
    ],
)
def test_statistics_must_fit_a_deletion_vector(stats: str | None, condition: str) -> None:
    scene = table(delta__enableDeletionVectors="true")
    with pytest.raises(DeletionVectorInvalidError) as caught:
        scene.begin().commit([with_vector(stats)], operations.with_predicate("DELETE"))
    assert caught.value.delta_condition == condition


def test_deletion_vectors_need_the_table_to_allow_them() -> None:
    for scene in (table(), table(delta__feature__deletionVectors="supported")):
        with pytest.raises(DeletionVectorInvalidError) as caught:
            scene.begin().commit([with_vector()], operations.with_predicate("DELETE"))
        assert caught.value.delta_condition == "DELTA_ADDING_DELETION_VECTORS_DISALLOWED"


def test_files_that_have_a_vector_already_may_be_described_again() -> None:
    scene = table(delta__feature__deletionVectors="supported")
    assert scene.begin().commit([with_vector('{"numRecords":10}')], operations.with_predicate("COMPUTE STATS")) == 1


# --- domainMetadata and clustering --------------------------------------------------------------


def test_domains_need_the_feature_and_are_set_once_in_a_commit() -> None:
    with pytest.raises(DomainMetadataError) as caught:
        table().begin().commit([DomainMetadata("d")], operations.manual_update())
    assert caught.value.delta_condition == "DELTA_DOMAIN_METADATA_NOT_SUPPORTED"
    scene = table(delta__feature__domainMetadata="supported")
    with pytest.raises(DomainMetadataError):
        scene.begin().commit([DomainMetadata("d"), DomainMetadata("d")], operations.manual_update())


def test_a_new_table_is_not_clustered_and_partitioned() -> None:
    transaction = Scene().begin()
    transaction.update_metadata_for_new_table(
        Metadata(
            "t",
            schema_string=SCHEMA,
            partition_columns=("p",),
            configuration={"delta.feature.clustering": "supported"},
        )
    )
    with pytest.raises(ClusteringError):
        transaction.commit([DomainMetadata("delta.clustering", "{}")], operations.table_creation())


# --- in-commit timestamps -----------------------------------------------------------------------


@given(st.lists(st.sampled_from(["append", "beaten"]), max_size=6), st.integers(-5_000, 5_000))
def test_in_commit_timestamps_always_rise(steps: list[str], jump: int) -> None:
    scene = table(delta__enableInCommitTimestamps="true")
    scene.clock.now += jump
    for number, step in enumerate(steps):
        transaction = scene.begin()
        if step == "beaten":
            scene.append(add(f"winner{number}"))
        transaction.commit([add(f"f{number}")], operations.write())
    times = [entry.info.in_commit_timestamp or 0 for entry in reversed(scene.begin().log.history())]
    assert times == sorted(set(times))


def test_enabling_timestamps_later_is_noted_for_the_version_it_lands_at() -> None:
    scene = table()
    transaction = scene.begin()
    transaction.update_metadata(transaction.metadata.with_configuration({"delta.enableInCommitTimestamps": "true"}))
    scene.append(add("f"))
    assert transaction.commit([], operations.set_properties({})) == 2
    metadata = scene.snapshot().metadata
    written = transaction.committed
    assert written is not None
    assert metadata.configuration["delta.inCommitTimestampEnablementVersion"] == "2"
    noted = metadata.configuration["delta.inCommitTimestampEnablementTimestamp"]
    assert noted == str(written.commit_info.in_commit_timestamp)


def test_a_new_table_notes_no_enablement() -> None:
    properties = table(delta__enableInCommitTimestamps="true").snapshot().metadata.configuration
    assert properties == {"delta.enableInCommitTimestamps": "true"}


# --- columnMapping ------------------------------------------------------------------------------

NESTED = json.dumps(
    {
        "type": "struct",
        "fields": [
            {"name": "a", "type": "long", "nullable": True, "metadata": {}},
            {
                "name": "s",
                "type": {
                    "type": "array",
                    "elementType": {
                        "type": "struct",
                        "fields": [{"name": "x", "type": "string", "nullable": True, "metadata": {}}],
                    },
                    "containsNull": True,
                },
                "nullable": True,
                "metadata": {},
            },
        ],
    }
)


def ids(metadata: Metadata) -> dict[str, tuple[int, str]]:
    found = {}
    for path, field in walk_fields(metadata.schema):
        columns = field.metadata or {}
        found[".".join(path)] = (
            columns["delta.columnMapping.id"],
            columns["delta.columnMapping.physicalName"],
        )
    return found


def test_a_new_table_gets_an_id_and_a_physical_name_for_every_column() -> None:
    scene = Scene()
    scene.create({"delta.columnMapping.mode": "name"}, schema=NESTED, partitioned=False)
    metadata = scene.snapshot().metadata
    found = ids(metadata)
    assert {number for number, _ in found.values()} == {1, 2, 3}
    assert len({name for _, name in found.values()}) == 3
    assert all(name.startswith("col-") for _, name in found.values())
    assert metadata.configuration["delta.columnMapping.maxColumnId"] == "3"


def test_switching_mapping_on_keeps_the_names_that_files_have() -> None:
    scene = Scene()
    scene.create(schema=NESTED, partitioned=False)
    scene.set_properties(delta__columnMapping__mode="name")
    assert {path: name for path, (_, name) in ids(scene.snapshot().metadata).items()} == {
        "a": "a",
        "s": "s",
        "s.element.x": "x",
    }


def test_a_column_added_later_gets_an_id_never_used() -> None:
    scene = Scene()
    scene.create({"delta.columnMapping.mode": "id"}, schema=NESTED, partitioned=False)
    transaction = scene.begin()
    schema = json.loads(transaction.metadata.schema_string or "")
    before = ids(transaction.metadata)
    schema["fields"][0] = {"name": "b", "type": "long", "nullable": True, "metadata": {}}
    transaction.update_metadata(
        Metadata("t", schema_string=json.dumps(schema), configuration=transaction.metadata.configuration)
    )
    transaction.commit([], operations.operation("REPLACE COLUMNS"))
    after = ids(scene.snapshot().metadata)
    assert after["b"][0] == 4
    assert after["s"] == before["s"]


@pytest.mark.parametrize(("before", "after"), [("name", "id"), ("id", "name"), ("none", "id"), ("name", "none")])
def test_other_changes_of_mode_are_refused(before: str, after: str) -> None:
    scene = table(delta__columnMapping__mode=before)
    with pytest.raises(ColumnMappingError) as caught:
        scene.set_properties(delta__columnMapping__mode=after)
    assert caught.value.delta_condition == "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE"


def test_ids_given_by_hand_must_differ() -> None:
    scene = table(delta__columnMapping__mode="name")
    transaction = scene.begin()
    metadata = transaction.metadata
    text = (metadata.schema_string or "").replace('"delta.columnMapping.id":2', '"delta.columnMapping.id":1')
    doubled = Metadata("t", schema_string=text, partition_columns=("p",), configuration=metadata.configuration)
    with pytest.raises(ColumnMappingError) as caught:
        transaction.commit([doubled], operations.manual_update())
    assert caught.value.delta_condition == "DELTA_DUPLICATE_COLUMN_MAPPING_COLUMN_ID"


def test_a_writer_in_flight_passes_the_commit_that_switches_mapping_on() -> None:
    scene = table(delta__feature__columnMapping="supported")
    transaction = scene.begin()
    scene.set_properties(delta__columnMapping__mode="name")
    assert transaction.commit([add("f")], operations.write()) == 2


# --- identityColumns ----------------------------------------------------------------------------

IDENTITY = SCHEMA.replace(
    '"metadata":{}',
    '"metadata":{"delta.identity.start":1,"delta.identity.step":1,"delta.identity.allowExplicitInsert":false}',
    1,
)


def test_counting_on_is_tagged_and_passes_writers_in_flight() -> None:
    scene = Scene()
    scene.create(schema=IDENTITY)
    reader, counter = scene.begin(), scene.begin()
    counted = IDENTITY.replace('"delta.identity.step":1', '"delta.identity.step":1,"delta.identity.highWaterMark":7')
    before = counter.metadata
    counter.mark_written()
    counter.replace_staged_metadata(
        Metadata("t", schema_string=counted, partition_columns=("p",), configuration=before.configuration)
    )
    counter.commit([add("f", "b")], operations.write())
    written = counter.committed
    assert written is not None
    assert written.commit_info.fields["tags"] == {"delta.identity.schemaUpdate": "true"}
    assert reader.commit([add("g", "a")], operations.write()) == 2


@pytest.mark.parametrize(
    "change", [('"step":1', '"step":2'), ('"step":1', '"step":1,"delta.identity.highWaterMark":7')]
)
def test_metadata_that_somebody_gives_is_not_tagged(change: tuple[str, str]) -> None:
    scene = Scene()
    scene.create(schema=IDENTITY)
    transaction = scene.begin()
    changed = IDENTITY.replace(f'"delta.identity.{change[0][1:]}', f'"delta.identity.{change[1][1:]}', 1)
    assert changed != IDENTITY
    transaction.commit(
        [Metadata("t", schema_string=changed, partition_columns=("p",))], operations.operation("REPLACE TABLE")
    )
    written = transaction.committed
    assert written is not None
    assert "tags" not in written.commit_info.fields


# --- tolerated configuration, protection, catalogs ----------------------------------------------


@pytest.mark.parametrize(
    ("feature", "properties"),
    [
        ("deletionVectors", {"delta__enableDeletionVectors": "true"}),
        ("v2Checkpoint", {"delta__checkpointPolicy": "v2"}),
        ("inCommitTimestamp", {"delta__enableInCommitTimestamps": "true"}),
    ],
)
def test_a_writer_in_flight_passes_harmless_switches_unless_the_session_forbids(
    feature: str, properties: dict[str, str]
) -> None:
    scene = table(**{f"delta__feature__{feature}": "supported"})
    transaction = scene.begin()
    strict = scene.begin(session={"spark.databricks.delta.featureEnablement.conflictResolution.enabled": "false"})
    scene.set_properties(**properties)
    assert transaction.commit([add("f")], operations.write()) == 2
    with pytest.raises(MetadataChangedError):
        strict.commit([add("g")], operations.write())


def test_dropping_a_feature_protects_checkpoints_before_the_version_it_lands_at() -> None:
    scene = table(delta__feature__deletionVectors="supported")
    transaction = scene.begin()
    scene.append(add("f"))
    protocol = Protocol.of(1, 7, (), ("appendOnly", "checkpointProtection", "invariants"))
    key = "delta.requireCheckpointProtectionBeforeVersion"
    metadata = transaction.metadata.with_configuration({key: "1"})
    assert transaction.commit([metadata, protocol], operations.drop_feature("deletionVectors")) == 2
    assert scene.snapshot().metadata.configuration == {key: "2"}


def test_tables_whose_catalog_decides_are_left_to_it() -> None:
    scene = Scene()
    scene.create()
    features = ["appendOnly", "catalogManaged", "inCommitTimestamp", "invariants", "vacuumProtocolCheck"]
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["catalogManaged", "vacuumProtocolCheck"],
        "writerFeatures": features,
    }
    scene.put_commit(1, [info(inCommitTimestamp=NOW_MS), {"protocol": protocol}])
    with pytest.raises(ProtocolUnsupportedError, match="catalog decides"):
        scene.append(add("f"))


# --- allowColumnDefaults, changeDataFeed, icebergCompat -----------------------------------------

DEFAULTS = SCHEMA.replace('"metadata":{}', '"metadata":{"CURRENT_DEFAULT":"1"}', 1)


def test_defaults_need_the_feature() -> None:
    with pytest.raises(SchemaRuleError) as caught:
        Scene().create(schema=DEFAULTS)
    assert caught.value.delta_condition == "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED"
    scene = Scene()
    scene.create({"delta.feature.allowColumnDefaults": "supported"}, schema=DEFAULTS)
    assert scene.append(add("f")) == 1


def test_the_columns_of_the_change_feed_stay_free() -> None:
    scene = Scene()
    scene.create(schema=SCHEMA.replace('"name":"id"', '"name":"_change_type"'))
    with pytest.raises(SchemaRuleError) as caught:
        scene.set_properties(delta__enableChangeDataFeed="true")
    assert caught.value.delta_condition == "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS"


def test_the_change_feed_cannot_follow_files_and_new_names_in_one_commit() -> None:
    scene = table(delta__enableChangeDataFeed="true", delta__columnMapping__mode="name")
    transaction = scene.begin()
    metadata = transaction.metadata
    renamed = (metadata.schema_string or "").replace('"name":"id"', '"name":"number"')
    physical = {"p": ids(metadata)["p"][1]}
    transaction.update_metadata(
        Metadata("t", schema_string=renamed, partition_columns=("p",), configuration=metadata.configuration)
    )
    with pytest.raises(ColumnMappingError) as caught:
        transaction.commit([add("f", partition_values={physical["p"]: "a"})], operations.operation("RENAME COLUMN"))
    assert caught.value.delta_class == "DeltaUnsupportedOperationException"
    assert caught.value.delta_condition == "DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION"


@pytest.mark.parametrize(
    ("properties", "condition"),
    [
        ({"delta.enableIcebergCompatV1": "true"}, "VERSION_MUTUAL_EXCLUSIVE"),
        ({"delta.enableDeletionVectors": "true"}, "DELETION_VECTORS_SHOULD_BE_DISABLED"),
        ({"delta.columnMapping.mode": "none"}, "WRONG_REQUIRED_TABLE_PROPERTY"),
    ],
)
def test_iceberg_compatibility_excludes_what_its_version_rules_out(properties: dict[str, str], condition: str) -> None:
    with pytest.raises(IcebergCompatError) as caught:
        Scene().create({"delta.enableIcebergCompatV2": "true", **properties})
    assert caught.value.delta_condition == f"DELTA_ICEBERG_COMPAT_VIOLATION.{condition}"


ATOMIC = "delta.universalFormat.iceberg.atomicConversion.supported"


@pytest.mark.parametrize(("name", "value"), [("REPLACE TABLE", "true"), ("CREATE TABLE", "true"), ("WRITE", None)])
def test_a_commit_that_replaces_a_table_for_iceberg_notes_how_it_is_converted(name: str, value: str | None) -> None:
    scene = Scene()
    scene.create({"delta.enableIcebergCompatV2": "true"})
    without = {key: text for key, text in scene.begin().metadata.configuration.items() if key != ATOMIC}
    stripped = scene.begin()
    stripped.commit([stripped.metadata.with_configuration(without)], operations.manual_update())
    transaction = scene.begin()
    transaction.commit([], operations.operation(name))
    assert transaction.committed is not None
    assert transaction.committed.metadata.configuration.get(ATOMIC) == value


@pytest.mark.parametrize(
    ("version", "kind", "allowed"),
    [
        (1, "timestamp", True),
        (1, "void", False),
        (1, {"type": "array", "elementType": "long", "containsNull": True}, False),
        (2, {"type": "array", "elementType": "long", "containsNull": True}, True),
        (2, "variant", False),
        (3, "variant", True),
    ],
)
def test_iceberg_compatibility_refuses_types_that_it_lacks(version: int, kind: object, allowed: bool) -> None:
    schema = json.dumps({"type": "struct", "fields": [{"name": "c", "type": kind, "nullable": True, "metadata": {}}]})
    properties = {f"delta.enableIcebergCompatV{version}": "true"}
    scene = Scene()
    if allowed:
        scene.create(properties, schema=schema, partitioned=False)
        return
    with pytest.raises(IcebergCompatError) as caught:
        scene.create(properties, schema=schema, partitioned=False)
    assert caught.value.delta_condition == "DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_DATA_TYPE"


def test_iceberg_compatibility_brings_what_it_needs_to_a_new_table() -> None:
    scene = Scene()
    scene.create({"delta.enableIcebergCompatV3": "true"})
    metadata = scene.snapshot().metadata
    assert metadata.configuration["delta.columnMapping.mode"] == "name"
    assert metadata.configuration["delta.enableRowTracking"] == "true"
    assert {number for number, _ in ids(metadata).values()} == {1, 2}
    assert {"columnMapping", "domainMetadata", "icebergCompatV3", "rowTracking"} <= set(
        scene.snapshot().protocol.listed_features
    )


def test_iceberg_compatibility_counts_rows_and_cannot_be_left() -> None:
    scene = Scene()
    scene.create({"delta.enableIcebergCompatV3": "true"}, partitioned=False)
    with pytest.raises((IcebergCompatError, RowTrackingError)):
        scene.append(add("f", rows=None, partition_values={}))
    with pytest.raises(IcebergCompatError, match="IcebergCompat cannot be disabled"):
        scene.set_properties(delta__enableIcebergCompatV3="false")


# --- replacing a table --------------------------------------------------------------------------


def replaced(scene: Scene, **properties: str) -> Scene:
    transaction = scene.begin()
    given = {key.replace("__", "."): value for key, value in properties.items()}
    transaction.update_metadata_for_new_table(Metadata("t2", schema_string=SCHEMA, configuration=given))
    transaction.commit([], operations.table_creation("REPLACE TABLE"))
    return scene


def test_a_replaced_table_keeps_its_protocol_and_what_makes_it_fast() -> None:
    scene = table(delta__enableDeletionVectors="true", delta__appendOnly="false")
    before = scene.snapshot().protocol
    after = replaced(scene).snapshot()
    assert after.protocol == before
    assert after.metadata.configuration == {"delta.enableDeletionVectors": "true"}


def test_a_replaced_table_may_lose_features_where_the_session_says_so() -> None:
    scene = table(delta__feature__deletionVectors="supported")
    transaction = scene.begin(session={"spark.databricks.delta.replace.protocolDowngradeAllowed": "true"})
    transaction.update_metadata_for_new_table(Metadata("t2", schema_string=SCHEMA))
    transaction.commit([], operations.table_creation("REPLACE TABLE"))
    assert scene.snapshot().protocol == Protocol.of(1, 2)


def test_columns_of_a_replaced_table_keep_their_ids_on_request() -> None:
    scene = table(delta__columnMapping__mode="name")
    before = ids(scene.snapshot().metadata)
    transaction = scene.begin()
    metadata = Metadata("t2", schema_string=SCHEMA, configuration={"delta.columnMapping.mode": "name"})
    transaction.update_metadata_for_new_table(metadata, keeps_column_ids=True)
    assert ids(transaction.metadata) == before
    other = scene.begin()
    other.update_metadata_for_new_table(metadata)
    assert {number for number, _ in ids(other.metadata).values()} == {3, 4}
