"""`--without-plugin` and `DELTARESOLVER_WITHOUT_PLUGINS` on every command: nothing of the package is imported."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from deltaresolver.cli.main import COMMANDS, run
from deltaresolver.defaults import without_plugins
from deltaresolver.plugins import WITHOUT, in_threads, left_out
from deltaresolver.table import Table
from tests.unit.plugins.packages_on_disk import honest, install, site

__all__ = ["site"]

SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
ARGUMENTS: dict[str, list[str]] = {
    "resolve": ["TABLE"],
    "explain": ["TABLE"],
    "impact": ["TABLE", "--set", "delta.enableChangeDataFeed=true"],
    "plan": ["TABLE", "--client", "delta-spark"],
    "history": ["TABLE"],
    "audit": ["TABLE"],
    "check": ["SCRIPT"],
    "verify": ["TABLE"],
    "clients": [],
    "probe": ["nobody-knows@1.0", "--table", "TABLE", "--dry-run"],
    "features": [],
    "alter": ["TABLE", "--set", "x.y=1"],
    "sql": ["TABLE", "ALTER TABLE t SET TBLPROPERTIES ('x.y' = '2')"],
    "drop-feature": ["TABLE", "rowTracking", "--dry-run"],
    "restore": ["TABLE", "--version", "0"],
    "vacuum": ["TABLE", "--dry-run"],
    "ui": ["TABLE", "--no-open"],
    "conformance": ["TABLE"],
    "plugins": [],
    "new-feature": ["rowSigning", "--directory", "NEW"],
}
"""What each command is called with. Some end with an error, none before plugins would be imported."""


@pytest.fixture
def imported(site: Path, tmp_path: Path) -> Path:
    """A file that is there once the package of this test is imported."""
    mark = tmp_path / "imported"
    text = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\nraise SystemExit(3)\n{honest('acmeSealed')}"
    install(site, "acme-delta", text)
    return mark


def arguments_of(name: str, folder: Path) -> list[str]:
    table, script = folder / "table", folder / "script.sql"
    with without_plugins(["acme-delta"]):
        Table.create(table, SCHEMA, properties={"delta.enableRowTracking": "true"})
    script.write_text(f"ALTER TABLE delta.`{table}` SET TBLPROPERTIES ('x.y' = '1');\n")
    places = {"TABLE": str(table), "SCRIPT": str(script), "NEW": str(folder / "new")}
    return [places.get(one, one) for one in ARGUMENTS[name]]


def test_every_command_is_looked_at() -> None:
    assert set(ARGUMENTS) == set(COMMANDS)


@pytest.mark.parametrize("way", ["option", "environment"])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_nothing_of_a_package_left_out_is_imported(
    name: str,
    way: str,
    imported: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)
    words = [name, *arguments_of(name, tmp_path)]
    if way == "environment":
        monkeypatch.setenv(WITHOUT, "acme-delta")
    else:
        words = [*words, "--without-plugin=Acme_Delta"]
    code = run(words)
    told = capsys.readouterr()
    assert code in ({2} if name in {"probe", "conformance"} else {0, 1}), told.err
    assert "acme-delta is set aside" not in told.err
    assert not imported.exists()


def test_the_package_would_be_imported_otherwise(imported: Path, tmp_path: Path) -> None:
    assert run(["explain", *arguments_of("explain", tmp_path)]) == 0
    assert imported.exists()


def test_threads_of_a_pool_leave_out_the_same(site: Path) -> None:
    install(site, "acme-delta", honest("acmeSealed"))

    def seen(_: Any) -> frozenset[str]:
        return left_out()

    with ThreadPoolExecutor(2) as pool, without_plugins(["acme-delta"]):
        assert list(pool.map(in_threads(seen), range(5))) == [frozenset({"acme-delta"})] * 5
    assert left_out() == frozenset()
