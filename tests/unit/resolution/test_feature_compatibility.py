"""The rules of spec/4-feature-compatibility-and-protocols, each by its sentence."""

from __future__ import annotations

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import FeatureNotRemovableError, ManualEnablementError, ProtocolMalformedError
from deltaresolver.model import Metadata, Protocol
from deltaresolver.model.schema import ArrayType
from deltaresolver.resolution.algebra import remove_feature
from deltaresolver.resolution.capability import Capability
from deltaresolver.resolution.resolve import lowest_form, resolve_new_table, resolve_upgrade
from tests.metadata_by_hand import column, table

CATALOG = delta_spark_catalog()
START = Protocol(1, 2)

# The table of versions by feature: minWriterVersion, minReaderVersion, how a table comes to need it.
GENERATED = column("g", metadata={"delta.generationExpression": "c + 1"})
IDENTITY = column(
    "i", "long", {"delta.identity.start": 1, "delta.identity.step": 1, "delta.identity.allowExplicitInsert": True}
)
BY_PROPERTY = {
    "checkConstraints": (3, 1, table({"delta.constraints.c": "c > 0"})),
    "changeDataFeed": (4, 1, table({"delta.enableChangeDataFeed": "true"})),
    "generatedColumns": (4, 1, table(None, GENERATED)),
    "columnMapping": (5, 2, table({"delta.columnMapping.mode": "name"})),
    "identityColumns": (6, 1, table(None, IDENTITY)),
    "rowTracking": (7, 1, table({"delta.enableRowTracking": "true"})),
    "deletionVectors": (7, 3, table({"delta.enableDeletionVectors": "true"})),
    "timestampNtz": (7, 3, table(None, column("c", "timestamp_ntz"))),
    "icebergCompatV2": (7, 2, table({"delta.enableIcebergCompatV2": "true", "delta.columnMapping.mode": "name"})),
    "typeWidening": (7, 3, table({"delta.enableTypeWidening": "true"})),
    "variantType": (7, 3, table(None, column("c", "variant"))),
    "variantShredding-preview": (7, 3, table({"delta.enableVariantShredding": "true"})),
}
BY_NAME = {"clustering": (7, 1), "checkpointProtection": (7, 1), "catalogManaged": (7, 3)}


@pytest.mark.parametrize("name", BY_PROPERTY)
def test_features_by_protocol_version(name: str) -> None:
    writer, reader, metadata = BY_PROPERTY[name]
    feature = CATALOG.get(name)
    found = resolve_new_table(metadata, CATALOG)
    assert name in found.features
    assert feature.min_writer_version == writer
    assert found.protocol.min_reader_version == reader
    assert found.protocol.min_writer_version >= writer


@pytest.mark.parametrize("name", BY_NAME)
def test_features_by_protocol_version_when_asked_by_name(name: str) -> None:
    found = resolve_new_table(table({f"delta.feature.{name}": "supported"}), CATALOG)
    assert (found.protocol.min_writer_version, found.protocol.min_reader_version) == BY_NAME[name]


# --- protocol versions and table features ---------------------------------------------------------


@pytest.mark.parametrize("writer_version", range(2, 7))
def test_features_are_cumulative_across_versions(writer_version: int) -> None:
    def supported(version: int) -> frozenset[str]:
        asked = table({"delta.minReaderVersion": "2", "delta.minWriterVersion": str(version)})
        return resolve_new_table(asked, CATALOG).features

    assert supported(writer_version - 1) < supported(writer_version)


def test_writer_features_do_not_block_reader_clients() -> None:
    old = Capability(frozenset((1,)), frozenset((1, 2)), frozenset(), frozenset())
    protocol = resolve_upgrade(table({"delta.enableRowTracking": "true"}), START, CATALOG).protocol
    assert old.can_read(protocol)
    assert not old.can_write(protocol)


def test_all_reader_features_are_also_writer_features() -> None:
    for feature in CATALOG:
        asked = table({f"delta.feature.{feature.name}": "supported"})
        protocol = resolve_new_table(asked, CATALOG).protocol
        assert protocol.reader_feature_names <= protocol.writer_feature_names


