"""The weakest protocol for features of which the catalog does not know all."""

from __future__ import annotations

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import (
    ProtocolVersionUnknownError,
    ReaderVersionTooLowError,
    UnknownFeatureError,
    WriterVersionTooLowError,
)
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import LegacyVersion
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import normalized, supports, with_features
from deltaresolver.resolution.certificate import LowerProtocol
from deltaresolver.resolution.policy import Policy
from deltaresolver.resolution.resolve import lowest_form, resolve_upgrade
from tests.features import reader_feature, writer_feature


@pytest.mark.parametrize(
    ("protocol", "lowest"),
    [
        (Protocol.of(1, 7, (), {"acmeWriter", "appendOnly"}), Protocol.of(1, 7, (), {"acmeWriter", "appendOnly"})),
        (Protocol.of(3, 7, set(), {"acmeWriter", "appendOnly"}), Protocol.of(1, 7, (), {"acmeWriter", "appendOnly"})),
        (
            Protocol.of(3, 7, {"acmeReader"}, {"acmeReader", "acmeWriter", "appendOnly"}),
            Protocol.of(3, 7, {"acmeReader"}, {"acmeReader", "acmeWriter", "appendOnly"}),
        ),
        (
            Protocol.of(3, 7, {"deletionVectors"}, {"deletionVectors", "acmeWriter"}),
            Protocol.of(3, 7, {"deletionVectors"}, {"deletionVectors", "acmeWriter"}),
        ),
    ],
)
def test_an_unknown_feature_stays_listed_where_it_was(protocol: Protocol, lowest: Protocol) -> None:
    assert normalized(protocol, delta_spark_catalog()) == lowest


def test_a_protocol_with_unknown_features_has_no_lowest_form() -> None:
    with pytest.raises(UnknownFeatureError, match="acmeWriter"):
        lowest_form(Protocol.of(1, 7, (), {"acmeWriter"}), delta_spark_catalog())


@pytest.mark.parametrize("policy", Policy)
def test_a_table_of_which_not_all_is_known_is_not_upgraded(policy: Policy) -> None:
    with pytest.raises(UnknownFeatureError, match="acmeWriter"):
        resolve_upgrade(Metadata(), Protocol.of(1, 7, (), {"acmeWriter"}), delta_spark_catalog(), policy=policy)
    with pytest.raises(ProtocolVersionUnknownError, match="8"):
        resolve_upgrade(Metadata(), Protocol.of(1, 8, (), {"appendOnly"}), delta_spark_catalog(), policy=policy)


def test_an_error_about_a_version_that_is_too_low_names_the_feature_that_was_asked_for() -> None:
    """Not of one that it requires, where both are implied by versions."""
    catalog = FeatureCatalog(
        [
            reader_feature("acmeBase", legacy=LegacyVersion(2, 5)),
            reader_feature("acmeUpper", "acmeBase", legacy=LegacyVersion(2, 5)),
            writer_feature("acmeLower", legacy=LegacyVersion(1, 4)),
            writer_feature("acmeHigher", "acmeLower", legacy=LegacyVersion(1, 4)),
        ]
    )
    with pytest.raises(ReaderVersionTooLowError) as reader:
        with_features(Protocol(1, 5), ["acmeUpper"], catalog)
    assert reader.value.details["feature"] == "acmeUpper"
    with pytest.raises(WriterVersionTooLowError) as writer:
        with_features(Protocol(1, 2), ["acmeHigher"], catalog)
    assert writer.value.details["feature"] == "acmeHigher"


@pytest.mark.parametrize(("feature", "expected"), [("appendOnly", True), ("APPENDONLY", True), ("rowTracking", False)])
def test_a_protocol_supports_what_its_versions_imply(feature: str, *, expected: bool) -> None:
    assert supports(Protocol(1, 2), feature, delta_spark_catalog()) is expected


@pytest.mark.parametrize(
    ("lacks", "adds", "told"),
    [
        (("a",), (), "(1, 2) cannot carry a"),
        ((), ("b", "c"), "(1, 2) would also switch on b, c"),
        (("a",), ("b",), "(1, 2) cannot carry a and would also switch on b"),
        ((), (), "(1, 2) means the same"),
    ],
)
def test_each_lower_protocol_has_a_reason_why_it_will_not_do(
    lacks: tuple[str, ...], adds: tuple[str, ...], told: str
) -> None:
    lower = LowerProtocol(1, 2, lacks, adds)
    assert (str(lower), lower.will_do) == (told, not lacks and not adds)
