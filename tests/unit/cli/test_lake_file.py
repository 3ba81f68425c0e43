"""What a lake.toml above the working directory makes of the commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import deltaresolver as dr
from deltaresolver.errors import LakeFileMissingError, PolicyRefusedError
from tests.unit.cli.running import Outcome, first_commit, run, write_table

VECTORS = "delta.enableDeletionVectors=true"
LAKE = """
[tables]
main.sales.orders = "orders"
[[client]]
name = "trino@413"
tables = ["orders"]
[[owner]]
name = "Sales"
tables = ["main.sales.*"]
[[ignore]]
rule = "client-locked-out"
tables = ["old"]
reason = "read by nobody"
expires = 2026-01-01
"""


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake of two plain tables, its lake.toml, and a folder below."""
    (tmp_path / "lake.toml").write_text(LAKE, encoding="utf-8")
    for name in ("orders", "clicks"):
        write_table(tmp_path / name, first_commit())
    (tmp_path / "deep").mkdir()
    return tmp_path


def run_in(lake: Path, *arguments: str) -> Outcome:
    return run(*arguments, folder=lake / "deep")


def test_a_change_that_locks_a_required_client_out_is_refused_by_every_command(lake: Path) -> None:
    commands = (
        ("alter", "main.sales.orders", "--set", VECTORS),
        ("alter", "../orders", "--add-feature", "deletionVectors"),
        ("sql", "../orders", "ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"),
    )
    for arguments in commands:
        refused = run_in(lake, *arguments)
        assert refused.code == 2, refused.out
        assert refused.err.startswith("error DR519: SET TBLPROPERTIES would lock out"), refused.err
        assert "trino@413" in refused.err
        assert "lake.toml" in refused.err
    assert len(list((lake / "orders" / "_delta_log").iterdir())) == 1


def test_a_table_that_no_client_requires_may_be_changed(lake: Path) -> None:
    assert run_in(lake, "alter", "../clicks", "--set", VECTORS).code == 0


def test_config_none_ignores_the_file(lake: Path) -> None:
    assert run_in(lake, "alter", "../orders", "--set", VECTORS, "--config", "none").code == 0


def test_impact_requires_what_the_file_requires(lake: Path) -> None:
    answer = run_in(lake, "impact", "main.sales.orders", "--set", VECTORS, "--client", "delta-spark@4.0.0", "--json")
    assert answer.code == 1
    assert {one["client"] for one in answer.data["required"]} == {"trino@413"}
    assert run_in(lake, "impact", "../clicks", "--set", VECTORS, "--client", "delta-spark@4.0.0").code == 0


def test_a_plan_keeps_what_the_file_requires(lake: Path) -> None:
    assert run_in(lake, "alter", "../orders", "--set", VECTORS, "--config", "none").code == 0
    (lake / "lake.toml").write_text('[[client]]\nname = "trino@468"\n', encoding="utf-8")
    kept = run_in(lake, "plan", "../orders", "--drop-feature", "deletionVectors", "--json").data
    free = run_in(lake, "plan", "../orders", "--drop-feature", "deletionVectors", "--json", "--config", "none").data
    assert [step["kind"] for step in kept["steps"]] != [step["kind"] for step in free["steps"]]


def test_an_audit_asks_each_table_for_its_own_clients(lake: Path) -> None:
    for name in ("orders", "clicks"):
        assert run_in(lake, "alter", f"../{name}", "--set", VECTORS, "--config", "none").code == 0
    audited = run_in(lake, "audit", "..", "--json", "-", "--workers", "1")
    assert audited.code == 0, audited.err
    assert "client-locked-out is no longer ignored: that ended on 2026-01-01 (read by nobody)" in audited.err
    tables = {Path(one["location"]).name: one for one in json.loads(audited.out)["tables"]}
    assert tables["orders"]["owner"] == "Sales"
    assert tables["orders"]["name"] == "main.sales.orders"
    assert {one["release"] for one in tables["orders"]["blocked"]} == {"trino@413"}
    assert not tables["clicks"].get("blocked")
    assert "owner" not in tables["clicks"]
    unlocks = json.loads(audited.out)["head"]["summary"]["unlocks"]
    assert [(one["act"], one["works"], one["locked_out"]) for one in unlocks] == [("read", 0, 1), ("append", 0, 1)]