def test_enabled_features_appear_in_the_lists() -> None:
    protocol = resolve_upgrade(table({"delta.enableDeletionVectors": "true"}), START, CATALOG).protocol
    assert protocol.reader_feature_names == {"deletionVectors"}
    assert protocol.writer_feature_names == {"deletionVectors", "appendOnly", "invariants"}


# --- protocol changes -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(BY_PROPERTY.keys() - {"timestampNtz"}))
def test_enabling_a_feature_upgrades_the_protocol(name: str) -> None:
    found = resolve_upgrade(BY_PROPERTY[name][2], START, CATALOG)
    assert found.changed
    assert name in found.added
    assert CATALOG.get(name).name in found.reasons


@pytest.mark.parametrize("name", sorted(BY_PROPERTY.keys() - {"timestampNtz"}))
def test_turning_a_feature_off_never_downgrades_the_protocol(name: str) -> None:
    raised = resolve_upgrade(BY_PROPERTY[name][2], START, CATALOG).protocol
    off = {key: "false" for key in BY_PROPERTY[name][2].configuration if ".enable" in key}
    for metadata in (Metadata(), table(off)):
        assert not resolve_upgrade(metadata, raised, CATALOG).changed


@pytest.mark.parametrize("name", ["deletionVectors", "columnMapping", "rowTracking", "typeWidening", "v2Checkpoint"])
def test_dropping_a_feature_downgrades_the_protocol(name: str) -> None:
    with_it = resolve_upgrade(table({f"delta.feature.{name}": "supported"}), START, CATALOG).protocol
    without = remove_feature(with_it, name, CATALOG)
    assert name not in without.listed_features
    assert without.min_reader_version == 1


@pytest.mark.parametrize("name", ["appendOnly", "invariants", "generatedColumns", "identityColumns", "clustering"])
def test_not_all_table_features_can_be_dropped(name: str) -> None:
    protocol = resolve_upgrade(table({f"delta.feature.{name}": "supported"}), START, CATALOG).protocol
    with pytest.raises(FeatureNotRemovableError) as caught:
        remove_feature(protocol, name, CATALOG)
    assert caught.value.fix


# --- altering versions directly -------------------------------------------------------------------

CURRENT = (
    Protocol(1, 4),
    Protocol(2, 5),
    Protocol.of(3, 7, ("deletionVectors",), ("deletionVectors", "invariants", "appendOnly")),
)


@pytest.mark.parametrize("current", CURRENT)
@pytest.mark.parametrize("asked", [(1, 1), (1, 2)])
def test_setting_the_versions_lower_changes_nothing(current: Protocol, asked: tuple[int, int]) -> None:
    properties = {"delta.minReaderVersion": str(asked[0]), "delta.minWriterVersion": str(asked[1])}
    assert not resolve_upgrade(table(properties), current, CATALOG).changed


def test_a_lower_version_that_implies_more_features_adds_them_and_takes_none_away() -> None:
    # The number is a request for everything it implies, which here fills the gaps of a numbered protocol.
    listed = Protocol.of(1, 7, (), ("checkConstraints",))
    found = resolve_upgrade(table({"delta.minReaderVersion": "1", "delta.minWriterVersion": "3"}), listed, CATALOG)
    assert found.protocol == Protocol(1, 3)
    assert found.added == {"appendOnly", "invariants"}


def test_one_version_alone_is_refused_where_the_other_lists_reader_features() -> None:
    # delta-spark refuses it too: reader version 3 has no meaning beside a writer version below 7.
    with pytest.raises(ProtocolMalformedError) as caught:
        resolve_upgrade(table({"delta.minWriterVersion": "4"}), CURRENT[2], CATALOG)
    assert caught.value.delta_condition == "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE"


@pytest.mark.parametrize("versions", [("1", "1"), ("1", "2"), ("1", "4")])
def test_setting_the_versions_does_not_prevent_an_upgrade(versions: tuple[str, str]) -> None:
    properties = {"delta.minReaderVersion": versions[0], "delta.minWriterVersion": versions[1]}
    found = resolve_upgrade(table({**properties, "delta.enableDeletionVectors": "true"}), START, CATALOG)
    assert found.protocol.min_reader_version == 3
    assert found.protocol.min_writer_version == 7
    new = resolve_new_table(table({**properties, "delta.enableDeletionVectors": "true"}), CATALOG)
    assert "deletionVectors" in new.protocol.listed_features


