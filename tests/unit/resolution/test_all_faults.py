"""An error about a protocol that cannot carry a feature names every feature that it cannot carry."""

from __future__ import annotations

import pytest

from deltaresolver.defaults import default_catalog, delta_spark_catalog
from deltaresolver.errors import ResolutionError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import with_feature, with_features
from deltaresolver.resolution.components import automatically_enabled_features
from deltaresolver.resolution.prepared import prepare


def told(error: ResolutionError) -> set[tuple[str, str | None]]:
    """Feature and condition of the error and of those beside it."""
    every = [error.to_json(), *error.details["also"]]
    return {(one["details"]["feature"], one["delta_condition"]) for one in every}


READER, WRITER = "DELTA_FEATURE_REQUIRES_HIGHER_READER_VERSION", "DELTA_FEATURE_REQUIRES_HIGHER_WRITER_VERSION"


@pytest.mark.parametrize("writer", [2, 3, 4, 5, 6])
def test_each_required_feature_is_named(writer: int) -> None:
    with pytest.raises(ResolutionError) as raised:
        with_feature(Protocol(1, writer), "adaptiveMetadata-preview", delta_spark_catalog())
    found = told(raised.value)
    assert {("columnMapping", READER), ("deletionVectors", READER), ("inCommitTimestamp", WRITER)} <= found
    assert all(one["message"] != raised.value.message for one in raised.value.details["also"])


def test_of_several_features_all_are_named() -> None:
    with pytest.raises(ResolutionError) as raised:
        with_features(Protocol(1, 2), ["rowTracking", "deletionVectors"], default_catalog())
    assert {"rowTracking", "domainMetadata", "deletionVectors"} == {feature for feature, _ in told(raised.value)}


@pytest.mark.parametrize("protocol", [Protocol(1, 1), Protocol(1, 4), Protocol(2, 5)], ids=str)
@pytest.mark.parametrize("name", sorted(default_catalog().names))
def test_no_feature_is_blamed_that_the_protocol_carries(name: str, protocol: Protocol) -> None:
    found: set[tuple[str, str | None]] = set()
    try:
        with_feature(protocol, name, default_catalog())
    except ResolutionError as error:
        found = told(error)
    assert prepare(default_catalog()).supported(protocol).isdisjoint(feature for feature, _ in found)


def test_a_preview_gives_way_to_the_exact_name_alone() -> None:
    metadata = Metadata(configuration={"delta.enableVariantShredding": "true"})
    for name, previews in (("variantShredding", set()), ("VARIANTSHREDDING", {"variantShredding-preview"})):
        protocol = Protocol(3, 7, frozenset(), frozenset({name}))
        found = automatically_enabled_features(metadata, protocol, delta_spark_catalog())
        assert found == {"variantShredding", "variantType"} | previews
