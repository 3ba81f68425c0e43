"""A transaction refuses tables that it cannot write rightly: when it starts, or at the latest before it commits."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.defaults import built_in_catalog, delta_spark_catalog
from deltaresolver.errors import (
    DeltaResolverError,
    ProtocolMismatchError,
    ProtocolUnsupportedError,
    TablePropertyRefusedError,
    TransactionError,
)
from deltaresolver.log.log import DeltaLog
from deltaresolver.model.feature import Maturity
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.alter.alter_table import alter_table
from deltaresolver.transaction.starter import TransactionStarter
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.transactions import SCHEMA, Scene, add

COORDINATOR = "delta.coordinatedCommits.commitCoordinator-preview"
RECORDED = Path(__file__).parents[2] / "recorded" / "resolver.jsonl.gz"


def found_table(
    protocol: Mapping[str, Any], configuration: Mapping[str, str] | None = None, schema: str = SCHEMA
) -> Scene:
    """A table as somebody else left it."""
    scene = Scene()
    metadata = Metadata("t", schema_string=schema, partition_columns=("p",), configuration=configuration or {})
    scene.put_commit(0, [{"protocol": dict(protocol)}, {"metaData": metadata.to_json()}])
    return scene


def _starter(scene: Scene) -> TransactionStarter:
    return TransactionStarter(DeltaLog(scene.store), delta_spark_catalog())


def listed(*writer: str, readers: tuple[str, ...] | None = None) -> dict[str, Any]:
    protocol: dict[str, Any] = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": list(writer)}
    return protocol if readers is None else {**protocol, "minReaderVersion": 3, "readerFeatures": list(readers)}


# --- protocol and metadata ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("configuration", "schema", "missing"),
    [
        ({"delta.constraints.c": "id > 100"}, SCHEMA, "checkConstraints"),
        ({"delta.enableRowTracking": "true"}, SCHEMA, "rowTracking"),
        ({"delta.enableDeletionVectors": "true"}, SCHEMA, "deletionVectors"),
        ({"delta.enableChangeDataFeed": "true"}, SCHEMA, "changeDataFeed"),
        ({}, SCHEMA.replace("true", "false", 1), "invariants"),
    ],
)
def test_a_table_whose_protocol_lacks_what_its_metadata_needs_is_refused_at_the_start(
    configuration: dict[str, str], schema: str, missing: str
) -> None:
    scene = found_table(listed("appendOnly"), configuration, schema)
    with pytest.raises(ProtocolMismatchError, match=missing) as caught:
        scene.begin()
    assert caught.value.delta_condition == "DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH"
    with pytest.raises(ProtocolMismatchError):
        alter_table(_starter(scene), {"a": "b"})


def test_a_numbered_protocol_leaves_what_it_does_not_imply_dormant() -> None:
    generated = SCHEMA.replace('"metadata":{}', '"metadata":{"delta.generationExpression":"length(p)"}', 1)
    scene = found_table({"minReaderVersion": 1, "minWriterVersion": 2}, {"delta.constraints.c": "id > 1"}, generated)
    assert scene.append(add("f")) == 1


def _recorded_mismatches() -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Cases with whether the recorded enabled features go beyond those that the protocol lists."""
    with gzip.open(RECORDED, "rt", encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            if case["kind"] == "auto_enabled" and "ok" in case["expect"]:
                protocol = case["protocol"]
                lists = protocol["minWriterVersion"] >= 7
                unlisted = set(case["expect"]["ok"]) - set(protocol.get("writerFeatures") or ())
                yield case, lists and bool(unlisted)


def test_a_start_is_refused_exactly_where_recorded_features_go_beyond_the_protocol() -> None:
    seen = {True: 0, False: 0}
    for case, is_mismatch in _recorded_mismatches():
        scene = Scene()
        scene.put_commit(0, [{"protocol": case["protocol"]}, {"metaData": case["metadata"]}])
        try:
            scene.begin()
        except ProtocolMismatchError:
            assert is_mismatch, case["id"]
        except DeltaResolverError:
            continue  # a protocol that nobody reads
        else:
            assert not is_mismatch, case["id"]
        seen[is_mismatch] += 1
    assert min(seen.values()) > 10, seen


# --- features that are known and not implemented --------------------------------------------------

PROPOSED = [feature for feature in built_in_catalog() if feature.maturity is Maturity.PROPOSED]


@pytest.mark.parametrize("feature", PROPOSED, ids=lambda feature: feature.name)
def test_a_feature_that_is_only_proposed_is_never_claimed(feature: Any) -> None:
    readers = (feature.name,) if feature.is_reader_feature else None
    scene = found_table(listed(feature.name, *feature.requires, readers=readers))
    verb = "READ" if readers else "WRITE"
    with pytest.raises(ProtocolUnsupportedError, match=feature.name) as caught:
        _begin(scene).commit([add("f")], operations.write())
    assert caught.value.delta_condition == f"DELTA_UNSUPPORTED_FEATURES_FOR_{verb}"
    assert scene.snapshot().table_version == 0


def _begin(scene: Scene) -> OptimisticTransaction:
    return OptimisticTransaction(DeltaLog(scene.store), built_in_catalog(), sleep=scene.slept.append)


@pytest.mark.parametrize("name", ["redirectReaderWriter-preview", "redirectWriterOnly-preview"])
@pytest.mark.parametrize("state", ["ENABLE-REDIRECT-IN-PROGRESS", "REDIRECT-READY", "DROP-REDIRECT-IN-PROGRESS"])
def test_no_table_is_redirected_by_a_client_that_does_not_redirect(name: str, state: str) -> None:
    scene = found_table(listed("appendOnly"))
    transaction = _begin(scene)
    redirect = json.dumps({"type": "PathBasedRedirect", "state": state, "spec": "{}"})
    transaction.update_metadata(transaction.metadata.with_configuration({f"delta.{name}": redirect}))
    with pytest.raises(ProtocolUnsupportedError, match=name):
        transaction.commit([], operations.set_properties({}))


# --- coordinators and catalogs --------------------------------------------------------------------

COORDINATED = listed("coordinatedCommits-preview", "inCommitTimestamp", "vacuumProtocolCheck")


def test_a_table_with_a_coordinator_is_read_and_never_committed_to() -> None:
    scene = found_table(COORDINATED, {COORDINATOR: "dynamodb"})
    staged = "_delta_log/_staged_commits/00000000000000000001.11111111-1111-4111-8111-111111111111.json"
    scene.store.put_if_absent(staged, b'{"commitInfo":{"operation":"WRITE"}}\n')
    assert list(scene.snapshot().add_actions()) == []
    for commit in (scene.begin().commit, scene.begin().commit_if_needed, scene.begin().commit_large):
        with pytest.raises(ProtocolUnsupportedError, match="dynamodb") as caught:
            commit([add("f")], operations.write())
        assert caught.value.delta_condition == "DELTA_UNSUPPORTED_WRITES_WITHOUT_COORDINATOR"
        assert caught.value.details == {"feature": "coordinatedCommits-preview", "coordinator": "dynamodb"}
    with pytest.raises(TransactionError):
        alter_table(_starter(scene), {}, [COORDINATOR])
    assert scene.snapshot().table_version == 0


def test_a_table_that_supports_coordinators_and_has_none_is_written() -> None:
    assert found_table(COORDINATED).append(add("f")) == 1


def test_no_table_is_given_to_an_unknown_coordinator() -> None:
    scene = Scene()
    with pytest.raises(ProtocolUnsupportedError, match="dynamodb"):
        scene.create({COORDINATOR: "dynamodb"})
    scene.create()
    with pytest.raises(ProtocolUnsupportedError, match="dynamodb") as caught:
        scene.set_properties(**{COORDINATOR: "dynamodb"})
    assert (caught.value.delta_class, caught.value.delta_condition) == (
        "IllegalArgumentException",
        "DELTA_INVALID_PROTOCOL_VERSION",
    )


@pytest.mark.parametrize("feature", ["catalogManaged", "adaptiveMetadata-preview"])
def test_no_session_default_creates_a_table_that_a_catalog_manages(feature: str) -> None:
    scene = Scene()
    session = {f"spark.databricks.delta.properties.defaults.feature.{feature}": "supported"}
    with pytest.raises(TablePropertyRefusedError) as caught:
        scene.begin(session=session).update_metadata_for_new_table(Metadata("t", schema_string=SCHEMA))
    assert caught.value.delta_condition == "DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION"


def test_a_protocol_given_as_an_action_cannot_claim_more_than_is_implemented() -> None:
    scene = found_table(listed("appendOnly"))
    with pytest.raises(ProtocolUnsupportedError, match="redirectWriterOnly-preview"):
        _begin(scene).commit(
            [Protocol.of(1, 7, writer_features={"appendOnly", "redirectWriterOnly-preview"})],
            operations.upgrade_protocol({}),
        )