# --- what triggers an upgrade ---------------------------------------------------------------------


def test_syntax_enables_a_feature_through_the_schema() -> None:
    assert "generatedColumns" in resolve_upgrade(table(None, GENERATED), START, CATALOG).added


def test_a_property_enables_a_feature_explicitly() -> None:
    assert "deletionVectors" in resolve_upgrade(table({"delta.enableDeletionVectors": "true"}), START, CATALOG).added


@pytest.mark.parametrize(
    ("metadata", "brought"),
    [
        (table({"delta.enableIcebergCompatV2": "true"}), "columnMapping"),
        (table({"delta.enableRowTracking": "true"}), "domainMetadata"),
        (table({"delta.feature.clustering": "supported"}), "domainMetadata"),
        (table({"delta.enableIcebergCompatV3": "true"}), "domainMetadata"),
    ],
)
def test_enabling_a_feature_enables_those_it_requires(metadata: Metadata, brought: str) -> None:
    found = resolve_upgrade(metadata, START, CATALOG)
    assert brought in found.added
    assert "dependency" in {reason.kind for reason in found.reasons[brought]}


@pytest.mark.parametrize("feature", [one for one in CATALOG if not one.requires], ids=lambda one: one.name)
def test_reader_features_raise_both_sides_and_writer_features_only_the_writer_side(feature: object) -> None:
    name = feature.name  # type: ignore[attr-defined]
    asked = table({f"delta.feature.{name}": "supported", "delta.ignoreProtocolDefaults": "true"})
    protocol = resolve_new_table(asked, CATALOG).protocol
    assert protocol.min_writer_version == 7
    assert (protocol.min_reader_version > 1) is CATALOG.get(name).is_reader_feature


def test_a_feature_that_must_not_add_itself_waits_to_be_asked_for() -> None:
    ntz = table(None, column("a", ArrayType("timestamp_ntz")))
    with pytest.raises(ManualEnablementError) as caught:
        resolve_upgrade(ntz, START, CATALOG)
    assert caught.value.details["unsupportedFeatures"] == ["timestampNtz"]
    assert "'delta.feature.timestampNtz' = 'supported'" in caught.value.fix
    asked = ntz.with_configuration({"delta.feature.timestampNtz": "supported"})
    assert "timestampNtz" in resolve_upgrade(asked, START, CATALOG).features
    assert "timestampNtz" in resolve_new_table(ntz, CATALOG).features


# --- lowest possible protocol ---------------------------------------------------------------------

HIGHER_THAN_NEEDED = (
    (Protocol.of(3, 7, (), ("appendOnly", "invariants")), Protocol(1, 2)),
    (Protocol.of(3, 7, ("columnMapping",), ("columnMapping",)), Protocol.of(2, 7, (), ("columnMapping",))),
    (Protocol(2, 3), Protocol(1, 3)),
    (
        Protocol.of(3, 7, (), ("rowTracking", "domainMetadata")),
        Protocol.of(1, 7, (), ("rowTracking", "domainMetadata")),
    ),
    (Protocol.of(3, 7), Protocol(1, 1)),
    (Protocol(1, 4), Protocol(1, 4)),
)


@pytest.mark.parametrize(("protocol", "lowest"), HIGHER_THAN_NEEDED)
def test_the_lowest_possible_protocol_only_lowers_versions_and_drops_no_feature(
    protocol: Protocol, lowest: Protocol
) -> None:
    found = lowest_form(protocol, CATALOG)
    assert found == lowest
    assert found.min_reader_version <= protocol.min_reader_version
    assert found.min_writer_version <= protocol.min_writer_version
    before = resolve_upgrade(Metadata(), protocol, CATALOG).features
    assert resolve_upgrade(Metadata(), found, CATALOG).features == before


def test_lists_are_dropped_when_a_numbered_protocol_supports_exactly_the_same() -> None:
    listed = Protocol.of(1, 7, (), ("appendOnly", "invariants", "checkConstraints"))
    lowest = lowest_form(listed, CATALOG)
    assert (lowest, lowest.lists_writer_features) == (Protocol(1, 3), False)
