"""The `legacy` policy: the ordered checks of the first document of the specification, from Protocol(0, 0)."""

from __future__ import annotations

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import IdentityColumnsUnsupportedError, ProtocolPropertyInMetadataError
from deltaresolver.model import Metadata, Protocol
from deltaresolver.resolution.legacy import required_minimum_protocol
from deltaresolver.resolution.policy import Policy
from deltaresolver.resolution.resolve import check_protocol_requirements, resolve_new_table, resolve_upgrade
from tests.metadata_by_hand import column, table

CATALOG = delta_spark_catalog()
LEGACY = Policy.LEGACY
APPEND_ONLY = {"delta.appendOnly": "true"}
CHECKED = {"delta.constraints.positive": "c > 0"}
CHANGES = {"delta.enableChangeDataFeed": "true"}
MAPPED = {"delta.columnMapping.mode": "name"}
NOT_NULL = column("c", nullable=False)
GENERATED = column("g", metadata={"delta.generationExpression": "c + 1"})
IDENTITY = column(
    "i", "long", {"delta.identity.start": 1, "delta.identity.step": 1, "delta.identity.allowExplicitInsert": True}
)


def test_the_demo_an_append_only_table_is_reader_1_writer_2() -> None:
    protocol = resolve_new_table(table(APPEND_ONLY), CATALOG, policy=LEGACY).protocol
    assert protocol.min_reader_version == 1, "minReaderVersion should be the default 1"
    assert protocol.min_writer_version == 2, "minWriterVersion should be 2 because of append-only tables"


@pytest.mark.parametrize(
    ("metadata", "required"),
    [
        (Metadata(), (0, 0, ())),
        (table(None, NOT_NULL), (0, 2, ("invariants",))),
        (table(APPEND_ONLY), (0, 2, ("appendOnly",))),
        (table(CHECKED), (0, 3, ("checkConstraints",))),
        (table(None, GENERATED), (0, 4, ("generatedColumns",))),
        (table(CHANGES), (0, 4, ("changeDataFeed",))),
        (table(MAPPED), (2, 5, ("columnMapping",))),
        (
            table({**MAPPED, **CHANGES, **CHECKED, **APPEND_ONLY}, GENERATED, NOT_NULL),
            (
                2,
                5,
                ("invariants", "appendOnly", "checkConstraints", "generatedColumns", "changeDataFeed", "columnMapping"),
            ),
        ),
    ],
)
def test_the_required_minimum_and_the_features_used_in_order_of_check(
    metadata: Metadata, required: tuple[int, int, tuple[str, ...]]
) -> None:
    protocol, used = required_minimum_protocol(metadata, CATALOG)
    assert (protocol.min_reader_version, protocol.min_writer_version, used) == required


def test_an_identity_column_ends_in_the_sentence_of_the_specification() -> None:
    for metadata in (table(None, IDENTITY), table(MAPPED, IDENTITY)):
        with pytest.raises(IdentityColumnsUnsupportedError) as caught:
            resolve_new_table(metadata, CATALOG, policy=LEGACY)
        assert str(caught.value) == "IDENTITY column is not supported"
        assert caught.value.delta_class == "AnalysisException"


def test_checks_that_precede_identity_columns_come_first() -> None:
    with pytest.raises(IdentityColumnsUnsupportedError) as caught:
        required_minimum_protocol(table({**CHECKED, **MAPPED}, IDENTITY), CATALOG)
    assert caught.value.details["featuresUsed"] == ["checkConstraints", "identityColumns"]


# --- new tables -----------------------------------------------------------------------------------


def test_a_new_table_starts_from_its_properties_or_the_session_or_1_and_2() -> None:
    session = {"spark.databricks.delta.properties.defaults.minWriterVersion": "4"}
    assert resolve_new_table(Metadata(), CATALOG, policy=LEGACY).protocol == Protocol(1, 2)
    assert resolve_new_table(Metadata(), CATALOG, session=session, policy=LEGACY).protocol == Protocol(1, 4)
    asked = table({"delta.MINwriterVersion": "3", **MAPPED})
    assert resolve_new_table(asked, CATALOG, session=session, policy=LEGACY).protocol == Protocol(2, 5)


def test_a_table_asked_to_list_its_features_lists_those_it_uses() -> None:
    asked = table({"delta.minWriterVersion": "7", **MAPPED, **CHANGES})
    protocol = resolve_new_table(asked, CATALOG, policy=LEGACY).protocol
    assert protocol == Protocol.of(2, 7, (), ("columnMapping", "changeDataFeed"))


def test_features_asked_for_by_name_are_ignored() -> None:
    resolution = resolve_new_table(table({"delta.feature.madeUp": "supported", **CHANGES}), CATALOG, policy=LEGACY)
    assert resolution.protocol == Protocol(1, 4)
    assert {reason.kind for reason in resolution.reasons["changeDataFeed"]} == {"property"}
    assert resolution.to_json()["policy"] == "legacy"


def test_a_number_that_no_feature_needs_is_explained_by_where_it_came_from() -> None:
    reader, writer = resolve_new_table(Metadata(), CATALOG, policy=LEGACY).versions
    assert (reader.cause, writer.cause) == ("floor", "asked")
    assert "default" in str(writer)


def test_instructions_for_later_releases_of_delta_are_ignored() -> None:
    odd = {"delta.ignoreProtocolDefaults": "odd", "delta.feature.x": "odd", "delta.MINwriterVersion": "5"}
    resolution = resolve_new_table(table(odd), CATALOG, policy=LEGACY)
    assert resolution.protocol == Protocol(1, 5)
    assert resolution.versions_in_effect is not None
    assert [one.origin for one in resolution.versions_in_effect] == ["default", "table property"]


# --- existing tables ------------------------------------------------------------------------------


def test_an_existing_table_is_raised_only_as_far_as_needed() -> None:
    assert check_protocol_requirements(table(CHANGES), Protocol(1, 2), CATALOG, policy=LEGACY) == Protocol(1, 4)
    assert check_protocol_requirements(table(CHANGES), Protocol(1, 5), CATALOG, policy=LEGACY) is None
    assert check_protocol_requirements(table(MAPPED), Protocol(1, 6), CATALOG, policy=LEGACY) == Protocol(2, 6)


def test_an_existing_table_with_instructions_is_refused() -> None:
    with pytest.raises(ProtocolPropertyInMetadataError):
        resolve_upgrade(table({"delta.minWriterVersion": "4"}), Protocol(1, 2), CATALOG, policy=LEGACY)


def test_a_table_that_lists_features_keeps_them_and_gets_more_by_name() -> None:
    listed = Protocol.of(3, 7, ("deletionVectors",), ("deletionVectors", "changeDataFeed"))
    assert check_protocol_requirements(table(CHANGES), listed, CATALOG, policy=LEGACY) is None
    raised = check_protocol_requirements(table(MAPPED), listed, CATALOG, policy=LEGACY)
    assert raised == Protocol.of(
        3, 7, ("deletionVectors", "columnMapping"), ("deletionVectors", "changeDataFeed", "columnMapping")
    )
