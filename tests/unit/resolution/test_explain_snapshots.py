"""Every rendering of every example equals its snapshot."""

from __future__ import annotations

import json

import pytest

from deltaresolver.errors import InvalidInputError
from deltaresolver.resolution.resolution import FORMATS
from tests.snapshots.compare import assert_matches_snapshot
from tests.unit.resolution.explained_tables import TABLES

ENDINGS = {"text": "txt", "markdown": "md", "mermaid": "mmd"}


@pytest.mark.parametrize("form", ENDINGS)
@pytest.mark.parametrize("name", TABLES)
def test_explanation_is_as_recorded(name: str, form: str) -> None:
    text = TABLES[name]().explain(form, table="shop.orders")
    assert_matches_snapshot(f"explain/{name}.{ENDINGS[form]}", text)


@pytest.mark.parametrize("name", TABLES)
def test_json_is_the_resolution_as_data(name: str) -> None:
    resolution = TABLES[name]()
    assert json.loads(resolution.explain("json")) == json.loads(json.dumps(resolution.to_json()))


def test_every_format_is_known_and_no_other() -> None:
    assert {*ENDINGS, "json"} == set(FORMATS)
    with pytest.raises(InvalidInputError, match="no format 'html'"):
        TABLES["unchanged"]().explain("html")


def test_a_table_without_a_name_still_gets_sql_that_reads() -> None:
    assert "ALTER TABLE my_table SET" in TABLES["raised_to_list"]().explain()
