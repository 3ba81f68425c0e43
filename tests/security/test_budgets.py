"""An audit of a lake most of whose tables are hostile ends within its budgets, names them all, and stays small."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.bounded.budget import Budget
from deltaresolver.audit.scan.runners import InProcess
from deltaresolver.model.audit_finding import Severity
from tests.hostile_lake import BOMBS, audit, make_lake
from tests.security.budget import run
from tests.security.tables import log_of


@pytest.mark.slow
def test_an_audit_of_hostile_tables_ends_finds_all_and_stays_small(tmp_path: Path) -> None:
    lakes = {hostile: tmp_path / str(hostile) for hostile in (0, 18)}
    made = {hostile: make_lake(folder, hostile + 6, hostile) for hostile, folder in lakes.items()}
    small, large = (audit(lakes[hostile], made[hostile], 3, 400, "--deep") for hostile in (0, 18))
    assert (small.wrong, large.wrong) == ([], [])
    assert {"DR810", "DR811"} <= large.given_up.keys()
    assert large.driver_megabytes < small.driver_megabytes + 100
    assert large.seconds < 18 * 3


def _large(tmp_path: Path) -> Path:
    log_of(tmp_path / "lake/a")
    BOMBS["many properties"].make(tmp_path / "lake/b")
    log_of(tmp_path / "lake/c")
    return tmp_path / "lake"


def test_a_table_over_its_budget_is_a_finding_and_the_others_are_audited(tmp_path: Path) -> None:
    lake = _large(tmp_path)
    request = AuditRequest(roots=(str(lake),), budget=Budget(60, 500))
    audited = audit_lake(request, InProcess(), tmp_path / "work", tmp_path / "audit.json")
    first, given_up, last = audited.document.tables()
    assert first.error is last.error is None
    assert given_up.error is not None
    assert given_up.error.code == "DR811"
    (finding,) = given_up.findings
    assert (finding.rule, finding.severity) == ("unreadable-table", Severity.ERROR)
    assert str(lake / "b") in finding.message
    assert "00000000000000000000.json" in finding.message


def test_without_a_budget_it_is_audited_here(tmp_path: Path) -> None:
    request = AuditRequest(roots=(str(_large(tmp_path)),), budget=None)
    audited = audit_lake(request, InProcess(), tmp_path / "work", tmp_path / "audit.json")
    assert [table.error for table in audited.document.tables()] == [None] * 3


def test_the_command_and_the_lake_toml_set_the_budget(tmp_path: Path) -> None:
    lake = _large(tmp_path)
    config = tmp_path / "lake.toml"
    config.write_text('[audit]\ntable-seconds = 0\ntable-megabytes = "x"\n', encoding="utf-8")
    refused = run("audit", lake, "--config", config)
    assert refused.code == 2
    assert "audit.table-seconds must be a number of at least 0.1, found 0" in refused.err
    assert "audit.table-megabytes must be a number of at least 64, found 'x'" in refused.err
    config.write_text("[audit]\ntable-seconds = 30\ntable-megabytes = 500\n", encoding="utf-8")
    ended = run("audit", lake, "--config", config, "--fail-on", "unreadable-table")
    assert ended.code == 1
    assert run("audit", lake, "--table-seconds", "0").code == 2
