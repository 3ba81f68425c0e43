"""What is shown of clients: one at a time, and all on a page that is held to the data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from deltaresolver.clients.evidence import Outcome
from deltaresolver.clients.pages.matrix import render_matrix
from deltaresolver.clients.pages.sheet import client_sheet, render_sheet
from deltaresolver.clients.shipped import default_clients, default_knowledge
from deltaresolver.defaults import default_catalog


def test_the_page_is_what_the_data_gives(root: Path) -> None:
    page = (root / "docs" / "clients.md").read_text(encoding="utf-8")
    assert page == render_matrix(default_knowledge()), (
        "docs/clients.md is stale: run python -m deltaresolver.clients.pages.matrix > docs/clients.md"
    )


def test_every_client_feature_and_danger_is_on_the_page() -> None:
    page = render_matrix(default_knowledge())
    for client in default_clients():
        assert f"### {client.id}\n" in page
        assert all(f"| {feature} |" in page for feature in client.features)
        assert all(gate.why in page for gate in client.gates if gate.outcome is Outcome.SILENTLY_WRONG)
    assert page.index("Silently wrong") < page.index("Features by client")


def test_a_sheet_has_a_row_for_every_feature_and_says_how_sure() -> None:
    sheet = client_sheet("delta-rs-python@1.6.3")
    assert {row.feature for row in sheet.rows} == default_catalog().names
    rows = {row.feature: row for row in sheet.rows}
    assert rows["deletionVectors"].read_used.outcome is Outcome.WORKS
    assert rows["typeWidening"].append_listed.outcome is Outcome.REFUSES
    assert "measured at this version" in render_sheet(sheet)


def test_listed_and_in_use_are_shown_apart() -> None:
    rows = {row.feature: row for row in client_sheet("delta-kernel-java@4.3.1").rows}
    assert rows["columnMapping"].append_listed.outcome is Outcome.WORKS
    assert rows["columnMapping"].append_used.outcome is Outcome.REFUSES


def test_a_sheet_shows_danger_first() -> None:
    text = render_sheet(client_sheet("delta-rs-python/native@0.25.5"))
    marked = [line.startswith("!!") for line in text.splitlines() if "read: " in line]
    assert marked == sorted(marked, reverse=True)
    assert marked[0]


def test_a_sheet_is_data() -> None:
    value = json.loads(render_sheet(client_sheet("dremio"), "json"))
    assert value["client"] == "dremio"
    assert value["features"][0]["read"]["listed"]["evidence"]["rank"]
    with pytest.raises(ValueError, match="text or json"):
        render_sheet(client_sheet("dremio"), "yaml")


def test_the_page_has_an_answer_for_every_feature_with_how_it_is_known() -> None:
    page = render_matrix(default_knowledge())
    newest = page.split("## Newest releases")[1].split("## Features by client")[0]
    for feature in default_catalog().names:
        assert f"\n| {feature} |" in newest
    assert "polars<br>2.1.0 (deltalake 1.6.6)" in newest
    assert {"m", "s", "d", "i"} <= set(re.findall(r"(?:yes|no|\*\*WRONG\*\*) ([mbsdi])", newest))


def test_harm_that_was_measured_is_on_the_page() -> None:
    page = render_matrix(default_knowledge())
    seen = page.split("## Seen going wrong")[1].split("## Newest releases")[0]
    assert "| polars | deltalake | 1.44.2 (deltalake 1.6.6) | read | columnMapping" in seen
    assert "| delta-spark | spark | 2.3.0 | append | identityColumns |" in seen
    known = default_knowledge().measurements
    wrong = {
        (client, str(release.version))
        for (client, _), releases in known.releases.items()
        for release in releases
        if any("w" in codes for codes in release.codes.values())
    }
    assert wrong
    assert all(f"| {client} |" in seen and f"| {version} |" in seen for client, version in wrong)
