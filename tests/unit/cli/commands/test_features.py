"""`deltaresolver features`: the whole catalog, one feature, and the graph."""

from __future__ import annotations

import re

import pytest

from deltaresolver.clients.pages.databricks import (
    FOOTNOTES,
    compatibility_markdown,
    protocol_versions,
    required_runtimes,
)
from deltaresolver.defaults import default_catalog, delta_spark_catalog
from deltaresolver.model.behaviour import ATTRIBUTES
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.model.support import LogTraces, Support
from tests.unit.cli.running import run


def test_every_feature_has_one_line() -> None:
    heading, *lines = run("features").out.splitlines()
    assert heading.split()[0] == "feature"
    assert [line.split()[0] for line in lines] == [feature.name for feature in default_catalog()]
    start = heading.index("package")
    assert {line[start:].split()[0] for line in lines} == {"deltaresolver"}


def test_most_lines_fit_a_wide_terminal() -> None:
    widths = sorted(map(len, run("features").out.splitlines()))
    assert widths[len(widths) // 2] <= 180


def test_columns_are_aligned() -> None:
    lines = run("features").out.splitlines()
    start = lines[0].index("switched on by")
    assert all(re.match(r"\S", line[start:]) and line[start - 2 : start] == "  " for line in lines)


def test_json_holds_what_a_feature_declares() -> None:
    data = {one["name"]: one for one in run("features", "--json", "--profile", "delta-spark").data["features"]}
    assert set(data) == delta_spark_catalog().names
    assert data["columnMapping"] == {
        "name": "columnMapping",
        "kind": "reader and writer",
        "summary": "Columns can be renamed and dropped without rewriting data.",
        "min_reader_version": 2,
        "min_writer_version": 5,
        "is_legacy": True,
        "legacy": [2, 5],
        "requires": [],
        "enabled_with": [],
        "not_enabled_with": [],
        "not_supported_with": [],
        "support": dict.fromkeys(("read", "write", "change_feed", "checkpoint", "clean_up", "rewrite"), "safe"),
        "traces": {"domains": [], "file_tags": [], "metadata": False},
        "clients": [],
        "error_pages": [],
        "trigger": "table property delta.columnMapping.mode is id or name",
        "upgrades_existing_table": True,
        "aborts_concurrent_writers": False,
        "is_removable": True,
        "removal": {
            "protects_history": True,
            "drops_properties": [],
            "unsets_first": [],
            "protects_before": None,
            "rewriting": "REMOVE COLUMN MAPPING",
        },
        "behaviour": {
            "methods": [
                "amend_metadata",
                "check_metadata",
                "change_apart",
                "removal_commit",
                "find_trace",
                "is_trace",
                "tolerated_configuration",
                "tolerates_schema",
            ],
            "own_domains": [],
            "domains_ended_by_replace": [],
            "properties_kept_by_replace": [],
            "joins_removals": False,
            "goes_by_metadata": False,
        },
        "owned_properties": ["delta.columnMapping.maxColumnId"],
        "required_by_platform": [],
        "on_strict_platform": False,
        "maturity": "released",
        "package": "deltaresolver",
        "spec_url": "https://github.com/delta-io/delta/blob/master/PROTOCOL.md#column-mapping",
    }


def test_json_has_every_field_of_a_feature_and_of_what_is_in_it() -> None:
    shown = run("features", "rowTracking", "--json").data
    declared = [field.alias for field in TableFeature.__attrs_attrs__]
    assert set(declared) - set(shown) == set()
    for part, kind in (("removal", Removal), ("support", Support), ("traces", LogTraces)):
        assert set(shown[part]) == {field.alias for field in kind.__attrs_attrs__}, part
    assert set(shown["behaviour"]) == {"methods", *ATTRIBUTES}


def test_text_names_what_a_behaviour_acts_in() -> None:
    lines = run("features", "appendOnly").out.splitlines()
    assert [line.split() for line in lines if line.startswith("acts in")] == [["acts", "in", "check_draft"]]


def test_one_feature_is_found_in_any_case() -> None:
    outcome = run("features", "ROWTRACKING")
    fields = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in outcome.out.splitlines())
    assert fields["feature"] == "rowTracking"
    assert fields["requires"] == "domainMetadata"
    assert "icebergCompatV3" in fields["required by"]
    assert fields["specification"].startswith("https://")


