"""`deltaresolver new-feature`: what it writes works as it is."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from deltaresolver import features
from deltaresolver.cli.main import run as main_run
from deltaresolver.model.behaviour import ABILITIES, FeatureBehaviour
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.support import Task
from deltaresolver.plugins import build_catalog, modules_of, registered
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.testing import check_feature
from tests.unit.cli.running import run
from tests.unit.plugins.packages_on_disk import honest, install, site

__all__ = ["site"]


def load(file: Path) -> ModuleType:
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


EVERYTHING = tuple(argument for method in ABILITIES for argument in ("--acts", method))
ABOUT = {
    "as it is": (),
    "without a behaviour": ("--acts", "nothing"),
    "for readers": ("--for-readers",),
    "for readers, with everything": ("--for-readers", *EVERYTHING),
}


def test_the_files_that_it_writes_are_tidy(tmp_path: Path) -> None:
    for about in [*ABOUT, *ABILITIES]:
        options = ABOUT.get(about, ("--acts", about))
        folder = tmp_path / about.replace(" ", "-")
        asked = ("new-feature", "rowSigning", "--requires", "rowTracking", *options, "--directory", str(folder))
        assert run(*asked, folder=tmp_path).code == 0
    for check in (("check", "--select", "E,F,I,D1,ANN"), ("format", "--check")):
        command = [sys.executable, "-m", "ruff", *check, "--no-cache", "."]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("method", ABILITIES)
def test_a_method_of_the_behaviour_is_there_and_does_no_harm(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("new-feature", "rowSigning", "--acts", method, folder=tmp_path)
    module = load(tmp_path / "deltaresolver-row-signing" / "deltaresolver_row_signing.py")
    monkeypatch.setitem(sys.modules, "deltaresolver_row_signing", module)  # as pickle looks for it
    behaviour = build_catalog((*modules_of(features), *registered([module]))).get("rowSigning").behaviour
    acts = [name for name in ABILITIES if getattr(type(behaviour), name) is not getattr(FeatureBehaviour, name)]
    assert acts == [method] if method != "skips_append_check" else ["skips_append_check", "rebase"]
    on = Metadata(configuration={"rowSigning.enabled": "true"})
    check_feature(module, switched_on=[on], switched_off=[Metadata()])


def test_the_command_writes_a_page_and_a_workflow(tmp_path: Path) -> None:
    options = ("--requires", "rowTracking", "--acts", "row_conditions", "--acts", "check_draft")
    run("new-feature", "rowSigning", *options, "--directory", "here", folder=tmp_path)
    page = (tmp_path / "here" / "docs" / "row-signing.md").read_text()
    for word in ("`rowSigning.enabled`", "`rowSigning.enabled.condition`", "`rowTracking`", "`check_draft`"):
        assert word in page
    workflow = yaml.safe_load((tmp_path / "here" / ".github" / "workflows" / "test.yml").read_text())
    steps = {name: [step.get("run") for step in job["steps"]] for name, job in workflow["jobs"].items()}
    assert {"mypy", "pytest"} <= set(steps["test"])
    assert "pytest -m spark" in steps["spark"]
    settings = tomllib.loads((tmp_path / "here" / "pyproject.toml").read_text())
    assert settings["project"]["dependencies"] == ["deltaresolver>=0.1,<0.2"]
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["deltaresolver"] == ["0.1"]


def test_the_command_asks_for_what_is_not_given(tmp_path: Path) -> None:
    answers = "Delta.sign\nacme.sign\nrowTraking\nROWTRACKING, appendOnly\ny\ncheck_daft\ncheck_draft, amend_draft\n"
    outcome = run("new-feature", "rowSigning", "--ask", "--directory", "here", stdin=answers, folder=tmp_path)
    assert outcome.code == 0, outcome.err
    assert "did you mean rowTracking" in outcome.out + outcome.err
    assert "are Delta's own" in outcome.out + outcome.err
    assert "There is no method 'check_daft'" in outcome.out + outcome.err
    text = (tmp_path / "here" / "deltaresolver_row_signing.py").read_text()
    assert 'PROPERTY = "acme.sign"' in text
    assert 'requires={"rowTracking", "appendOnly"}' in text
    assert "class RowSigningBehaviour(AmendsCommits, ChecksCommits):" in text
    assert "FeatureKind.READER_WRITER" in text


@pytest.mark.slow
def test_the_package_that_it_writes_is_typed_and_passes_its_own_tests(tmp_path: Path) -> None:
    """Both forms in one test, so that mypy reads this library once."""
    wrong = {}
    for number, options in enumerate((ABOUT["as it is"], ABOUT["for readers, with everything"])):
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
def test_names_that_cannot_be_used_are_refused(name: str, tmp_path: Path) -> None:
    outcome = run("new-feature", "--json", "--", name, folder=tmp_path)
    assert (outcome.code, outcome.err.startswith("{") or outcome.err.startswith("error")) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_requirement_is_reported(tmp_path: Path) -> None:
    outcome = run("new-feature", "rowSigning", "--requires", "rowTraking", "--json", folder=tmp_path)
    assert outcome.error["code"] == "DR201"
    assert list(tmp_path.iterdir()) == []


def test_a_property_of_deltas_own_is_refused(tmp_path: Path) -> None:
    outcome = run("new-feature", "rowSigning", "--property", "delta.rowSigning", "--json", folder=tmp_path)
    assert outcome.error["code"] == "DR109"
    assert list(tmp_path.iterdir()) == []


def test_a_feature_that_requires_one_of_another_package_depends_on_the_package_and_passes_its_kit(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(site, "acme-delta", honest("acmeSealed", "betaLined"))
    install(site, "beta-delta", honest("betaLined"))
    folder = tmp_path / "here"
    assert main_run(["new-feature", "rowSigning", "--requires", "acmeSealed", "--directory", str(folder)]) == 0
    settings = tomllib.loads((folder / "pyproject.toml").read_text())
    assert settings["project"]["dependencies"][1:] == ["acme-delta", "beta-delta"]
    monkeypatch.syspath_prepend(str(folder))
    module = load(folder / "deltaresolver_row_signing.py")
    monkeypatch.setitem(sys.modules, "deltaresolver_row_signing", module)
    load(folder / "test_deltaresolver_row_signing.py").test_row_signing_passes_the_compliance_kit()
