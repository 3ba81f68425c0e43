"""What a table demands, from its protocol, metadata and facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from deltaresolver.clients.table_facts import NOTHING_KNOWN, CheckpointForm, TableFacts
from deltaresolver.clients.table_needs import DETAILS, TableNeeds, feature_of
from deltaresolver.model import Metadata, Protocol

Json = Mapping[str, Any]


def column(name: str, kind: str = "long", metadata: Json | None = None, *, nullable: bool = True) -> Json:
    return {"name": name, "type": kind, "nullable": nullable, "metadata": metadata or {}}


def table(*columns: Json, properties: Mapping[str, str] | None = None) -> Metadata:
    schema = json.dumps({"type": "struct", "fields": columns or [column("id")]})
    return Metadata(schema_string=schema, configuration=properties or {})


def demands(protocol: Protocol, metadata: Metadata | None = None, facts: TableFacts = NOTHING_KNOWN) -> set[str]:
    return set(TableNeeds.of(protocol, table() if metadata is None else metadata, facts).demands)


def test_a_numbered_writer_version_demands_all_lower_ones() -> None:
    assert demands(Protocol(1, 1)) == set()
    assert demands(Protocol(1, 4)) == {"writer:2", "writer:3", "writer:4"}
    assert demands(Protocol(2, 5)) >= {"reader:2", "writer:5"}


def test_lists_demand_their_features_on_each_side() -> None:
    protocol = Protocol.of(3, 7, ["deletionVectors"], ["deletionVectors", "rowTracking", "domainMetadata"])
    found = demands(protocol, facts=TableFacts(domains=frozenset()))
    assert found == {
        *("reader:3", "writer:7", "reads:deletionVectors"),
        *("writes:deletionVectors", "writes:rowTracking", "writes:domainMetadata"),
    }


def test_listed_and_in_use_are_told_apart() -> None:
    protocol = Protocol.of(1, 7, (), ["appendOnly"])
    assert "uses:appendOnly" not in demands(protocol)
    assert "uses:appendOnly" in demands(protocol, table(properties={"delta.appendOnly": "true"}))


def test_a_property_without_its_feature_is_no_use() -> None:
    assert "uses:deletionVectors" not in demands(
        Protocol(1, 2), table(properties={"delta.enableDeletionVectors": "true"})
    )


def test_preview_names_are_used_under_their_final_name() -> None:
    names = ["variantType-preview"]
    assert "uses:variantType" in demands(Protocol.of(3, 7, names, names), table(column("v", "variant")))


def test_a_column_default_is_in_use_without_any_property() -> None:
    metadata = table(column("c", "integer", {"CURRENT_DEFAULT": "5"}))
    assert "uses:allowColumnDefaults" in demands(Protocol.of(1, 7, (), ["allowColumnDefaults"]), metadata)


def test_not_null_is_not_an_invariant_expression() -> None:
    assert demands(Protocol(1, 2), table(column("id", nullable=False))) == {"writer:2", "not null column"}
    expression = json.dumps({"expression": {"expression": "id >= 0"}})
    assert "uses:invariants" in demands(Protocol(1, 2), table(column("id", metadata={"delta.invariants": expression})))


MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
PHYSICAL = {"delta.columnMapping.physicalName": "col-1", "delta.columnMapping.id": 1}


@pytest.mark.parametrize(
    ("properties", "metadata", "detail"),
    [
        ({"delta.columnMapping.mode": "id"}, {}, "column mapping by id"),
        ({}, {"delta.columnMapping.physicalName": "id"}, "column mapping upgraded"),
        ({"delta.columnMapping.maxColumnId": "2"}, {}, "column mapping dropped column"),
        ({}, {"delta.columnMapping.nested.ids": {}}, "structured field metadata"),
    ],
)
def test_details_of_column_mapping(properties: dict[str, str], metadata: dict[str, Any], detail: str) -> None:
    usual = demands(Protocol(2, 5), table(column("id", metadata=PHYSICAL), properties=MAPPED))
    changed = table(column("id", metadata={**PHYSICAL, **metadata}), properties={**MAPPED, **properties})
    found = demands(Protocol(2, 5), changed)
    assert detail in found - usual


def test_how_far_a_column_was_widened_counts() -> None:
    names = ["typeWidening"]

    def widened(to: str) -> set[str]:
        change = {"fromType": "short", "toType": to}
        metadata = table(
            column("n", to, {"delta.typeChanges": [change]}), properties={"delta.enableTypeWidening": "true"}
        )
        return demands(Protocol.of(3, 7, names, names), metadata)

    assert "column widened beyond int" in widened("long") - widened("integer")
    assert "column widened" in widened("integer")


def test_what_is_not_known_is_taken_to_be_there() -> None:
    names = ["deletionVectors", "v2Checkpoint"]
    protocol = Protocol.of(3, 7, names, names)
    enabled = table(properties={"delta.enableDeletionVectors": "true", "delta.checkpointPolicy": "v2"})
    assert {"deletion vectors present", "v2 checkpoint present", "checkpoint needed"} <= demands(protocol, enabled)
    known = TableFacts(deletion_vectors=False, checkpoint=CheckpointForm.NONE)
    assert not demands(protocol, enabled, known) & {"deletion vectors present", "v2 checkpoint present"}
    assert "deletion vectors present" not in demands(protocol)


def test_facts_name_what_the_log_holds() -> None:
    facts = TableFacts(
        change_files=True,
        checkpoint=CheckpointForm.V2_PARQUET,
        commits_cleaned=True,
        domains=frozenset({"delta.clustering"}),
    )
    names = ["v2Checkpoint"]
    protocol = Protocol.of(3, 7, names, [*names, "changeDataFeed", "clustering", "domainMetadata"])
    assert demands(protocol, facts=facts) >= {
        *("change files present", "v2 checkpoint present", "v2 checkpoint in parquet", "checkpoint needed"),
        *("domain metadata present", "uses:clustering"),
    }


def test_a_feature_without_what_it_needs_is_marked() -> None:
    assert "feature without its dependency" in demands(Protocol.of(1, 7, (), ["rowTracking"]))
    assert "feature without its dependency" not in demands(Protocol.of(1, 7, (), ["rowTracking", "domainMetadata"]))


def test_unknown_features_stay_demands() -> None:
    assert "writes:x-new" in demands(Protocol.of(1, 7, (), ["x-new"]))


def test_every_detail_is_explained() -> None:
    assert all(DETAILS.values())
    assert feature_of("uses:rowTracking") == "rowTracking"
    assert feature_of("deletion vectors present") == "deletionVectors"
    assert feature_of("writer:7") is None
