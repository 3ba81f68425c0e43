"""Statements, properties of models and metadata are found in scripts, templates, YAML and JSON, each at its line."""

from __future__ import annotations

import random

import pytest

from deltaresolver.check.sources.dbt import is_about_tables, read_config, read_yaml
from deltaresolver.check.sources.metadata_files import read_json
from deltaresolver.check.sources.proposal import MetadataProposal, PropertiesProposal, StatementProposal
from deltaresolver.check.sources.scripts import read_script
from deltaresolver.errors import CheckFileError
from tests.nasty import COLUMN_NAMES, STRINGS, string_literals

SET = "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')"
NOISE = (
    "SELECT 'a;b' FROM x",
    "-- ALTER TABLE x SET TBLPROPERTIES ('c' = 'd');\nSELECT 1",
    "/* ; ALTER TABLE x */ INSERT INTO x VALUES (\";\", 'it''s; ')",
    "SELECT `a;b` FROM `x``;y`",
    "{% if x %} USE main {% endif %}",
    "",
    "DROP TABLE x",
    "CREATE VIEW v AS SELECT 1",
    "SET spark.sql.ansi.enabled = true",
)


def found(text: str, file: str = "f.sql") -> list[tuple[int, str]]:
    return [(one.place.line, one.sql) for one in read_script(file, text) if isinstance(one, StatementProposal)]


def test_statements_are_found_among_all_else_at_their_lines() -> None:
    for seed in range(50):
        pieces = [random.Random(seed).choice((*NOISE, SET)) for _ in range(9)]
        text = "".join(f"{piece};\n" for piece in pieces)
        wanted, line = [], 1
        for piece in pieces:
            if piece == SET:
                wanted.append((line, SET))
            line += piece.count("\n") + 1
        assert found(text) == wanted, text


def test_no_literal_or_name_ends_a_statement() -> None:
    for word in STRINGS:
        for literal in string_literals(word):
            text = f"ALTER TABLE t SET TBLPROPERTIES ('a' = {literal})"
            assert [sql for _, sql in found(f"{text};{SET}")] == [text, SET], literal
    for name in COLUMN_NAMES:
        quoted = "`" + name.replace("`", "``") + "`"
        text = f"ALTER TABLE t ADD COLUMNS ({quoted} INT)"
        assert [sql for _, sql in found(f"{text}\n;\n{SET}")] == [text, SET], name


@pytest.mark.parametrize(
    ("text", "line", "sql"),
    [
        (f"\n\n  {SET}", 3, SET),
        (f"-- why; not\n/* a\n b; */ {SET}", 3, SET),
        ("alter\ttable t unset tblproperties ('a')", 1, "alter\ttable t unset tblproperties ('a')"),
        ("ALTER TABLE {{ ref('orders') }} ADD COLUMNS (a INT)", 1, "ALTER TABLE orders ADD COLUMNS (a INT)"),
        ("ALTER TABLE {{ source('raw',\n'x') }} ADD COLUMNS (a INT)", 1, "ALTER TABLE raw.x\n ADD COLUMNS (a INT)"),
        ("ALTER TABLE {{this}} ADD COLUMNS (a INT)", 1, "ALTER TABLE f ADD COLUMNS (a INT)"),
        ("ALTER TABLE ${catalog}.x ADD COLUMNS (a INT)", 1, "ALTER TABLE catalog.x ADD COLUMNS (a INT)"),
        ("{# ; ALTER TABLE x #}\nCOMMENT ON TABLE t IS 'x'", 2, "COMMENT ON TABLE t IS 'x'"),
        ("CREATE OR REPLACE TABLE t (a INT) USING delta", 1, "CREATE OR REPLACE TABLE t (a INT) USING delta"),
    ],
)
def test_templates_and_comments_leave_the_statement_and_its_line(text: str, line: int, sql: str) -> None:
    assert found(text, "models/f.sql") == [(line, sql)]


