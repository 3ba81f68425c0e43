"""`deltaresolver probe`, with the deltalake installed here in place of one from the index."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from deltaresolver.cli import main as cli
from deltaresolver.clients.probe import measure as measuring
from deltaresolver.clients.probe.environment import make_environment
from deltaresolver.clients.probe.measure import shipped_tables
from deltaresolver.clients.shipped import _knowledge
from deltaresolver.errors import PackageIndexUnreachableError, ReleaseNotInstallableError
from tests.unit.cli.running import Outcome

HERE = version("deltalake")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {path.name: path for path in shipped_tables(tmp_path_factory.mktemp("tables"))}


@pytest.fixture(autouse=True)
def installed_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(measuring, "make_environment", lambda _folder, _requirements: Path(sys.executable))
    monkeypatch.setenv("DELTARESOLVER_MEASURED", str(tmp_path / "measured"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """The command line in this very process, where no environment is made."""

    def ran(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = cli.run(list(arguments))
        told = capsys.readouterr()
        return Outcome(code, told.out, told.err)

    return ran


Run = Callable[..., Outcome]


def files_of(table: Path) -> dict[str, bytes]:
    return {str(path.relative_to(table)): path.read_bytes() for path in table.rglob("*") if path.is_file()}


def test_what_was_found_is_printed_kept_and_believed(run: Run, tables: dict[str, Path], tmp_path: Path) -> None:
    table = tables["use_columnMapping_name_legacy_2_5"]
    before = files_of(table)
    done = run("probe", f"delta-rs-python/pyarrow@{HERE}", "--table", str(table))
    assert done.code == 1, done.err
    assert "!! use_columnMapping_name_legacy_2_5, read: silently wrong: 10 rows of 10 are missing" in done.out
    assert files_of(table) == before
    (kept,) = (tmp_path / "measured").iterdir()
    _knowledge.cache_clear()
    try:
        shown = run("clients", f"delta-rs-python@{HERE}", "--path", "pyarrow").out
        assert f"measured {json.loads(kept.read_text())['measured']} by deltaresolver probe" in shown
    finally:
        _knowledge.cache_clear()


def test_a_dry_run_keeps_nothing(run: Run, tables: dict[str, Path], tmp_path: Path) -> None:
    names = ("legacy_1_2", "use_deletionVectors_present")
    options = [option for name in names for option in ("--table", str(tables[name]))]
    done = run("probe", f"delta-rs-python@{HERE}", *options, "--dry-run", "--json")
    assert done.code == 0, done.err
    runs = {one["table"]: [one["open"], one["read"], one["append"]] for one in json.loads(done.out)["result"]["runs"]}
    assert runs["legacy_1_2"] == ["ok", "ok", "ok"]
    assert not (tmp_path / "measured").exists()


def test_what_cannot_be_measured_has_its_code(run: Run, tables: dict[str, Path], tmp_path: Path) -> None:
    assert "DR631" in run("probe", "trino@468").err
    assert "DR635" in run("probe", f"delta-rs-python@{HERE}", "--table", str(tmp_path)).err
    assert "DR701" in run("probe", "nobody@1").err
    assert "DR702" in run("probe", "delta-rs-python@newest").err
    blocked = tmp_path / "a file"
    blocked.write_text("")
    done = run("probe", f"delta-rs-python@{HERE}", "--table", str(tables["legacy_1_2"]), "--store", str(blocked / "x"))
    assert "DR111" in done.err


@pytest.mark.slow
def test_an_index_that_does_not_answer_is_told_apart_from_a_release_that_does_not_exist(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(PackageIndexUnreachableError, match="there is no connection to it"):
        make_environment(tmp_path / "environment", ["deltalake==1.6.6"])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ReleaseNotInstallableError, match="No matching distribution"):
        make_environment(tmp_path / "environment", ["deltalake==9.9.9"])