def test_a_feature_that_must_be_asked_for_shows_how() -> None:
    assert "'delta.feature.timestampNtz' = 'supported'" in run("features", "timestampNtz").out


def test_an_error_about_an_unknown_feature_names_the_closest() -> None:
    outcome = run("features", "deletionVector")
    assert outcome.code == 2
    assert "did you mean deletionVectors?" in outcome.err


def test_the_tree_shows_every_feature_and_requirement() -> None:
    text = run("features", "--graph").out
    for feature in default_catalog():
        assert re.search(rf"^\W*{feature.name}$", text, re.MULTILINE)
    assert "icebergCompatV3\n├── columnMapping\n└── rowTracking\n    └── domainMetadata\n" in text


def test_the_graph_around_one_feature_is_shown() -> None:
    assert run("features", "variantType", "--graph").out == "variantShredding\n└── variantType\n"


def test_the_graph_is_shown_as_mermaid_and_as_json() -> None:
    drawn = run("features", "--graph", "--format", "mermaid").out
    data = run("features", "--graph", "--json").data
    assert data["mermaid"] == drawn.rstrip("\n")
    assert drawn.count(" --> ") == len(data["edges"])
    assert {"feature": "clustering", "requires": "domainMetadata"} in data["edges"]


def test_mermaid_without_a_graph_is_refused() -> None:
    assert run("features", "--format", "mermaid").code == 2


def test_the_databricks_tables_have_every_row() -> None:
    runtimes, versions, remarks = run("features", "--compat").out.split("\n\n")
    assert [re.split(r"\s{2,}", line) for line in runtimes.splitlines()[1:]] == [
        [row.feature, ", ".join(row.protocol_features) or "-", row.requires] for row in required_runtimes()
    ]
    assert len(versions.splitlines()) == 1 + len(protocol_versions())
    assert re.search(r"^Row tracking\s+rowTracking\s+7\s+1\s+3\s+Writer$", versions, re.MULTILINE)
    assert remarks.rstrip().endswith(FOOTNOTES)
    assert remarks.startswith("* Liquid clustering: the table feature clustering, with all it requires, needs reader")


def test_the_databricks_rows_of_one_feature_are_shown() -> None:
    assert "Deletion" not in run("features", "typewidening", "--compat").out
    data = run("features", "typeWidening", "--compat", "--json").data
    assert [row["requires"] for row in data["runtimes"]] == ["Databricks Runtime 15.4 LTS"]
    assert [row["min_reader_version"] for row in data["versions"]] == [3]
    assert "does not mention vacuumProtocolCheck" in run("features", "vacuumProtocolCheck", "--compat").out


def test_the_databricks_tables_are_printed_as_json_and_markdown() -> None:
    data = run("features", "--compat", "--json").data
    assert (len(data["runtimes"]), len(data["versions"])) == (len(required_runtimes()), len(protocol_versions()))
    assert {"feature", "min_writer_version", "min_reader_version", "iceberg_format_version", "feature_type"} <= set(
        data["versions"][0]
    )
    assert run("features", "--compat", "--format", "markdown").out == compatibility_markdown() + "\n"


@pytest.mark.parametrize(
    "arguments", [("--graph", "--compat"), ("--format", "markdown"), ("--compat", "--format", "mermaid")]
)
def test_options_that_exclude_each_other_are_refused(arguments: tuple[str, ...]) -> None:
    outcome = run("features", *arguments)
    assert outcome.code == 2
    assert "DR109" in outcome.err
