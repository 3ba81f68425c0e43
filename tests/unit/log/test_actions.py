"""Actions to JSON and back: nothing lost, nothing invented, precise about what is wrong."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import ActionMalformedError, ProtocolMalformedError
from deltaresolver.model.actions import (
    AddFile,
    CommitInfo,
    DeletionVector,
    DomainMetadata,
    RemoveFile,
    SetTransaction,
    UnknownAction,
    encode_actions,
    read_action,
    write_action,
)
from deltaresolver.model.file_key import canonical_path

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
wholes = st.integers(-(2**63), 2**63 - 1)
text_maps = st.dictionaries(texts, st.none() | texts, max_size=3)
anything = st.recursive(
    st.none() | st.booleans() | wholes | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
vectors = st.fixed_dictionaries(
    {
        "storageType": st.sampled_from("uip"),
        "pathOrInlineDv": texts,
        "sizeInBytes": wholes,
        "cardinality": wholes,
    },
    optional={"offset": wholes, "maxRowIndex": wholes, "fromTheFuture": anything},
)
unknown = {"fromTheFuture": anything, "another_one": anything}
ACTIONS = {
    "add": st.fixed_dictionaries(
        {
            "path": texts,
            "partitionValues": text_maps,
            "size": wholes,
            "modificationTime": wholes,
            "dataChange": st.booleans(),
        },
        optional={
            "stats": texts,
            "tags": text_maps,
            "deletionVector": vectors,
            "baseRowId": wholes,
            "defaultRowCommitVersion": wholes,
            "clusteringProvider": texts,
            **unknown,
        },
    ),
    "remove": st.fixed_dictionaries(
        {"path": texts, "dataChange": st.booleans()},
        optional={
            "deletionTimestamp": wholes,
            "extendedFileMetadata": st.booleans(),
            "partitionValues": text_maps,
            "size": wholes,
            "stats": texts,
            "tags": text_maps,
            "deletionVector": vectors,
            "baseRowId": wholes,
            "defaultRowCommitVersion": wholes,
            **unknown,
        },
    ),
    "cdc": st.fixed_dictionaries(
        {"path": texts, "partitionValues": text_maps, "size": wholes, "dataChange": st.booleans()},
        optional={"tags": text_maps, **unknown},
    ),
    "txn": st.fixed_dictionaries({"appId": texts, "version": wholes}, optional={"lastUpdated": wholes, **unknown}),
    "domainMetadata": st.fixed_dictionaries(
        {"domain": texts, "configuration": texts, "removed": st.booleans()}, optional=unknown
    ),
    "sidecar": st.fixed_dictionaries(
        {"path": texts, "sizeInBytes": wholes, "modificationTime": wholes}, optional={"tags": text_maps, **unknown}
    ),
    "checkpointMetadata": st.fixed_dictionaries({"version": wholes}, optional={"tags": text_maps, **unknown}),
    "commitInfo": st.dictionaries(texts, anything, max_size=4),
    "neverHeardOf": anything,
}
written = st.sampled_from(sorted(ACTIONS)).flatmap(lambda name: st.tuples(st.just(name), ACTIONS[name]))


@given(written)
def test_what_is_read_is_written_back_unchanged(action: tuple[str, Any]) -> None:
    name, value = action
    assert write_action(read_action(name, value)) == {name: value}
    assert json.loads(encode_actions([read_action(name, value)])) == {name: value}


@given(written)
def test_actions_survive_pickling(action: tuple[str, Any]) -> None:
    name, value = action
    read = read_action(name, value)
    assert pickle.loads(pickle.dumps(read)) == read


def test_equal_files_are_equal_and_hashable_whatever_their_maps() -> None:
    one = AddFile("a", {"p": "1"}, tags={"t": "x"}, deletion_vector=DeletionVector("u", "ab"))
    two = AddFile("a", {"p": "1"}, tags={"t": "x"}, deletion_vector=DeletionVector("u", "ab"))
    assert one == two
    assert hash(one) == hash(two)
    assert len({one, two}) == 1


@pytest.mark.parametrize(
    ("name", "value", "where"),
    [
        ("add", {}, "add.path"),
        ("add", {"path": None}, "add.path"),
        ("add", {"path": 1}, "add.path"),
        ("add", {"path": "a", "size": "1"}, "add.size"),
        ("add", {"path": "a", "size": True}, "add.size"),
        ("add", {"path": "a", "size": 1.5}, "add.size"),
        ("add", {"path": "a", "dataChange": "true"}, "add.dataChange"),
        ("add", {"path": "a", "partitionValues": {"p": 1.5}}, "add.partitionValues"),
        ("add", {"path": "a", "tags": {"t": {}}}, "add.tags"),
        ("add", {"path": "a", "partitionValues": []}, "add.partitionValues"),
        ("add", {"path": "a", "deletionVector": {}}, "deletionVector.storageType"),
        ("add", "a", "add"),
        ("add", ["a"], "add"),
        ("txn", {"appId": "x"}, "txn.version"),
        ("domainMetadata", {"configuration": "x"}, "domainMetadata.domain"),
        ("checkpointMetadata", {}, "checkpointMetadata.version"),
    ],
)
def test_a_wrong_field_is_named_with_what_was_found(name: str, value: Any, where: str) -> None:
    with pytest.raises(ActionMalformedError) as caught:
        read_action(name, value)
    assert caught.value.message.startswith(f"{where} must be")
    assert pickle.loads(pickle.dumps(caught.value)).details == caught.value.details


def test_optional_fields_may_be_null_or_absent() -> None:
    bare = read_action("add", {"path": "a"})
    assert bare == read_action("add", {"path": "a", "stats": None, "tags": None, "deletionVector": None, "size": None})
    assert isinstance(bare, AddFile)
    assert (bare.partition_values, bare.size, bare.data_change) == ({}, 0, False)
    gone = read_action("remove", {"path": "a"})
    assert isinstance(gone, RemoveFile)
    assert (gone.deletion_timestamp, gone.deleted_at) == (None, 0)


def test_values_of_maps_may_lack_their_quotes() -> None:
    bare = read_action("add", {"path": "a", "partitionValues": {"p": 5, "q": True, "r": None, "s": "x"}})
    assert isinstance(bare, AddFile)
    assert bare.partition_values == {"p": "5", "q": "true", "r": None, "s": "x"}


def test_commit_info_is_kept_whatever_is_in_it() -> None:
    value = {"timestamp": "yesterday", "operationParameters": {"a": [1, {"b": None}]}, "txnId": 7}
    info = read_action("commitInfo", value)
    assert isinstance(info, CommitInfo)
    assert (info.in_commit_timestamp, info.transaction_id) == (None, None)
    assert write_action(info) == {"commitInfo": value}


@pytest.mark.parametrize(
    "value",
    [
        {"minReaderVersion": 3, "minWriterVersion": 7},
        {"minReaderVersion": 1, "minWriterVersion": 7, "readerFeatures": [], "writerFeatures": []},
        {"minReaderVersion": 1, "minWriterVersion": 2, "writerFeatures": []},
    ],
)
def test_lists_that_do_not_go_with_the_versions_are_refused_as_delta_spark_does(value: Any) -> None:
    with pytest.raises(ProtocolMalformedError):
        read_action("protocol", value)


def test_unknown_fields_of_metadata_are_written_back() -> None:
    value = {"id": "t", "format": {}, "partitionColumns": [], "configuration": {}, "fromTheFuture": {"a": [1]}}
    metadata = read_action("metaData", value)
    assert write_action(metadata)["metaData"]["fromTheFuture"] == {"a": [1]}
    assert metadata == read_action("metaData", {key: value[key] for key in value if key != "fromTheFuture"})


def test_names_people_use_are_kept() -> None:
    assert read_action("txn", {"appId": "a", "version": 3}) == SetTransaction("a", 3)
    assert read_action("domainMetadata", {"domain": "d"}) == DomainMetadata("d")
    assert read_action("brandNew", [1]) == UnknownAction("brandNew", [1])


@pytest.mark.parametrize(
    ("path", "canonical"),
    [
        ("a/b.parquet", "a/b.parquet"),
        ("/a", "file:/a"),
        ("file:/a", "file:/a"),
        ("file:///a", "file:/a"),
        ("FILE:/a", "file:/a"),
        ("/a//b/./c", "file:/a/b/c"),
        ("./a", "a"),
        ("a/../b", "b"),
        ("../a", "../a"),
        ("s3://Bucket/a//b", "s3://Bucket/a/b"),
        ("s3://bucket", "s3://bucket"),
        ("a%20b", "a%20b"),
        ("a b", "a b"),
        ("time=1971-07-22T03:06:40/x", "time=1971-07-22T03:06:40/x"),
        ("c:x/y", "c:x/y"),
        ("a/", "a/"),
        ("", ""),
    ],
)
def test_one_file_has_one_spelling(path: str, canonical: str) -> None:
    assert canonical_path(path) == canonical


@given(st.text("ab/.:%", max_size=12))
def test_canonical_spelling_is_settled_at_once(path: str) -> None:
    assert canonical_path(canonical_path(path)) == canonical_path(path)