@pytest.mark.parametrize("text", ["'open", "/* open", "`open", "{{ open", "{%", ";", ";;;", "--", "\x00", "${", "{{}}"])
def test_a_broken_script_holds_nothing(text: str) -> None:
    assert found(text) == []


def test_the_head_of_a_model_has_its_properties() -> None:
    text = "\n{{ config(materialized='table', tblproperties={'delta.x': true, 'n': 1, 'gone': none}) }}\nselect 1"
    (one,) = read_config("models/orders.sql", text)
    assert (one.table, one.place.line, dict(one.properties)) == ("orders", 2, {"delta.x": "true", "n": "1"})


@pytest.mark.parametrize(
    "text", ["{{ config(tblproperties=var('x')) }}", "{{ config( }}", "{{ config(x=1) }}", "{{ config(**a) }}"]
)
def test_an_expression_in_the_head_is_passed_over(text: str) -> None:
    assert list(read_config("m.sql", text)) == []


def test_properties_of_models_are_found_at_their_lines() -> None:
    text = """
models:
  - name: plain
  - name: orders
    config:
      tblproperties:
        delta.enableChangeDataFeed: true
    columns:
      - {name: id, data_type: bigint}
      - {name: note}
"""
    (one,) = read_yaml("models/schema.yml", text)
    assert (one.table, one.place.line, dict(one.properties)) == ("orders", 7, {"delta.enableChangeDataFeed": "true"})
    assert one.columns == (("id", "bigint"),)


@pytest.mark.parametrize(
    "text", ["tblproperties: [", "models: tblproperties", "- tblproperties", "models: [1]", "", "a: &a [1, 2]"]
)
def test_yaml_of_another_kind_holds_nothing(text: str) -> None:
    assert list(read_yaml("x.yml", text)) == []


def test_yaml_that_holds_itself_is_refused() -> None:
    with pytest.raises(CheckFileError):
        list(read_yaml("x.yml", "a: &a [*a]"))


@pytest.mark.parametrize(
    "text",
    [
        '<<: {models: [{name: m, config: {tblproperties: {"delta.appendOnly": "true"}}}]}',
        '"mod\\u0065ls": [{name: m, config: {"tblproperti\\u0065s": {"delta.appendOnly": "true"}}}]',
    ],
    ids=["by a merge key", "by escapes"],
)
def test_properties_in_disguise_are_found(text: str) -> None:
    assert is_about_tables(text)
    (one,) = read_yaml("x.yml", text)
    assert (one.table, one.place.line, dict(one.properties)) == ("m", 1, {"delta.appendOnly": "true"})


def test_metadata_is_read_bare_as_an_action_and_as_lines() -> None:
    bare = '{"name": "n", "configuration": {"delta.appendOnly": "true"}}'
    for text in (bare, f'{{"metaData": {bare}}}', f'{{"commitInfo": {{}}}}\n{{"metaData": {bare}}}\n'):
        (one,) = read_json("a/t.json", text)
        assert isinstance(one, MetadataProposal)
        assert (one.table, dict(one.metadata.configuration)) == ("n", {"delta.appendOnly": "true"})


def test_a_manifest_has_the_models_that_say_something_of_tables() -> None:
    text = """{"nodes": {"model.a": {"relation_name": "`main`.`a`", "original_file_path": "models/a.sql",
      "config": {"tblproperties": {"delta.x": true}}}, "model.b": {"config": {}}, "test.c": {}}}"""
    (one,) = read_json("target/manifest.json", text)
    assert isinstance(one, PropertiesProposal)
    assert (one.table, one.place.file, dict(one.properties)) == ("main.a", "models/a.sql", {"delta.x": "true"})


@pytest.mark.parametrize(
    "text", ["[]", '{"configuration"', '{"nodes": []}', '{"x": {"metaData": 1}}', "1", '"metaData"']
)
def test_json_of_another_kind_holds_nothing(text: str) -> None:
    assert list(read_json("x.json", text)) == []
