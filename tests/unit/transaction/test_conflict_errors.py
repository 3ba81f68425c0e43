"""A conflict names the commit, the files and how to avoid it; as a value first, as an error at the end."""

from __future__ import annotations

import json
import pickle

import pytest

from deltaresolver.errors import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    ConcurrentTransactionError,
    MetadataChangedError,
    ProtocolChangedError,
)
from deltaresolver.model.actions import DomainMetadata
from deltaresolver.model.behaviour import Winner
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.conflicts.conflict import Conflict, ConflictKind, conflict_with
from tests.logs import info
from tests.transactions import NOW_MS, Scene, add, remove


@pytest.fixture
def scene() -> Scene:
    made = Scene()
    made.create()
    made.append(add("f1", "a"), add("f2", "b"))
    return made


def test_an_append_conflict_names_the_winner_the_partition_and_what_was_read(scene: Scene) -> None:
    transaction = scene.begin()
    transaction.filter_files("p = 'a'", "id < 5")
    scene.append(add("new", "a"))
    with pytest.raises(ConcurrentAppendError) as caught:
        transaction.commit([remove("f1")], operations.with_predicate("UPDATE"))
    error = caught.value
    assert error.delta_condition == "DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT"
    assert error.retryable
    details = error.details
    assert (details["winner_version"], details["winner_operation"]) == (2, "WRITE")
    assert (details["where"], details["read"]) == ("[p=a]", "p = 'a' and id < 5")
    assert str(details["winner_time"]).startswith("2023-11-14T22:13:20")
    assert all(str(details[key]) in error.message for key in ("winner_version", "winner_operation", "where", "read"))
    assert error.fix == details["avoid"]
    assert json.dumps(error.to_json())
    assert pickle.loads(pickle.dumps(error)).to_json() == error.to_json()


def test_data_in_other_partitions_does_not_conflict(scene: Scene) -> None:
    transaction = scene.begin()
    transaction.filter_files("p = 'a'")
    scene.append(add("new", "b"))
    assert transaction.commit([remove("f1")], operations.with_predicate("DELETE")) == 3


def test_removed_data_that_was_read_conflicts(scene: Scene) -> None:
    transaction = scene.begin()
    transaction.track_files_read([add("f1", "a")])
    scene.begin().commit([remove("f1")], operations.with_predicate("DELETE"))
    with pytest.raises(ConcurrentDeleteReadError) as caught:
        transaction.commit([add("g", "b")], operations.write())
    assert caught.value.details["where"] == "[p=a]"


def test_reading_the_whole_table_conflicts_with_any_removal_without_a_partition_to_name(scene: Scene) -> None:
    transaction = scene.begin()
    transaction.read_whole_table()
    scene.begin().commit([remove("f2", "b")], operations.with_predicate("DELETE"))
    with pytest.raises(ConcurrentDeleteReadError) as caught:
        transaction.commit([add("g", "b")], operations.write())
    assert caught.value.delta_condition == "DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT"


def test_removing_the_same_file_twice_conflicts_under_any_isolation(scene: Scene) -> None:
    transaction = scene.begin()
    scene.begin().commit([remove("f1", data_change=False)], operations.optimize())
    with pytest.raises(ConcurrentDeleteDeleteError) as caught:
        transaction.commit([remove("f1", data_change=False)], operations.optimize())
    told = caught.value.details
    assert (told["winner_version"], told["winner_operation"], told["where"]) == (2, "OPTIMIZE", "[p=a]")


def test_an_application_that_went_on_elsewhere_conflicts(scene: Scene) -> None:
    transaction = scene.begin()
    transaction.txn_version("app")
    scene.put_commit(2, [info(), {"txn": {"appId": "app", "version": 1}}])
    with pytest.raises(ConcurrentTransactionError) as caught:
        transaction.commit([add("g")], operations.streaming_update("Append", "q", 1))
    assert caught.value.details["where"] == "application app"


def test_a_domain_written_by_both_conflicts() -> None:
    scene = Scene()
    scene.create({"delta.feature.domainMetadata": "supported"})
    transaction = scene.begin()
    scene.begin().commit([DomainMetadata("mine", "1")], operations.manual_update())
    with pytest.raises(ConcurrentTransactionError) as caught:
        transaction.commit([DomainMetadata("mine", "2")], operations.manual_update())
    assert caught.value.details["where"] == "domain mine"


def test_changed_metadata_names_what_changed(scene: Scene) -> None:
    transaction = scene.begin()
    scene.set_properties(my__key="1")
    with pytest.raises(MetadataChangedError) as caught:
        transaction.commit([add("g")], operations.write())
    assert caught.value.details["where"] == "property my.key"


def test_a_changed_protocol_conflicts_with_a_change_of_ones_own(scene: Scene) -> None:
    transaction = scene.begin()
    transaction.update_metadata(transaction.metadata.with_configuration({"delta.feature.v2Checkpoint": "supported"}))
    scene.set_properties(delta__feature__deletionVectors="supported")
    before = transaction.state.protocol
    with pytest.raises(ProtocolChangedError) as caught:
        transaction.commit([], operations.set_properties({}))
    assert caught.value.details["where"] == f"from {before} to {scene.snapshot().protocol}"


def test_a_winner_that_records_nothing_about_itself_is_named_all_the_same() -> None:
    winner = Winner(3, (), list, NOW_MS, Metadata("t"))
    conflict = conflict_with(winner, ConflictKind.APPEND, "all files")
    assert isinstance(conflict, Conflict)
    assert conflict.to_error().message == (
        "Version 3 (unknown operation) added data that this transaction should have read; "
        "this transaction had read all files."
    )