def test_an_audit_without_roots_looks_at_the_tables_that_have_names(lake: Path) -> None:
    audited = run_in(lake, "audit", "--json", "-", "--workers", "1")
    assert [Path(one["location"]).name for one in json.loads(audited.out)["tables"]] == ["orders"]


@pytest.mark.parametrize(("expires", "findings", "borne"), [("2199-01-01", 0, 2), ("2020-01-01", 2, 0)])
def test_what_is_waived_is_not_a_finding_until_the_waiver_ends(
    lake: Path, expires: str, findings: int, borne: int
) -> None:
    assert run_in(lake, "alter", "../orders", "--set", VECTORS, "--config", "none").code == 0
    waiver = f'[[ignore]]\nrule = "client-locked-out"\nreason = "moves in May"\nexpires = {expires}\n'
    severity = '[severity]\nclient-locked-out = "error"\n'
    (lake / "lake.toml").write_text('[[client]]\nname = "trino@413"\n' + waiver + severity, encoding="utf-8")
    (table,) = json.loads(run_in(lake, "audit", "../orders", "--json", "-", "--workers", "1").out)["tables"]
    locked_out = [one for one in table.get("findings", []) if one["rule"] == "client-locked-out"]
    assert [one["severity"] for one in locked_out] == ["error"] * findings
    assert table.get("borne", 0) == borne


@pytest.mark.parametrize(
    ("severity", "found"), [("", "warning"), ('[severity]\nclient-locked-out = "error"\n', "error")]
)
def test_a_required_client_that_is_locked_out_is_an_error_only_where_the_file_says_so(
    lake: Path, severity: str, found: str
) -> None:
    """Others may be right to lock it out; `--fail-on` with the rule's name ends with 1 either way."""
    assert run_in(lake, "alter", "../orders", "--set", VECTORS, "--config", "none").code == 0
    (lake / "lake.toml").write_text(f'[[client]]\nname = "trino@413"\n{severity}', encoding="utf-8")
    audited = run_in(lake, "audit", "../orders", "--json", "-", "--workers", "1", "--fail-on", "client-locked-out")
    assert audited.code == 1
    (table,) = json.loads(audited.out)["tables"]
    assert {one["severity"] for one in table["findings"] if one["rule"] == "client-locked-out"} == {found}


def test_a_mistake_in_the_file_ends_every_command_before_it_does_anything(lake: Path) -> None:
    (lake / "lake.toml").write_text('[[client]]\nname = "trinno@413"\n', encoding="utf-8")
    for arguments in (("alter", "../orders", "--set", VECTORS), ("audit", ".."), ("plan", "../orders", "--purge")):
        refused = run_in(lake, *arguments)
        assert refused.code == 2
        assert "line 2: client[1].name is wrong: No client is called 'trinno'" in refused.err, refused.err
    assert len(list((lake / "orders" / "_delta_log").iterdir())) == 1


def test_every_commit_of_a_process_with_the_variable_is_guarded(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTARESOLVER_CONFIG", str(lake / "lake.toml"))
    with pytest.raises(PolicyRefusedError, match="trino@413"):
        dr.Table(lake / "orders").alter(set={"delta.enableDeletionVectors": "true"})
    dr.Table(lake / "clicks").alter(set={"delta.enableDeletionVectors": "true"})
    (lake / "lake.toml").write_text("", encoding="utf-8")
    dr.Table(lake / "orders").alter(set={"delta.enableDeletionVectors": "true"})
    monkeypatch.setenv("DELTARESOLVER_CONFIG", str(lake / "nowhere.toml"))
    with pytest.raises(LakeFileMissingError):
        dr.Table(lake / "orders").alter(set={"a": "b"})


@pytest.mark.parametrize("command", ["explain", "resolve", "history", "verify"])
def test_every_command_on_a_table_takes_its_name(lake: Path, command: str) -> None:
    by_name = run_in(lake, command, "main.sales.orders", "--json")
    by_path = run_in(lake, command, str(lake / "orders"), "--json")
    assert by_name.code == by_path.code
    assert by_name.out == by_path.out
    assert "DR410" not in by_name.err


def test_an_audit_of_the_tables_that_the_file_names_prints_its_numbers(lake: Path) -> None:
    found = run_in(lake, "audit", "--workers", "0")
    assert found.code == 0, found.err
    assert found.out.split()[:2] == ["tables", "1"]
