"""The Databricks page, row by row: against the page where it is at hand, else against facts recorded from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.pages.databricks import (
    FOOTNOTES,
    VersionRow,
    compatibility_markdown,
    protocol_versions,
    required_runtimes,
    rows_about,
)
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.defaults import default_catalog
from deltaresolver.model import Metadata, Protocol
from deltaresolver.resolution.prepared import prepare

PAGE = "spec/4-feature-compatibility-and-protocols.md"
RECORDED = Path(__file__).parents[4] / "tests" / "recorded" / "databricks_page.json"


def rows_of(text: str, head: str, cells: int) -> list[list[str]]:
    """The rows of the Markdown table under `head`; the page breaks some rows over two lines."""
    table = text.split(head, 1)[1].split("|---|", 1)[1].split("\n", 1)[1]
    rows: list[list[str]] = []
    pending: list[str] = []
    for line in table.splitlines():
        if "|" not in line:
            break
        pending += [cell.strip() for cell in line.strip("| ").split("|")]
        if len(pending) >= cells:
            rows.append(pending[:cells])
            pending = []
    return rows


def runtime_rows() -> list[list[str]]:
    return [[row.feature, row.requires] for row in required_runtimes()]


def version_rows() -> list[list[str]]:
    return [
        [
            row.feature,
            str(row.writer_version),
            str(row.reader_version),
            row.iceberg,
            row.marked_type,
        ]
        for row in protocol_versions()
    ]


def test_every_row_of_the_runtime_table_is_on_the_page(shared: Path) -> None:
    page = (shared / PAGE).read_text(encoding="utf-8")
    on_page = [row[:2] for row in rows_of(page, "| Feature | Requires Databricks Runtime version or later |", 3)]
    assert runtime_rows() == on_page


def test_every_row_of_the_version_table_is_on_the_page(shared: Path) -> None:
    page = (shared / PAGE).read_text(encoding="utf-8")
    assert version_rows() == rows_of(page, "| Feature | Delta minWriterVersion |", 5)


def test_both_tables_equal_the_recorded_facts() -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert runtime_rows() == recorded["runtimes"]
    assert version_rows() == recorded["versions"]


def test_the_features_a_row_is_about_exist() -> None:
    catalog = default_catalog()
    features = [row.protocol_features for row in required_runtimes()]
    features += [row.protocol_features for row in protocol_versions()]
    assert all(catalog.find(name) for names in features for name in names)


@pytest.mark.parametrize(
    "row", [row for row in protocol_versions() if row.footnote is None], ids=lambda row: row.feature
)
def test_versions_agree_with_the_catalog_except_where_the_page_differs(row: VersionRow) -> None:
    different = {"Collations"}  # the page calls it a reader feature, the protocol proposal does not
    for name in row.protocol_features:
        feature = default_catalog().get(name)
        agrees = (max(feature.min_reader_version, 1), feature.min_writer_version) == (
            row.reader_version,
            row.writer_version,
        )
        assert agrees is (row.feature not in different)


def test_markdown_has_a_line_for_every_row() -> None:
    lines = compatibility_markdown().splitlines()
    assert "| Deletion vectors | 7 | 3 | 3 | Reader and writer |" in lines
    assert "| Type widening | Databricks Runtime 15.4 LTS |" in lines
    assert len(lines) == len(required_runtimes()) + len(protocol_versions()) + 7


def test_footnote_marks_are_shown_and_explained() -> None:
    told = compatibility_markdown()
    assert "| Liquid clustering | 7 | 3 | 1 | Reader and writer (1) |" in told
    assert "| Iceberg readers (UniForm) | 7 | 2 | N/A | Writer (2) |" in told
    assert told.endswith(FOOTNOTES)


def test_rows_are_found_by_the_name_of_the_page_and_of_the_protocol() -> None:
    assert rows_about("uniform", None)[0] == rows_about("icebergCompatV1", "icebergCompatV1")[0]
    runtimes, versions = rows_about("rowTracking", "rowTracking")
    assert compatibility_markdown(runtimes, versions).splitlines()[-1] == "| Row tracking | 7 | 1 | 3 | Writer |"


def listed(feature: str) -> TableNeeds:
    """What a table demands that lists a feature with all it depends on."""
    catalog = default_catalog()
    names = prepare(catalog).closure(frozenset({feature}))
    readers = frozenset(name for name in names if (catalog.find(name) or pytest.fail(name)).min_reader_version > 1)
    return TableNeeds.of(Protocol(3 if readers else 1, 7, readers or None, names), Metadata())


SINCE_WHEN = {"identityColumns": "10.4", "columnMapping": "10.4", "deletionVectors": "12.2"}
"""What all supported runtimes have came with one of them: the page's text on backports, and the feature's own page."""

ROWS = [
    (feature, row.runtime or SINCE_WHEN.get(feature, "9.1"))
    for row in required_runtimes()
    for feature in row.protocol_features
]


@pytest.mark.parametrize(("feature", "runtime"), ROWS)
def test_the_verdict_on_a_runtime_is_what_its_row_says(feature: str, runtime: str) -> None:
    knowledge, needs = default_knowledge(), listed(feature)
    for version in (runtime, "17.3"):
        for act in Act:
            verdict = knowledge.verdict(f"databricks-runtime@{version}", needs, act)
            assert verdict.works, (version, act, verdict.reason)
    before = knowledge.verdict("databricks-runtime@" + ("8.4" if runtime == "9.1" else "9.1"), needs, Act.APPEND)
    assert before.outcome is Outcome.REFUSES


def test_feature_lists_were_backported_for_features_that_a_runtime_had() -> None:
    verdict = default_knowledge().verdict("databricks-runtime@9.1", listed("identityColumns"), Act.APPEND)
    assert (verdict.outcome, verdict.feature) == (Outcome.REFUSES, "identityColumns")
