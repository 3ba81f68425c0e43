"""`deltaresolver explain`: the reasons behind a protocol, in every format, and the pages of errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.running import first_commit, metadata, run, write_table


def test_sql_names_the_table_by_its_path(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t", first_commit(enableDeletionVectors="true"))
    assert f"ALTER TABLE delta.`{table.resolve()}` SET TBLPROPERTIES" in run("explain", str(table)).out


def test_sql_names_the_table_by_its_name() -> None:
    named = json.loads(metadata(appendOnly="true")) | {"name": "my orders"}
    assert "ALTER TABLE `my orders` SET" in run("explain", stdin=json.dumps(named)).out


@pytest.mark.parametrize(
    ("form", "start"),
    [("text", "A new table gets"), ("markdown", "### A new table gets"), ("mermaid", "flowchart LR"), ("json", "{")],
)
def test_every_format_explains_the_table(form: str, start: str) -> None:
    outcome = run("explain", "--format", form, stdin=metadata(enableRowTracking="true"))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(start)
    assert outcome.out.endswith("\n")
    assert not outcome.out.endswith("\n\n")


def test_json_is_the_same_by_either_option() -> None:
    text = metadata(enableRowTracking="true")
    assert run("explain", "--json", stdin=text).data == run("explain", "--format", "json", stdin=text).data


def test_remarks_do_not_disturb_what_is_parsed() -> None:
    outcome = run("explain", "--format", "mermaid", "--unset", "x", stdin=metadata())
    assert outcome.err == ""


@pytest.mark.parametrize("code", ["DR204", "dr204"])
def test_a_code_shows_its_page(code: str) -> None:
    outcome = run("explain", code)
    assert outcome.out.startswith("# DR204 ManualEnablementError\n")


def test_a_page_is_printed_as_json() -> None:
    assert run("explain", "DR105", "--json").data["error"] == "PropertyInvalidError"


def test_a_group_lists_its_codes() -> None:
    assert "DR203 WriterVersionTooLowError" in run("explain", "DR200").out


def test_an_unknown_code_is_reported() -> None:
    outcome = run("explain", "DR299")
    assert outcome.code == 2
    assert "error DR114: There is no error DR299 (did you mean" in outcome.err


@pytest.mark.parametrize(
    ("name", "spelt"), [("positive", "positive"), ("is positive", "`is positive`"), ("a`b", "`a``b`"), ("1st", "`1st`")]
)
def test_a_constraint_is_dropped_by_a_name_that_sql_can_read(name: str, spelt: str) -> None:
    told = json.dumps({"configuration": {f"delta.constraints.{name}": "id > 0"}})
    assert f"ALTER TABLE my_table DROP CONSTRAINT {spelt}\n" in run("explain", stdin=told).out
