"""Schemas: read, walked, quoted; and which features the raw text can rule out."""

from __future__ import annotations

import json

import pytest

from deltaresolver.errors import SchemaMalformedError
from deltaresolver.model import Metadata
from deltaresolver.model.schema import (
    ArrayType,
    MapType,
    Place,
    SchemaSurvey,
    StructType,
    encode_schema,
    parse_schema,
    quote_path,
    walk_fields,
)
from deltaresolver.model.view import TableView
from tests.metadata_by_hand import column, struct, table

SCHEMA = struct(
    column("a", "decimal(10,2)", nullable=False),
    column("s", struct(column("b", ArrayType(struct(column("c", "variant", {"k": 1}))), nullable=False))),
    column("m", MapType("string", ArrayType("date")), {"k": 2}),
)


def test_a_survey_finds_types_metadata_and_not_null_with_their_paths() -> None:
    survey = SchemaSurvey(SCHEMA)
    assert survey.leaf_types == {
        "decimal": [("a",)],
        "string": [("m", "key")],
        "variant": [("s", "b", "element", "c")],
        "date": [("m", "value", "element")],
    }
    assert survey.not_null == [(("a",), Place.TOP), (("s", "b"), Place.STRUCT)]
    assert [(path, place) for path, place, _ in survey.field_metadata["k"]] == [
        (("m",), Place.TOP),
        (("s", "b", "element", "c"), Place.COLLECTION),
    ]


def test_encoding_keeps_everything() -> None:
    assert parse_schema(encode_schema(SCHEMA)) == SCHEMA
    assert [path for path, _ in walk_fields(SCHEMA)] == [("a",), ("s",), ("s", "b"), ("s", "b", "element", "c"), ("m",)]


def test_a_missing_schema_is_empty() -> None:
    assert parse_schema(None) == parse_schema("") == StructType()


@pytest.mark.parametrize("text", ["{", "[]", "0", "null", '{"type": "struct"', '{"type": "list"}', '{"fields": [1]}'])
def test_what_is_not_a_schema_is_refused_with_a_fix(text: str) -> None:
    with pytest.raises(SchemaMalformedError) as caught:
        parse_schema(text)
    assert caught.value.fix


@pytest.mark.parametrize("kind", ["struct", "array"])
@pytest.mark.parametrize("depth", [10, 300, 100_000])
def test_depth_is_either_walked_or_refused(kind: str, depth: int) -> None:
    before, after = {
        "struct": ('{"type":"struct","fields":[{"name":"a","nullable":false,"type":', "}]}"),
        "array": ('{"type":"array","elementType":', "}"),
    }[kind]
    text = '{"type":"struct","fields":[{"name":"a","type":' + before * depth + '"date"' + after * depth + "}]}"
    metadata = Metadata(schema_string=text)
    if depth == 100_000:
        with pytest.raises(SchemaMalformedError, match="too deeply"):
            metadata.ensure_schema_readable()
    else:
        assert len(TableView(metadata).survey.leaf_types["date"][0]) == depth + 1


@pytest.mark.parametrize(("path", "sql"), [(("a", "b"), "a.b"), (("a b", "`", "1"), "`a b`.````.`1`")])
def test_paths_are_quoted_where_sql_needs_it(path: tuple[str, ...], sql: str) -> None:
    assert quote_path(path) == sql


# --- judging by raw text --------------------------------------------------------------------------


def test_markers_that_the_text_does_not_hold_are_absent() -> None:
    view = TableView(table(None, column("c", "variant")))
    assert view.schema_markers_present(["variant", "geometry"]) == ["variant"]
    assert TableView(Metadata()).schema_markers_present(["variant"]) == []


@pytest.mark.parametrize(("spelt", "plain"), [("\\u0076ariant", "variant"), ("acme\\/key", "acme/key")])
def test_a_marker_that_json_may_spell_otherwise_is_never_ruled_out(spelt: str, plain: str) -> None:
    text = '{"type":"struct","fields":[{"name":"c","type":"' + spelt + '"}]}'
    assert json.loads(text)["fields"][0]["type"] == plain
    assert TableView(Metadata(schema_string=text)).schema_markers_present([plain]) == [plain]
