"""Reasons: what keeps a feature, named by where it came from."""

from __future__ import annotations

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.model import Metadata, Protocol
from deltaresolver.resolution.reasons import RuleReason
from deltaresolver.resolution.resolve import resolve_new_table, resolve_upgrade
from tests.metadata_by_hand import column, table

CATALOG = delta_spark_catalog()
DEFAULTS = "spark.databricks.delta.properties.defaults."


def kinds(metadata: Metadata, feature: str, current: Protocol | None = None, **session: str) -> list[str]:
    if current is not None:
        return [reason.kind for reason in resolve_upgrade(metadata, current, CATALOG).reasons[feature]]
    defaults = {DEFAULTS + key: value for key, value in session.items()}
    return [reason.kind for reason in resolve_new_table(metadata, CATALOG, session=defaults).reasons[feature]]


def test_a_property_a_column_a_name_and_a_dependency_are_told_apart() -> None:
    assert kinds(table({"delta.enableRowTracking": "true"}), "rowTracking") == ["property"]
    assert kinds(table({"delta.enableRowTracking": "true"}), "domainMetadata") == ["dependency"]
    assert kinds(table(None, column("c", "variant"), column("d", "variant")), "variantType") == ["column", "column"]
    assert kinds(table({"delta.feature.clustering": "supported"}), "clustering") == ["asked by name"]
    assert kinds(Metadata(), "clustering", None, **{"feature.clustering": "supported"}) == ["asked by name"]
    assert kinds(Metadata(), "appendOnly") == ["implied by version"]
    assert kinds(Metadata(), "appendOnly", Protocol(1, 2)) == ["already supported"]
    both = table({"delta.feature.rowTracking": "supported", "delta.enableRowTracking": "true"})
    assert kinds(both, "rowTracking") == ["asked by name", "property"]


def test_numbers_that_imply_a_feature_only_together_are_its_reason() -> None:
    # Neither (2, 1) nor (1, 5) means columnMapping, but Delta merges them to (2, 5), which does.
    asked = table({"delta.minReaderVersion": "1", "delta.minWriterVersion": "5"})
    found = resolve_upgrade(asked, Protocol(2, 1), CATALOG)
    assert found.protocol == Protocol(2, 5)
    (reason,) = found.reasons["columnMapping"]
    assert reason.to_json() == {
        "kind": "implied by version",
        "reader_version": {"key": "delta.minReaderVersion", "value": 2, "origin": "current protocol"},
        "writer_version": {"key": "delta.minWriterVersion", "value": 5, "origin": "table property"},
    }


def test_a_trigger_that_gives_way_gives_no_reason() -> None:
    preview = table({"delta.enableTypeWidening": "true", "delta.feature.typeWidening-preview": "supported"})
    assert "typeWidening" not in resolve_new_table(preview, CATALOG).features
    later = resolve_upgrade(preview, Protocol.of(3, 7, ("typeWidening",), ("typeWidening",)), CATALOG)
    assert [reason.kind for reason in later.reasons["typeWidening"]] == ["already supported"]


def test_an_explanation_of_many_columns_walks_the_schema_once() -> None:
    wide = table(None, *(column(f"c{at}", "variant", nullable=False) for at in range(10_000)))
    found = resolve_new_table(wide, CATALOG)
    assert len(found.reasons["variantType"]) == 10_000
    assert found.view is found.view


def test_a_rule_that_names_nothing_is_its_own_reason() -> None:
    assert RuleReason("always").to_json() == {"kind": "rule", "rule": "always"}


def test_an_explanation_as_data_has_each_version_with_what_needs_it() -> None:
    found = resolve_new_table(table({"delta.enableDeletionVectors": "true"}), CATALOG)
    data = found.to_json()
    assert data["versions"] == [one.to_json() for one in found.versions] != []
    assert list(data) == [
        "policy",
        "protocol",
        "current",
        "changed",
        "added",
        "features",
        "unknown",
        "versions",
        "versions_in_effect",
        "certificate",
    ]


def test_what_only_another_client_can_undo_has_no_remedy_here() -> None:
    timed = table({"delta.enableInCommitTimestamps": "true"})
    managed = Protocol.of(3, 7, ("catalogManaged",), ("catalogManaged", "inCommitTimestamp"))
    alone = Protocol.of(1, 7, (), ("inCommitTimestamp",))
    remedies = {
        current: {one.feature: one.remedies for one in resolve_upgrade(timed, current, CATALOG).explanations}
        for current in (managed, alone)
    }
    assert remedies[managed]["inCommitTimestamp"] == ()
    assert [one.text for one in remedies[alone]["inCommitTimestamp"]] == [
        "Set delta.enableInCommitTimestamps to false."
    ]
