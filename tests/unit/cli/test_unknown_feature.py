"""A table with a feature that is unknown here: the rest of it is explained, and the unknown one is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltaresolver.planning.table_impact import impact
from deltaresolver.table import Table
from tests.transactions import SCHEMA
from tests.unit.cli.running import run

COMMIT = "\n".join(
    json.dumps(action)
    for action in (
        {
            "protocol": {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": ["acmeSealed", "deletionVectors"],
                "writerFeatures": ["acmeSealed", "deletionVectors", "appendOnly"],
            }
        },
        {
            "metaData": {
                "id": "t",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": SCHEMA,
                "partitionColumns": [],
                "configuration": {"delta.enableDeletionVectors": "true"},
            }
        },
    )
)


@pytest.mark.parametrize("command", ["explain", "resolve"])
def test_the_known_part_of_a_table_is_explained(command: str) -> None:
    done = run(command, "-", stdin=COMMIT)
    assert done.code == 0, done.err
    assert "acmeSealed: unknown here" in done.out + done.err
    assert "deletionVectors" in done.out


def test_no_name_is_lost_from_the_protocol() -> None:
    data = run("resolve", "-", "--json", stdin=COMMIT).data
    assert data["protocol"] == data["current"]
    assert "acmeSealed" in data["protocol"]["readerFeatures"]


def test_a_change_is_resolved_for_the_known_part_and_the_remark_names_the_rest() -> None:
    done = run("resolve", "-", "--json", "--set", "delta.enableChangeDataFeed=true", stdin=COMMIT)
    assert done.data["protocol"]["readerFeatures"] == ["acmeSealed", "deletionVectors"]
    assert done.data["protocol"]["writerFeatures"] == ["acmeSealed", "appendOnly", "changeDataFeed", "deletionVectors"]
    assert done.data["added"] == ["changeDataFeed"]
    (note,) = done.data["notes"]
    assert "acmeSealed: unknown here" in note
    assert "deltaresolver commits nothing to it" in note


def test_a_name_that_was_typed_may_be_a_slip() -> None:
    for command in ("resolve", "impact"):
        done = run(command, "-", "--json", "--protocol", "3,7,[acmeSealed],[acmeSealed]", stdin=COMMIT)
        assert done.error["code"] == "DR201"


@pytest.mark.parametrize("change", [["--set", "delta.enableChangeDataFeed=true"], ["--add-feature", "rowTracking"], []])
def test_impact_compares_the_known_part_and_keeps_every_name(change: list[str]) -> None:
    done = run("impact", "-", "--json", *change, stdin=COMMIT)
    assert done.code in {0, 1}, done.err
    for protocol in (done.data["before"], done.data["after"]):
        assert "acmeSealed" in protocol["readerFeatures"]
        assert "acmeSealed" in protocol["writerFeatures"]
    assert any("acmeSealed: unknown here" in note for note in done.data["notes"])


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_the_explanation_names_what_it_cannot_explain(form: str) -> None:
    done = run("explain", "-", "--format", form, stdin=COMMIT)
    assert "acmeSealed" in done.out
    if form == "json":
        assert done.data["unknown"] == ["acmeSealed"]
        assert "acmeSealed" in done.data["certificate"]["lowest_form"]["readerFeatures"]
    else:
        assert "unknown here, so nobody can say what needs it" in " ".join(done.out.split())


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A table whose log begins like this."""
    log = tmp_path / "t" / "_delta_log"
    log.mkdir(parents=True)
    (log / f"{0:020}.json").write_text(COMMIT + "\n", encoding="utf-8")
    return str(tmp_path / "t")


@pytest.mark.parametrize(
    "target", [["--protocol", "1,2"], ["--client", "delta-spark@3.3.0:read"], ["--drop-feature", "deletionVectors"]]
)
def test_no_plan_leads_past_an_unknown_feature(table: str, target: list[str]) -> None:
    done = run("plan", table, "--json", *target)
    assert done.code == 1
    assert done.data["possible"] is False
    assert done.data["steps"] == []
    assert done.data["notes"] == []
    assert any("acmeSealed" in reason for reason in done.data["reasons"])


def test_every_command_that_only_reads_names_the_unknown_feature(table: str) -> None:
    for command in (["explain"], ["resolve"], ["impact", "--set", "a.b=1"], ["history"]):
        done = run(command[0], table, *command[1:])
        assert done.code == 0, done.err
        assert "acmeSealed" in done.out + done.err
    assert "unknown-feature" in run("audit", table).out
    assert "acmeSealed" in Table(table).resolve().protocol.reader_feature_names
    assert impact(Table(table), Table(table).metadata).losses == ()


@pytest.mark.parametrize("drop", [["acmeSealed"], ["deletionVectors"]])
def test_nothing_is_dropped_from_a_table_with_an_unknown_feature(table: str, drop: list[str]) -> None:
    done = run("drop-feature", table, *drop, "--dry-run", "--json")
    assert done.code == 2
    assert "acmeSealed" in done.error["message"]
    if drop == ["acmeSealed"]:
        assert "Correct the name" not in done.error["fix"]
