"""Who breaks when a table changes, and how it is reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import deltaresolver as dr
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.errors import UnknownClientError
from deltaresolver.model import Metadata, Protocol
from deltaresolver.planning.impact import Direction, impact, impact_over, needs_after_setting
from deltaresolver.planning.render.impact import render_impact

SCHEMA = '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}'
PROTOCOL, METADATA = Protocol(1, 2), Metadata(schema_string=SCHEMA)
PLAIN = TableNeeds.of(PROTOCOL, METADATA)
DELETING = needs_after_setting(PROTOCOL, METADATA, {"delta.enableDeletionVectors": "true"})
MAPPED = needs_after_setting(PROTOCOL, METADATA, {"delta.columnMapping.mode": "name"})


def test_setting_a_property_changes_what_a_table_demands() -> None:
    assert {"reader:3", "uses:deletionVectors", "reads:deletionVectors"} <= DELETING.demands
    assert {"reader:2", "uses:columnMapping", "writes:columnMapping"} <= MAPPED.demands


def test_instructions_do_not_stay_in_the_metadata() -> None:
    asked = needs_after_setting(PROTOCOL, METADATA, {"delta.feature.deletionVectors": "supported"})
    assert "reads:deletionVectors" in asked.demands
    assert "uses:deletionVectors" not in asked.demands


def test_a_loss_names_feature_versions_that_would_do_and_how_sure() -> None:
    found = impact(PLAIN, DELETING, ["trino@420"])
    read = next(change for change in found.losses if change.act is Act.READ)
    assert (read.before.outcome, read.after.outcome) == (Outcome.WORKS, Outcome.REFUSES)
    assert read.feature == "deletionVectors"
    assert read.would_do[0] == "427"
    assert "read in the client's source" in render_impact(found)


def test_clients_that_cope_are_not_mentioned() -> None:
    assert impact(PLAIN, DELETING, ["delta-spark@4.4.0", "trino@468"]).changes == ()
    text = render_impact(impact(PLAIN, DELETING, ["trino@468"]))
    assert text == "Nothing changes for the one client asked about."


def test_what_goes_silently_wrong_comes_first_and_loudest() -> None:
    clients = ["trino@400", "delta-rs-python/native@0.25.5", "dremio"]
    found = impact(PLAIN, DELETING, clients)
    assert found.changes[0].worse.outcome is Outcome.SILENTLY_WRONG
    assert found.changes[0].client == "delta-rs-python/native@0.25.5"
    lines = render_impact(found).splitlines()
    assert lines[2] == "!!! SILENTLY WRONG !!!"
    assert any("WRONG ROWS, without an error" in line for line in lines[3:6])
    assert render_impact(found, "markdown").splitlines()[2].endswith("SILENTLY WRONG")
    assert json.loads(render_impact(found, "json"))["silently_wrong"][0]["client"] == "delta-rs-python/native@0.25.5"


def test_required_clients_that_break_are_found() -> None:
    found = impact(PLAIN, DELETING, ["trino@468", "delta-rs-python/pyarrow@1.5.0"])
    assert {change.client for change in found.broken(["delta-rs-python/pyarrow@1.5.0", "trino@468"])} == {
        "delta-rs-python/pyarrow@1.5.0"
    }
    assert found.broken(["trino@468"]) == ()


def test_a_client_without_a_path_breaks_by_any_of_its_paths() -> None:
    found = impact(PLAIN, DELETING, ["delta-rs-python@1.5.0"])
    assert found.clients == ("delta-rs-python@1.5.0", "delta-rs-python/pyarrow@1.5.0")
    assert {change.client for change in found.broken(["delta-rs-python@1.5.0"])} == {"delta-rs-python/pyarrow@1.5.0"}
    assert found.broken(["delta-rs-python/native@1.5.0"]) == ()


def test_the_way_back_is_a_gain() -> None:
    found = impact(DELETING, PLAIN, ["trino@420"])
    assert found.losses == ()
    assert {change.direction for change in found.gains} == {Direction.GAIN}
    assert "trino@420 can open, read and append to it; until now" in render_impact(found)


def test_without_a_choice_every_client_and_path_is_asked() -> None:
    found = impact(PLAIN, DELETING)
    names = {name.partition("@")[0] for name in found.clients}
    assert {client.id for client in default_knowledge().catalogue} <= names
    assert "delta-rs-python/pyarrow" in names


def test_many_tables_are_judged_once_per_distinct_need() -> None:
    lake = impact_over([(PLAIN, DELETING)] * 5 + [(PLAIN, MAPPED)] * 3, ["dremio", "trino@420"])
    assert lake.tables == 8
    assert sorted(tables for _, tables in lake.impacts) == [3, 5]
    assert lake.losing_tables()["dremio@25.2.0", Act.READ, Outcome.REFUSES] == 5


def test_an_unknown_client_is_refused_before_anything_is_judged() -> None:
    with pytest.raises(UnknownClientError, match="'trinoo'"):
        impact(PLAIN, DELETING, ["trinoo@468"])


@pytest.mark.parametrize("form", ["html", ""])
def test_an_unknown_form_is_refused(form: str) -> None:
    with pytest.raises(ValueError, match="text, markdown or json"):
        render_impact(impact(PLAIN, PLAIN, ["dremio"]), form)


def test_markdown_is_one_table_per_section() -> None:
    lines = render_impact(impact(PLAIN, DELETING, ["dremio", "trino@420"]), "markdown").splitlines()
    head = lines.index("| Client | Act | Before | After | Why | Would do | How sure |")
    assert all(line.count(" | ") == 6 for line in lines[head + 2 :])


def test_tables_and_metadata_are_compared_as_users_hold_them(tmp_path: Path) -> None:
    table = dr.Table.create(tmp_path / "t", SCHEMA)
    asked = ["trino@420", "dremio"]
    set_here = dr.impact(table, {"delta.enableDeletionVectors": "true"}, asked)
    assert set_here.losses == impact(PLAIN, DELETING, asked).losses
    altered = METADATA.with_configuration({"delta.enableDeletionVectors": "true"})
    assert dr.impact(METADATA, altered, asked).losses == set_here.losses
    table.alter({"delta.enableDeletionVectors": "true"})
    assert dr.impact(METADATA, table, asked).losses == set_here.losses
    assert dr.impact(table, METADATA, asked).changes == (), "unsetting a property drops no feature"
    assert dr.impact(table, PLAIN, asked).gains
