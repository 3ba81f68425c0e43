"""`deltaresolver features`: the whole catalog, one feature, and the graph."""

from __future__ import annotations

import re

from deltaresolver.defaults import default_catalog, delta_spark_catalog
from tests.unit.cli.running import run


def test_every_feature_has_one_line() -> None:
    heading, *lines = run("features").out.splitlines()
    assert heading.split()[0] == "feature"
    assert [line.split()[0] for line in lines] == [feature.name for feature in default_catalog()]
    assert all(line.rstrip().endswith("deltaresolver") for line in lines)


def test_columns_are_aligned() -> None:
    lines = run("features").out.splitlines()
    start = lines[0].index("switched on by")
    assert all(re.match(r"\S", line[start:]) and line[start - 2 : start] == "  " for line in lines)


def test_json_holds_what_a_feature_declares() -> None:
    data = {one["name"]: one for one in run("features", "--json", "--profile", "delta-spark").data}
    assert set(data) == delta_spark_catalog().names
    assert data["columnMapping"] == {
        "name": "columnMapping",
        "kind": "reader and writer",
        "summary": "Columns can be renamed and dropped without rewriting data.",
        "min_reader_version": 2,
        "min_writer_version": 5,
        "is_legacy": True,
        "requires": [],
        "trigger": "table property delta.columnMapping.mode is id or name",
        "upgrades_existing_table": True,
        "aborts_concurrent_writers": False,
        "is_removable": True,
        "removal": {"protects_history": True, "drops_properties": []},
        "maturity": "released",
        "package": "deltaresolver",
        "spec_url": "https://github.com/delta-io/delta/blob/master/PROTOCOL.md#column-mapping",
    }


def test_one_feature_in_any_case() -> None:
    outcome = run("features", "ROWTRACKING")
    fields = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in outcome.out.splitlines())
    assert fields["feature"] == "rowTracking"
    assert fields["requires"] == "domainMetadata"
    assert "icebergCompatV3" in fields["required by"]
    assert fields["specification"].startswith("https://")


def test_a_feature_that_must_be_asked_for_says_how() -> None:
    assert "'delta.feature.timestampNtz' = 'supported'" in run("features", "timestampNtz").out


def test_an_unknown_feature_names_the_closest() -> None:
    outcome = run("features", "deletionVector")
    assert outcome.code == 2
    assert "did you mean deletionVectors?" in outcome.err


def test_the_tree_shows_every_feature_and_requirement() -> None:
    text = run("features", "--graph").out
    for feature in default_catalog():
        assert re.search(rf"^\W*{feature.name}$", text, re.MULTILINE)
    assert "icebergCompatV3\n├── columnMapping\n└── rowTracking\n    └── domainMetadata\n" in text


def test_the_graph_around_one_feature() -> None:
    assert run("features", "variantType", "--graph").out == "variantShredding\n└── variantType\n"


def test_the_graph_as_mermaid_and_as_json() -> None:
    drawn = run("features", "--graph", "--format", "mermaid").out
    data = run("features", "--graph", "--json").data
    assert data["mermaid"] == drawn.rstrip("\n")
    assert drawn.count(" --> ") == len(data["edges"])
    assert {"feature": "clustering", "requires": "domainMetadata"} in data["edges"]


def test_mermaid_without_a_graph_is_told() -> None:
    assert run("features", "--format", "mermaid").code == 2
