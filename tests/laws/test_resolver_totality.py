"""Whatever the input, the resolver answers, or refuses with an error of its own and a fix."""

from __future__ import annotations

import json
import pickle
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model import Metadata, Protocol
from deltaresolver.model.schema import StructField, StructType, encode_schema
from deltaresolver.resolution.policy import Policy
from deltaresolver.resolution.resolve import resolve_new_table, resolve_upgrade
from deltaresolver.testing import strategies

CATALOG = built_in_catalog()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3),
    max_leaves=6,
)


def ensure_helpful(error: DeltaResolverError) -> None:
    assert error.message
    assert error.fix
    assert error.code != "DR000"
    json.dumps(error.to_json())
    assert pickle.loads(pickle.dumps(error)).to_json() == error.to_json()


def schemas() -> st.SearchStrategy[str]:
    fields = st.lists(strategies.odd_fields(), max_size=3).map(tuple)
    nested = fields.map(lambda inside: (StructField("deep", StructType(inside)), *inside))
    return (fields | nested).map(lambda chosen: encode_schema(StructType(chosen))) | st.text(max_size=8)


@given(strategies.odd_properties(CATALOG), schemas(), st.sampled_from(Policy), strategies.protocols(CATALOG))
def test_odd_properties_and_columns_end_in_an_answer_or_an_error(
    properties: dict[str, str], schema: str, policy: Policy, protocol: Protocol
) -> None:
    metadata = Metadata(schema_string=schema, configuration=properties)
    for current in (None, protocol):
        try:
            if current is None:
                resolution = resolve_new_table(metadata, CATALOG, policy=policy)
            else:
                resolution = resolve_upgrade(metadata, current, CATALOG, policy=policy)
        except DeltaResolverError as error:
            ensure_helpful(error)
        else:
            json.dumps(resolution.to_json())
            assert all(resolution.reasons.values())


@given(strategies.odd_properties(CATALOG))
def test_odd_session_defaults_end_in_an_answer_or_an_error(properties: dict[str, str]) -> None:
    prefix = "spark.databricks.delta.properties.defaults."
    session = {prefix + key.removeprefix("delta."): value for key, value in properties.items()}
    try:
        json.dumps(resolve_new_table(Metadata(), CATALOG, session=session).to_json())
    except DeltaResolverError as error:
        ensure_helpful(error)


@given(JSON | st.dictionaries(st.sampled_from(("id", "schemaString", "configuration", "partitionColumns")), JSON))
def test_metadata_of_any_json_ends_in_an_answer_or_an_error(value: Any) -> None:
    try:
        Metadata.from_json(value)
    except DeltaResolverError as error:
        ensure_helpful(error)


@given(
    JSON
    | st.dictionaries(
        st.sampled_from(("minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures")),
        JSON | st.integers(0, 10) | st.lists(st.sampled_from(("appendOnly", "APPENDONLY", "unknown"))),
    )
)
def test_protocols_of_any_json_end_in_an_answer_or_an_error(value: Any) -> None:
    try:
        protocol = Protocol.from_json(value)
        json.dumps(resolve_upgrade(Metadata(), protocol, CATALOG).to_json())
    except DeltaResolverError as error:
        ensure_helpful(error)
