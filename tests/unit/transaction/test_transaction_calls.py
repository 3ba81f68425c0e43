"""The calls of a transaction: what each stages, in which order they are allowed, and what they say."""

from __future__ import annotations

import logging

import pytest

from deltaresolver.errors import (
    ManualEnablementError,
    MetadataAbsentError,
    PartitionColumnChangeError,
    ProtocolDowngradeError,
    SchemaRuleError,
    TransactionStateError,
)
from deltaresolver.model.actions import Action, SetTransaction
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.transaction import operation as operations
from tests.transactions import SCHEMA, Scene, add, of_kind, remove


@pytest.fixture
def scene() -> Scene:
    made = Scene()
    made.create()
    return made


def test_a_table_that_does_not_exist_is_read_as_version_minus_one() -> None:
    transaction = Scene().begin()
    assert transaction.read_version == -1
    assert transaction.filter_files() == []
    assert transaction.txn_version("app") == -1


def test_a_first_commit_needs_metadata() -> None:
    with pytest.raises(MetadataAbsentError):
        Scene().begin().commit([add("f", partition_values={})], operations.write())


def test_creating_a_table_takes_session_defaults_and_resolves_the_protocol() -> None:
    scene = Scene()
    session = {
        "spark.databricks.delta.properties.defaults.enableDeletionVectors": "true",
        "spark.databricks.delta.properties.defaults.appendOnly": "true",
    }
    transaction = scene.begin(session=session)
    given = Metadata("t", schema_string=SCHEMA, configuration={"delta.appendOnly": "false"})
    transaction.update_metadata(given)
    assert transaction.metadata.configuration == {"delta.enableDeletionVectors": "true", "delta.appendOnly": "false"}
    assert transaction.commit([], operations.table_creation()) == 0
    assert "deletionVectors" in scene.snapshot().protocol.listed_features


def test_features_asked_for_are_added_to_the_protocol_and_not_kept_as_properties(scene: Scene) -> None:
    assert scene.set_properties(delta__feature__deletionVectors="supported") == 1
    snapshot = scene.snapshot()
    assert "deletionVectors" in snapshot.protocol.listed_features
    assert snapshot.metadata.configuration == {}


def test_metadata_that_needs_an_unasked_feature_is_refused(scene: Scene) -> None:
    transaction = scene.begin()
    schema = SCHEMA.replace('"long"', '"timestamp_ntz"')
    with pytest.raises(ManualEnablementError):
        transaction.update_metadata(Metadata("t", schema_string=schema, partition_columns=("p",)))


def test_columns_of_one_name_are_refused(scene: Scene) -> None:
    schema = SCHEMA.replace('"name":"id"', '"name":"P"')
    with pytest.raises(SchemaRuleError) as caught:
        scene.begin().update_metadata(Metadata("t", schema_string=schema))
    assert caught.value.delta_condition == "DELTA_DUPLICATE_COLUMNS_FOUND"


@pytest.mark.parametrize(
    ("data_type", "column"),
    [
        ('"interval day to second"', "id"),
        ('"interval year to month"', "id"),
        ('"interval"', "id"),
        ('"time(6)"', "id"),
        ('{"type":"array","elementType":"interval day","containsNull":true}', "id.element"),
    ],
)
def test_types_that_delta_does_not_have_are_refused(scene: Scene, data_type: str, column: str) -> None:
    schema = SCHEMA.replace('"name":"id","type":"long"', f'"name":"id","type":{data_type}')
    with pytest.raises(SchemaRuleError, match=f"^Column {column} is of type (interval|time)") as caught:
        scene.begin().update_metadata(Metadata("t", schema_string=schema, partition_columns=("p",)))
    assert caught.value.delta_condition == "DELTA_UNSUPPORTED_DATA_TYPES"


def test_metadata_changes_once_and_before_data_is_written(scene: Scene) -> None:
    transaction = scene.begin()
    transaction.update_metadata(transaction.metadata)
    with pytest.raises(
        TransactionStateError, match=r"(?m)^Cannot change the metadata more than once in a transaction\.$"
    ):
        transaction.update_metadata(transaction.metadata)
    transaction = scene.begin()
    transaction.mark_written()
    sentence = r"^Cannot update the metadata in a transaction that has already written data\.$"
    with pytest.raises(AssertionError, match=f"(?m){sentence}"):
        transaction.update_metadata(transaction.metadata)


