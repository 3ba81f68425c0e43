"""Properties that instruct the resolver: read as delta-spark reads them, and never committed."""

from __future__ import annotations

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import (
    FeatureStatusInvalidError,
    PropertyInvalidError,
    ProtocolPropertyInMetadataError,
    ProtocolPropertyNotIntError,
    UnknownFeatureError,
)
from deltaresolver.model import Metadata, Protocol
from deltaresolver.resolution.instructions import (
    ensure_no_instructions,
    features_asked_for,
    versions_asked_for,
    with_session_defaults,
    without_instructions,
)
from deltaresolver.resolution.resolve import check_protocol_requirements, resolve_new_table
from tests.metadata_by_hand import table

CATALOG = delta_spark_catalog()
DEFAULTS = "spark.databricks.delta.properties.defaults."


# --- features by name -----------------------------------------------------------------------------


def test_a_feature_is_asked_for_in_any_case_of_name_and_status() -> None:
    asked = features_asked_for(
        {"delta.feature.ROWtracking": "Supported", "delta.feature.clustering": "ENABLED"}, CATALOG
    )
    assert asked == {"rowTracking": "delta.feature.ROWtracking", "clustering": "delta.feature.clustering"}


@pytest.mark.parametrize("key", ["delta.Feature.rowTracking", "feature.rowTracking", "delta.feature"])
def test_a_key_with_another_spelling_asks_for_nothing(key: str) -> None:
    assert features_asked_for({key: "supported"}, CATALOG) == {}


@pytest.mark.parametrize("status", ["", "true", "disabled", " supported"])
def test_any_other_status_is_refused_as_delta_spark_does(status: str) -> None:
    with pytest.raises(FeatureStatusInvalidError) as caught:
        features_asked_for({"delta.feature.rowTracking": status}, CATALOG)
    assert caught.value.delta_condition == "DELTA_UNSUPPORTED_FEATURE_STATUS"
    assert caught.value.details["status"] == status


def test_unknown_features_are_named_together_with_what_they_might_have_been() -> None:
    with pytest.raises(UnknownFeatureError) as caught:
        features_asked_for({"delta.feature.rowTraking": "supported", "delta.feature.zzz": "supported"}, CATALOG)
    assert caught.value.delta_condition == "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"
    assert caught.value.details == {
        "features": ["rowTraking", "zzz"],
        "closest": {"rowTraking": "rowTracking", "zzz": None},
    }
    assert "rowTraking (did you mean rowTracking?)" in caught.value.message


# --- versions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("7", 7), ("+7", 7), ("-1", -1), ("007", 7), ("0" * 5000 + "7", 7), ("0", 0)),
        *(("2147483647", 2147483647), ("-2147483648", -2147483648)),
    ],
)
def test_versions_are_read_as_a_32_bit_number(text: str, number: int) -> None:
    assert versions_asked_for({"delta.minWriterVersion": text}) == (None, number)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 7",
        "7 ",
        "7.0",
        "seven",
        "0x7",
        "1_0",
        "2147483648",
        "-2147483649",
        "9" * 5000,
        "--1",
        "\N{ARABIC-INDIC DIGIT SEVEN}",
    ],
)
def test_a_version_that_is_not_a_number_is_refused_as_delta_spark_does(text: str) -> None:
    with pytest.raises(ProtocolPropertyNotIntError) as caught:
        versions_asked_for({"delta.minReaderVersion": text})
    assert caught.value.delta_condition == "DELTA_PROTOCOL_PROPERTY_NOT_INT"


# --- session defaults -----------------------------------------------------------------------------


def test_a_table_starts_from_defaults_under_the_session_under_its_own_properties() -> None:
    session = {DEFAULTS + "minWriterVersion": "4", DEFAULTS + "feature.clustering": "supported", "other": "x"}
    own = {"delta.minReaderVersion": "2", "delta.appendOnly": "true"}
    assert with_session_defaults(own, session) == {
        "delta.minReaderVersion": "2",
        "delta.minWriterVersion": "4",
        "delta.feature.clustering": "supported",
        "delta.appendOnly": "true",
    }
    assert with_session_defaults({}, {}) == {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"}


@pytest.mark.parametrize("in_session", [True, False])
def test_ignoring_protocol_defaults_starts_from_one_and_one(in_session: bool) -> None:
    session = {DEFAULTS + "minWriterVersion": "4", DEFAULTS + "feature.clustering": "supported"}
    own = {}
    if in_session:
        session[DEFAULTS + "ignoreProtocolDefaults"] = "true"
    else:
        own = {"delta.ignoreProtocolDefaults": "true"}
    assert resolve_new_table(table(own), CATALOG, session=session).protocol == Protocol(1, 1)


def test_the_table_decides_before_the_session_whether_defaults_count() -> None:
    session = {DEFAULTS + "ignoreProtocolDefaults": "true"}
    own = {"delta.ignoreProtocolDefaults": "false"}
    assert resolve_new_table(table(own), CATALOG, session=session).protocol == Protocol(1, 2)
    with pytest.raises(PropertyInvalidError):
        with_session_defaults({"delta.ignoreProtocolDefaults": "yes"}, {})


def test_session_defaults_that_describe_tables_are_read_but_add_nothing_here() -> None:
    session = {DEFAULTS + "enableDeletionVectors": "true"}
    assert resolve_new_table(Metadata(), CATALOG, session=session).protocol == Protocol(1, 2)
    with pytest.raises(PropertyInvalidError, match=r"delta\.enableDeletionVectors is 'on'"):
        resolve_new_table(Metadata(), CATALOG, session={DEFAULTS + "enableDeletionVectors": "on"})


# --- what metadata may not hold -------------------------------------------------------------------

SENTENCES = {
    "delta.minReaderVersion": (
        "Should not have the protocol version (delta.minReaderVersion) as part of table properties"
    ),
    "delta.minWriterVersion": (
        "Should not have the protocol version (delta.minWriterVersion) as part of table properties"
    ),
}


@pytest.mark.parametrize("key", SENTENCES)
def test_versions_in_committed_metadata_are_refused_in_the_words_of_the_specification(key: str) -> None:
    with pytest.raises(ProtocolPropertyInMetadataError) as caught:
        check_protocol_requirements(table({key: "2"}), Protocol(1, 2), CATALOG)
    assert str(caught.value) == SENTENCES[key]
    assert isinstance(caught.value, AssertionError)
    assert caught.value.delta_class == "AssertionError"


@pytest.mark.parametrize("key", ["delta.feature.rowTracking", "delta.feature.", "delta.ignoreProtocolDefaults"])
def test_other_instructions_in_committed_metadata_are_refused_too(key: str) -> None:
    with pytest.raises(ProtocolPropertyInMetadataError) as caught:
        ensure_no_instructions(table({key: "supported"}))
    assert caught.value.details == {"key": key}


def test_without_instructions_the_rest_stays() -> None:
    described = {"delta.appendOnly": "true", "acme": "x", "delta.features": "y"}
    instructions = {
        "delta.feature.x": "supported",
        "delta.minReaderVersion": "1",
        "delta.ignoreProtocolDefaults": "true",
    }
    assert without_instructions({**described, **instructions}) == described
    ensure_no_instructions(table(described))
