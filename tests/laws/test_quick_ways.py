"""Where the library has a quick way and a thorough one, both give the same answer."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import MetadataMalformedError, ProtocolMalformedError
from deltaresolver.model import Metadata, Protocol
from deltaresolver.model.schema import SchemaOutline, SchemaSurvey, parse_schema
from deltaresolver.testing.strategies import schemas

SOMETHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 9),
    st.floats(allow_nan=False),
    st.text(max_size=3),
    st.lists(st.one_of(st.text(max_size=3), st.integers()), max_size=2),
    st.dictionaries(st.text(max_size=3), st.one_of(st.text(max_size=3), st.none(), st.integers()), max_size=2),
)
METADATA_KEYS = [
    "id",
    "name",
    "description",
    "format",
    "schemaString",
    "partitionColumns",
    "configuration",
    "createdTime",
    "somethingNew",
]
PROTOCOL_KEYS = ["minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures", "somethingNew"]


@given(schemas(built_in_catalog()))
def test_the_outline_of_a_schema_agrees_with_its_survey(text: str) -> None:
    schema = parse_schema(text)
    outline, survey = SchemaOutline(schema), SchemaSurvey(schema)
    assert outline.leaf_types == survey.leaf_types.keys()
    assert outline.outermost_not_null == min((place for _, place in survey.not_null), default=None)
    carried = [(key, place, field.name) for place, field in outline.carriers for key in field.metadata or ()]
    found = [(key, place, field.name) for key, fields in survey.field_metadata.items() for _, place, field in fields]
    assert sorted(carried) == sorted(found)


def outcome(read: Any, value: dict[str, Any]) -> Any:
    try:
        return read(value)
    except (MetadataMalformedError, ProtocolMalformedError) as error:
        return type(error), error.to_json()


@given(st.dictionaries(st.sampled_from(METADATA_KEYS), SOMETHING))
@example({"configuration": {"a": None}, "partitionColumns": ["a", 1]})
@example({"createdTime": True})
@example({"createdTime": 2**70})
def test_metadata_read_by_hand_is_the_same(value: dict[str, Any]) -> None:
    quick, thorough = outcome(Metadata.from_json, value), outcome(Metadata._read_by_hand, value)
    assert quick == thorough
    assert getattr(quick, "extra", None) == getattr(thorough, "extra", None)


@given(st.dictionaries(st.sampled_from(PROTOCOL_KEYS), SOMETHING))
@example({"minReaderVersion": 1.0, "minWriterVersion": 2})
@example({"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["a"], "writerFeatures": ["a", "a"]})
@example({"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["a"]})
@example({"minReaderVersion": -1, "minWriterVersion": 7})
def test_a_protocol_read_by_hand_is_the_same(value: dict[str, Any]) -> None:
    assert outcome(Protocol.from_json, value) == outcome(Protocol._read_by_hand, value)