def test_a_transaction_commits_once(scene: Scene) -> None:
    transaction = scene.begin()
    transaction.commit([add("f")], operations.write())
    with pytest.raises(TransactionStateError, match=r"(?m)^Transaction already committed\.$"):
        transaction.commit([add("g")], operations.write())


def test_what_was_committed_is_kept_on_the_transaction(scene: Scene) -> None:
    transaction = scene.begin()
    assert (transaction.isolation_level, transaction.is_blind_append) == (None, None)
    transaction.commit([add("f")], operations.write())
    committed = transaction.committed
    assert committed is not None
    assert (committed.table_version, committed.attempts, committed.conflicts_checked) == (1, 1, 0)
    assert committed.snapshot.table_version == 1
    assert transaction.isolation_level is IsolationLevel.SERIALIZABLE
    assert transaction.is_blind_append is True


def test_reading_makes_an_append_depend_on_files(scene: Scene) -> None:
    transaction = scene.begin()
    transaction.filter_files("p = 'nowhere'")
    transaction.commit([add("f")], operations.write())
    assert transaction.is_blind_append is False


def test_compaction_runs_under_snapshot_isolation(scene: Scene) -> None:
    scene.append(add("f"))
    transaction = scene.begin()
    actions: list[Action] = [remove("f", data_change=False), add("g", data_change=False)]
    transaction.commit(actions, operations.optimize())
    assert transaction.isolation_level is IsolationLevel.SNAPSHOT


def test_commit_if_needed_leaves_out_an_empty_commit_unless_writes_are_serialised(scene: Scene) -> None:
    assert scene.begin().commit_if_needed([], operations.with_predicate("DELETE")) is None
    scene.put_commit(
        1,
        [
            {
                "metaData": Metadata("t", schema_string=SCHEMA, partition_columns=("p",))
                .with_configuration({"delta.isolationLevel": "WriteSerializable"})
                .to_json()
            }
        ],
    )
    assert scene.begin().commit_if_needed([], operations.with_predicate("DELETE")) == 2


def test_a_protocol_never_shrinks_without_dropping(scene: Scene) -> None:
    with pytest.raises(ProtocolDowngradeError):
        scene.begin().commit([Protocol.of(1, 1)], operations.upgrade_protocol({}))


def test_partition_columns_change_where_the_session_tolerates_it(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    other = Metadata("t", schema_string=SCHEMA)
    strict = {"spark.databricks.delta.partitionColumnChangeCheck": "true"}
    with pytest.raises(PartitionColumnChangeError):
        scene.begin(session=strict).commit([other], operations.write())
    with caplog.at_level(logging.WARNING, "deltaresolver.transaction"):
        scene.begin().commit([other], operations.write())
    assert "may not change the partition columns" in caplog.text


def test_an_application_finds_its_own_version(scene: Scene) -> None:
    scene.begin().commit([SetTransaction("app", 7)], operations.streaming_update("Append", "q", 7))
    transaction = scene.begin()
    assert transaction.txn_version("app") == 7
    assert transaction.txn_version("other") == -1


def test_repeated_progress_is_written_once(scene: Scene) -> None:
    transaction = scene.begin()
    transaction.commit([SetTransaction("app", 7), SetTransaction("app", 7)], operations.manual_update())
    assert transaction.committed is not None
    assert len(of_kind(SetTransaction, transaction.committed.actions)) == 1


def test_the_log_says_what_the_specification_says(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    transaction = scene.begin()
    transaction.track_read_predicates("p = 'z'")
    scene.append(add("f"))
    with caplog.at_level(logging.DEBUG, "deltaresolver.transaction"):
        transaction.commit([add("g")], operations.write())
    messages = [record.message for record in caplog.records]
    assert messages[0] == "Attempting to commit version 1 with 2 actions with Serializable isolation level"
    assert messages[1].startswith("Completed checking for conflicts Version: 1 Attempt: 1 Time: ")
    assert messages[2] == "No logical conflicts with deltas [1, 2), retrying."
    assert messages[3] == "Attempting to commit version 2 with 2 actions with Serializable isolation level"
    assert messages[4] == "Committed delta #2 to memory:table/_delta_log"


def test_the_commit_info_names_this_library() -> None:
    scene = Scene()
    scene.create()
    transaction = scene.begin(engine_info=None)
    transaction.commit([], operations.write())
    assert transaction.committed is not None
    assert str(transaction.committed.commit_info.fields["engineInfo"]).startswith("deltaresolver")
