"""`deltaresolver new-feature`: what it writes works as it is."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from deltaresolver import features
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.support import Task
from deltaresolver.plugins import build_catalog, modules_of, registered
from deltaresolver.resolution.resolve import resolve_new_table
from tests.unit.cli.running import run


def load(file: Path) -> object:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("arguments", "configuration", "expected"),
    [
        ((), {"rowSigning.enabled": "true"}, {"rowSigning"}),
        (("--property", 'acme."sign"'), {'acme."sign"': "true"}, {"rowSigning"}),
        (
            ("--requires", "ROWTRACKING", "--for-readers"),
            {"rowSigning.enabled": "true"},
            {"rowSigning", "rowTracking", "domainMetadata"},
        ),
    ],
)
def test_the_feature_is_admitted_and_switched_on_by_its_property(
    arguments: tuple[str, ...], configuration: dict[str, str], expected: set[str], tmp_path: Path
) -> None:
    assert run("new-feature", "rowSigning", *arguments, folder=tmp_path).code == 0
    module = load(tmp_path / "deltaresolver-row-signing" / "deltaresolver_row_signing.py")
    catalog = build_catalog((*modules_of(features), *registered([module])))
    off = {"delta.ignoreProtocolDefaults": "true"}
    assert resolve_new_table(Metadata(configuration=off), catalog).features == frozenset()
    resolution = resolve_new_table(Metadata(configuration=off | configuration), catalog)
    assert resolution.features == expected
    assert resolution.protocol.lists_reader_features is ("--for-readers" in arguments)


def test_the_package_registers_the_feature(tmp_path: Path) -> None:
    assert run("new-feature", "rowSigning", "--directory", "here", folder=tmp_path).code == 0
    settings = tomllib.loads((tmp_path / "here" / "pyproject.toml").read_text())
    assert settings["project"]["entry-points"]["deltaresolver.features"] == {"rowSigning": "deltaresolver_row_signing"}
    assert settings["tool"]["setuptools"]["py-modules"] == ["deltaresolver_row_signing"]


@pytest.mark.parametrize("for_readers", [(), ("--for-readers",)])
def test_what_it_writes_is_tidy(for_readers: tuple[str, ...], tmp_path: Path) -> None:
    run("new-feature", "rowSigning", "--requires", "rowTracking", *for_readers, folder=tmp_path)
    for check in (("check", "--select", "E,F,I,D1,ANN"), ("format", "--check")):
        command = [sys.executable, "-m", "ruff", *check, "--isolated", "--line-length", "120", "."]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_what_it_writes_is_typed_and_passes_its_own_tests(tmp_path: Path) -> None:
    """Both forms in one test, so that mypy reads this library once."""
    wrong = {}
    for number, options in enumerate([(), ("--for-readers",)]):
        name = f"here{number}"
        assert run("new-feature", "rowSigning", *options, "--directory", name, folder=tmp_path).code == 0
        folder = tmp_path / name
        metadata = folder / f"{name}-0.1.0.dist-info"  # as pip leaves it
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
        entry = "[deltaresolver.features]\nrowSigning = deltaresolver_row_signing\n"
        (metadata / "entry_points.txt").write_text(entry)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
        for tool in (
            ["mypy", "--cache-dir", str(tmp_path / "mypy"), "--follow-imports", "silent"],
            ["pytest", "-q", "-p", "no:cacheprovider"],
        ):
            command = [sys.executable, "-m", *tool]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                wrong[tool[0], options] = done.stdout + done.stderr
    assert wrong == {}


def test_a_feature_for_readers_can_be_read(tmp_path: Path) -> None:
    run("new-feature", "rowSigning", "--for-readers", folder=tmp_path)
    module = load(tmp_path / "deltaresolver-row-signing" / "deltaresolver_row_signing.py")
    support = build_catalog((*modules_of(features), *registered([module]))).get("rowSigning").support
    assert [task for task in Task if support.is_refused(task)] == [Task.CHANGE_FEED]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    assert run("new-feature", "rowSigning", folder=tmp_path).code == 0
    before = {file: file.read_bytes() for file in tmp_path.rglob("*.*") if file.is_file()}
    again = run("new-feature", "rowSigning", "--json", folder=tmp_path)
    assert (again.code, again.error["code"]) == (2, "DR109")
    assert {file: file.read_bytes() for file in before} == before


@pytest.mark.parametrize("name", ["rowtracking", "a b", "", "../escape", "-x", "ä", "a" * 5000])
def test_names_that_cannot_be_used_are_told(name: str, tmp_path: Path) -> None:
    outcome = run("new-feature", "--json", "--", name, folder=tmp_path)
    assert (outcome.code, outcome.err.startswith("{") or outcome.err.startswith("error")) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_requirement_is_told(tmp_path: Path) -> None:
    outcome = run("new-feature", "rowSigning", "--requires", "rowTraking", "--json", folder=tmp_path)
    assert outcome.error["code"] == "DR201"
    assert list(tmp_path.iterdir()) == []
