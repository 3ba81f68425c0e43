"""`deltaresolver audit` on small lakes: what it prints, writes and exits with."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from benchmarks.lake_generator import BROKEN_EVERY, KINDS, generate_lake
from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.table import Table
from tests.unit.cli.running import run

STUCK = next(place for place, kind in enumerate(KINDS) if kind.name == "stuck_versions")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of every kind, none broken."""
    folder = tmp_path_factory.mktemp("lake")
    assert len(list(generate_lake(folder, len(KINDS)))) < BROKEN_EVERY
    return folder


@pytest.fixture(scope="module")
def few(lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three of them, one with a warning: an audit of all kinds takes a second."""
    folder = tmp_path_factory.mktemp("few")
    for place in (0, 1, STUCK):
        (table,) = lake.glob(f"*/*_{place:06}")
        shutil.copytree(table, folder / table.name)
    return folder


def test_an_audit_counts_and_prints_what_was_found(lake: Path, tmp_path: Path) -> None:
    target = tmp_path / "audit.json"
    outcome = run("audit", str(lake), "--client", "trino@468", "--json", str(target))
    assert outcome.code == 0
    assert re.search(rf"^tables +{len(KINDS)}$", outcome.out, re.MULTILINE)
    assert str(lake) in outcome.out, "a finding names its tables"
    assert "protocol-in-properties" in outcome.out
    assert "trino@468 can append" in outcome.out
    assert json.loads(target.read_text())["head"]["summary"]["tables"] == len(KINDS)
    assert len(list(StoredAudit(target).tables())) == len(KINDS)
    assert not Path(f"{target}.work").exists()


@pytest.mark.parametrize(
    ("what", "code"),
    [("protocol-in-properties", 1), ("warning", 1), ("error", 0), ("log-gap", 0), ("regression", 0), ("nonsense", 2)],
)
def test_an_audit_fails_on_the_severity_that_was_asked_for(few: Path, what: str, code: int) -> None:
    outcome = run("audit", str(few), "--fail-on", what, "--workers", "1")
    assert outcome.code == code, outcome.err
    assert ("failed on" in outcome.err) == (code == 1)


def test_a_list_file_names_single_tables(lake: Path, tmp_path: Path) -> None:
    tables = sorted(str(each.parent) for each in lake.rglob("_delta_log"))[:3]
    (tmp_path / "list.txt").write_text("# three tables\n\n" + "\n".join([*tables, tables[0]]) + "\n")
    target = tmp_path / "audit.json"
    assert run("audit", "--list", str(tmp_path / "list.txt"), "--json", str(target)).code == 0
    assert [table.location for table in StoredAudit(target).tables()] == tables


def test_a_root_without_tables_is_reported(tmp_path: Path) -> None:
    outcome = run("audit", str(tmp_path))
    assert (outcome.code, outcome.err) == (0, f"note: {tmp_path}: no Delta table was found\n")


def test_a_place_that_cannot_take_the_document_is_reported_first(lake: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "file" / "audit.json"):
        outcome = run("audit", str(lake), "--json", str(place))
        assert (outcome.code, outcome.out) == (2, "")
        assert "DR109" in outcome.err
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_an_option_is_not_taken_for_the_file_of_another(
    option: str, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("audit", str(lake), option, "--workers", "1")
    assert outcome.code == 2
    assert f"{option} takes the name of a file, and --workers follows it" in outcome.err
    assert not list(tmp_path.iterdir())


def test_what_got_worse_than_before_is_reported(lake: Path, tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    table = next(generate_lake(tmp_path / "lake", 1)).location
    assert run("audit", str(tmp_path / "lake"), "--json", str(before)).code == 0
    Path(table, "_delta_log", f"{11:020}.json").write_text("")
    again = ("audit", str(tmp_path / "lake"), "--json", str(after), "--since", str(before), "--fail-on", "regression")
    outcome = run(*again)
    assert outcome.code == 1
    assert "unreadable" in outcome.out


@pytest.mark.parametrize("arguments", [(), ("/nowhere/at/all",), ("--list", "/nowhere/list.txt")])
def test_nothing_to_audit_is_an_error(arguments: tuple[str, ...]) -> None:
    assert run("audit", *arguments).code == 2


def test_each_audit_appends_a_version_to_a_table(few: Path, tmp_path: Path) -> None:
    target = tmp_path / "audits"
    for _ in range(2):
        outcome = run("audit", str(few), "--table", str(target), "--workers", "1")
        assert outcome.code == 0, outcome.err
        assert f"written: {target}" in outcome.err
    read = DeltaTable(target)
    assert read.version() == 1
    assert read.to_pyarrow_table().num_rows == 2 * 3


def test_a_place_that_cannot_take_an_audit_is_reported_before_it_begins(lake: Path, tmp_path: Path) -> None:
    """The list is not there: if that is not what is told, nothing was read."""
    (tmp_path / "file").write_text("")
    Table.create(tmp_path / "other", pa.schema([("id", pa.int64())]))
    for option, place, code in (
        ("--table", lake, "DR804"),
        ("--table", tmp_path / "other", "DR804"),
        ("--table", tmp_path / "file" / "below", "DR"),
        ("--html", lake, "cannot be written to"),
        ("--html", tmp_path / "nowhere" / "report.html", "there is no folder"),
    ):
        outcome = run("audit", "--list", str(tmp_path / "nowhere.txt"), option, str(place))
        assert outcome.code == 2
        assert code in outcome.err
        assert "nowhere.txt" not in outcome.err
    assert not (lake / "_delta_log").exists()
