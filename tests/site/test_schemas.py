"""docs/schemas against what commands really print: each command with `--json`, in all the ways it answers."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from jsonschema import Draft202012Validator

from deltaresolver.cli import main as cli
from deltaresolver.cli.commands import conformance
from deltaresolver.cli.inputs.installed_packages import InstalledPackage
from deltaresolver.cli.json_answer import answer_as_json
from deltaresolver.cli.main import COMMANDS as MAIN_COMMANDS
from deltaresolver.clients.probe import measure as measuring
from deltaresolver.clients.probe.measure import shipped_tables
from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from tests.site.cli_pages import contexts
from tests.site.json_answers import ANSWERS, schemas
from tests.site.json_shapes import closed
from tests.unit.cli.running import run

NEW = '{"configuration": {"delta.feature.rowTracking": "supported", "delta.minWriterVersion": "4"}}'
VECTORS = "delta.enableDeletionVectors=true"
COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "resolve": [
        ("resolve", "shop/orders"),
        ("resolve", "shop/orders", "--set", "delta.enableRowTracking=true"),
        ("resolve", "-"),
    ],
    "explain": [
        ("explain", "shop/orders"),
        ("explain", "shop/orders", "--set", "delta.enableRowTracking=true"),
        ("explain", "-"),
        ("explain", "DR204"),
    ],
    "impact": [
        ("impact", "shop/orders", "--set", "delta.columnMapping.mode=name"),
        ("impact", "shop/orders", "--set", "delta.enableRowTracking=true", "--client", "trino@413"),
        ("impact", "shop/plain", "--set", VECTORS, "--require", "trino@413"),
    ],
    "plan": [
        ("plan", "shop/orders", "--client", "trino@413"),
        ("plan", "shop/orders", "--protocol", "1,1"),
        ("plan", "--from", "audit.json"),
        ("plan", "--from", "audit.json", "--card", "CARD"),
        ("plan", "--from", "audit.json", "--card", "CARD", "--apply", "--yes"),
        ("plan", "shop/again", "--drop-feature", "deletionVectors", "--apply", "--yes"),
    ],
    "history": [("history", "shop/orders"), ("history", "shop/orders", "--protocol-changes")],
    "audit": [("audit", "shop"), ("audit", "shop", "--client", "daft@0.7.26")],
    "check": [("check", "ddl/change.sql"), ("check", "ddl")],
    "verify": [("verify", "shop/orders"), ("verify", "shop/broken")],
    "clients": [
        ("clients",),
        ("clients", "trino@468"),
        ("clients", "delta-rs-python/pyarrow@1.6.6"),
        ("clients", "daft"),
    ],
    "features": [("features",), ("features", "rowTracking"), ("features", "--graph"), ("features", "--compat")],
    "alter": [
        ("alter", "shop/orders", "--set", "delta.enableRowTracking=true", "--dry-run"),
        ("alter", "shop/orders", "--add-feature", "timestampNtz"),
    ],
    "sql": [
        ("sql", "shop/new", "CREATE TABLE new (id BIGINT) USING delta"),
        ("sql", "shop/orders", "ALTER TABLE orders ADD COLUMN note VARIANT", "--dry-run"),
        ("sql", "shop/orders", "ALTER TABLE orders DROP FEATURE deletionVectors", "--dry-run"),
    ],
    "drop-feature": [("drop-feature", "shop/orders", "deletionVectors", "--dry-run")],
    "vacuum": [("vacuum", "shop/orders", "--dry-run"), ("vacuum", "shop/orders")],
    "restore": [("restore", "shop/orders", "--version", "0")],
    "plugins": [("plugins",)],
    "new-feature": [("new-feature", "acmeTrail", "--directory", "made")],
    "error": [("resolve", "nowhere"), ("impact", "shop/orders", "--client", "trno"), ("sql", "shop/orders", "SELEC 1")],
}


def problems(name: str, value: Any) -> list[str]:
    """What of an answer its schema does not allow, with fields that it does not name."""
    validator = Draft202012Validator(closed(schemas()[name]))
    return [f"{list(error.absolute_path)}: {error.message[:300]}" for error in validator.iter_errors(value)]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    for name in ("orders", "plain", "again", "broken"):
        run("sql", f"shop/{name}", f"CREATE TABLE {name} (id BIGINT NOT NULL, at TIMESTAMP) USING delta", folder=folder)
    for name in ("orders", "again"):
        run("alter", f"shop/{name}", "--set", VECTORS, folder=folder)
    run("sql", "shop/idle", "CREATE TABLE idle (id BIGINT) USING delta", folder=folder)
    run("alter", "shop/idle", "--add-feature", "v2Checkpoint", folder=folder)
    (folder / "shop/broken/_delta_log/00000000000000000002.json").write_text("{")
    (folder / "ddl").mkdir()
    (folder / "ddl/change.sql").write_text(f"ALTER TABLE shop.orders SET TBLPROPERTIES ({VECTORS.replace('=', ' = ')})")
    assert run("audit", "shop", "--client", "trino@413", "--json", "audit.json", folder=folder).code == 0
    return folder


@pytest.mark.parametrize(("name", "line"), [(name, line) for name, lines in COMMANDS.items() for line in lines])
def test_printed_json_fits_its_schema(lake: Path, name: str, line: tuple[str, ...]) -> None:
    if "CARD" in line:
        cards = json.loads((lake / "audit.json").read_text())["head"]["cards"]
        card = next(str(card["number"]) for card in cards if card["command"])
        line = tuple(card if each == "CARD" else each for each in line)
    done = run(*line, "--json", *(["-"] if name == "audit" else []), folder=lake, stdin=NEW)
    assert done.code == 2 if name == "error" else done.code in {0, 1}, done.err
    assert problems(name, done.error if name == "error" else done.data) == []


def test_a_report_of_conformance_fits_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    conformance.finish(ConformanceReport("ddl", 3, (Failure("a", "b"),), (KnownDifference("c", "d"),)), 1, as_json=True)
    assert problems("conformance", json.loads(capsys.readouterr().out)) == []


def test_a_measurement_fits_its_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measuring, "make_environment", lambda _folder, _requirements: Path(sys.executable))
    monkeypatch.setenv("DELTARESOLVER_MEASURED", str(tmp_path / "measured"))
    table = next(path for path in shipped_tables(tmp_path) if path.name == "use_columnMapping_name_legacy_2_5")
    assert cli.run(["probe", f"delta-rs-python/pyarrow@{version('deltalake')}", "--table", str(table), "--json"]) == 1
    assert problems("probe", json.loads(capsys.readouterr().out)) == []


def test_the_address_of_the_page_fits_its_schema(
    lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(uvicorn.Server, "run", lambda _server, sockets: sockets)
    assert cli.run(["ui", str(lake / "shop/orders"), "--no-open", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert problems("ui", answer) == []
    assert answer["tables"] == 1
    assert answer["address"].startswith("http://127.0.0.1:")


def test_an_installed_package_fits_its_schema() -> None:
    package = InstalledPackage("acme", "1.0", "used", 1.5, {"table features": ("acmeTrail",)}, ("none",))
    answer = answer_as_json("plugins", {"plugins": [package.to_json()]})
    assert problems("plugins", json.loads(answer)) == []


def test_every_command_with_json_has_a_schema() -> None:
    with_json = {
        full.split()[0]
        for full, context in contexts()
        if any("--json" in option.opts for option in context.command.params)
    }
    assert with_json == set(schemas()) - {"error"}
    assert with_json == set(MAIN_COMMANDS)
    assert set(COMMANDS) | {"conformance", "probe", "ui"} == with_json | {"error"}
    assert set(ANSWERS) | {"audit"} == set(schemas())


@pytest.mark.parametrize("name", sorted({*ANSWERS, "audit"}))
def test_every_answer_begins_alike_and_names_its_fields_alike(name: str) -> None:
    schema = schemas()[name]
    for shape in schema.get("anyOf", [schema]):
        assert shape["type"] == "object"
        assert list(shape["properties"])[:2] == shape["required"][:2] == ["format", "schema"]
        assert shape["properties"]["schema"] == {"const": name}
    told = [field for field in fields_of(schema) if re.fullmatch(r"[a-z][a-z0-9_]*", field) is None]
    assert set(told) <= {"minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures"}


def fields_of(shape: Any) -> Iterator[str]:
    """The names of all fields in a schema."""
    if isinstance(shape, list):
        for each in shape:
            yield from fields_of(each)
    elif isinstance(shape, dict):
        fields = shape.get("properties", {})
        yield from fields
        yield from fields_of([*fields.values(), *(part for key, part in shape.items() if key != "properties")])


@pytest.mark.parametrize("name", sorted({*ANSWERS, "audit"}))
def test_every_schema_is_valid(name: str) -> None:
    Draft202012Validator.check_schema(schemas()[name])


def test_a_schema_notices_what_is_wrong() -> None:
    assert problems("error", {"code": 1})
    answer = {"format": 1, "schema": "new-feature", "directory": "x", "files": [], "feature": "y"}
    assert problems("new-feature", answer) == []
    assert problems("new-feature", {**answer, "more": 1})
    assert problems("new-feature", {**answer, "format": 2})
    assert problems("plugins", {})
