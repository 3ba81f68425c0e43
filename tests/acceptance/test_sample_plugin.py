"""A stranger's package, built and installed into a fresh environment, works wherever built-in features do."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[1] / "sample_plugin"
LINEAGE = Path(__file__).parents[1] / "sample_lineage"
MANUAL = "docs/reference/deltaresolver.1"
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "resolver", "features", "plugins", MANUAL)
MODERN_SETUPTOOLS = "setuptools>=77"
TABLE = {
    "schemaString": json.dumps(
        {
            "type": "struct",
            "fields": [{"name": "email", "type": "string", "nullable": True, "metadata": {"sample.mask": "hash"}}],
        }
    ),
    "configuration": {"sample.requireChangeApproval": "true"},
}


@pytest.fixture(scope="module")
def python(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment into which our wheel and the sample's were installed."""
    folder = tmp_path_factory.mktemp("stranger")
    wheels = build_wheels(root, folder)
    run(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"))
    fresh = next((folder / "venv").glob("bin/python*")).with_name("python")
    run(sys.executable, "-m", "pip", "--python", str(fresh), "install", "-q", "--no-deps", "--no-index", *wheels)
    borrow_dependencies(fresh)
    return fresh


def build_wheels(root: Path, folder: Path) -> list[str]:
    """Our wheel and the sample's, built from copies so that nothing built before is in them."""
    source = folder / "source"
    for name in SOURCES:
        copy(root / name, source / name)
    copy(SAMPLE, folder / "sample")
    copy(LINEAGE, folder / "lineage")
    wheels = folder / "wheels"
    environment = {**os.environ, "PYTHONPATH": str(build_tools(folder))}
    build = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(wheels))
    run(*build, str(source), str(folder / "sample"), str(folder / "lineage"), env=environment)
    return [str(wheel) for wheel in wheels.glob("*.whl")]


def copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=left_out)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def left_out(folder: str, names: list[str]) -> set[str]:
    """What running from the clone leaves behind in it: caches, and links that join its folders to one package."""
    joins = {name for name in ("features", "plugins") if Path(folder, name).is_symlink()}
    return joins | {"__pycache__"} & {*names}


def build_tools(folder: Path) -> Path:
    """A folder with a setuptools that knows our pyproject.toml; empty where this environment has one."""
    tools = folder / "tools"
    tools.mkdir()
    try:
        modern = int(version("setuptools").partition(".")[0]) >= 77
    except PackageNotFoundError:
        modern = False
    if not modern:
        command = (sys.executable, "-m", "pip", "install", "-q", "--target", str(tools), MODERN_SETUPTOOLS)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"{MODERN_SETUPTOOLS} is missing and cannot be downloaded: run script/bootstrap")
    return tools


def borrow_dependencies(python: Path) -> None:
    """Let the fresh environment see what ours has installed, after its own: dependencies are not what is tested."""
    (own,) = (python.parents[1] / "lib").glob("python3*/site-packages")
    homes = {Path(module.origin).parents[1] for name in ("attrs", "pytest") if (module := spec(name)).origin}
    (own / "borrowed.pth").write_text("".join(f"{home}\n" for home in sorted(homes)), encoding="utf-8")


def spec(name: str) -> Any:
    found = importlib.util.find_spec(name)
    assert found is not None
    return found


def run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None, text: str | None = None) -> str:
    """What a process printed; fails with everything it said."""
    done = subprocess.run(command, cwd=cwd, env=env, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def answer(python: Path, program: str, tmp_path: Path) -> Any:
    return json.loads(run(str(python), "-c", program, cwd=tmp_path))


# --- through the Python interface -----------------------------------------------------------------


def test_the_installed_features_are_in_the_default_catalog_and_built_in_ones_too(python: Path, tmp_path: Path) -> None:
    program = (
        "import json, deltaresolver.defaults as d; c = d.default_catalog();"
        "print(json.dumps([sorted(c.names), sorted(d.built_in_catalog().names), d.__file__]))"
    )
    names, built_in, file = answer(python, program, tmp_path)
    assert set(names) - set(built_in) == {
        "lineageLedger",
        "lineageSource",
        "sampleChangeApproval",
        "sampleMaskedColumns",
        "sampleSealedRows",
    }
    assert Path(file).is_relative_to(python.parents[1]), "not the installed package"


def test_a_table_that_uses_them_resolves_with_their_reasons(python: Path, tmp_path: Path) -> None:
    program = (
        "import json; from deltaresolver.model import Metadata; from deltaresolver.defaults import default_catalog;"
        "from deltaresolver.resolution.resolve import resolve_new_table;"
        f"m = Metadata.from_json(json.loads({json.dumps(json.dumps(TABLE))}));"
        "print(json.dumps(resolve_new_table(m, default_catalog()).to_json()))"
    )
    check_explanation(answer(python, program, tmp_path))


def check_explanation(explanation: dict[str, Any]) -> None:
    protocol = explanation["protocol"]
    assert (protocol["minReaderVersion"], protocol["readerFeatures"]) == (3, ["sampleMaskedColumns"])
    reasons = {one["feature"]: one["reasons"] for one in explanation["features"]}
    assert reasons["sampleMaskedColumns"][0]["path"] == ["email"]
    assert reasons["sampleChangeApproval"][0]["key"] == "sample.requireChangeApproval"
    assert reasons["rowTracking"] == [{"kind": "dependency", "required_by": "sampleChangeApproval"}]
    assert reasons["domainMetadata"] == [{"kind": "dependency", "required_by": "rowTracking"}]


def test_the_package_tests_itself_with_the_kit_it_was_installed_with(python: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(SAMPLE / "tests", tmp_path / "tests")
    output = run(str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(copied), cwd=tmp_path)
    assert "2 passed" in output


# --- through the command line ---------------------------------------------------------------------


def test_the_command_features_lists_the_sample_features(python: Path, tmp_path: Path) -> None:
    output = run(str(python.with_name("deltaresolver")), "features", "--json", cwd=tmp_path)
    assert {"sampleChangeApproval", "sampleMaskedColumns"} <= {one["name"] for one in json.loads(output)["features"]}
    assert "rowTracking" in run(
        str(python.with_name("deltaresolver")), "features", "sampleChangeApproval", cwd=tmp_path
    )


def test_the_command_resolve_names_the_sample_features(python: Path, tmp_path: Path) -> None:
    command = (str(python.with_name("deltaresolver")), "resolve", "-")
    found = json.loads(run(*command, "--json", cwd=tmp_path, text=json.dumps(TABLE)))
    assert {"sampleChangeApproval", "sampleMaskedColumns", "rowTracking", "domainMetadata"} <= set(found["features"])
    assert "sampleMaskedColumns" in run(*command, cwd=tmp_path, text=json.dumps(TABLE))


def test_the_command_explain_gives_the_reasons_of_the_sample_features(python: Path, tmp_path: Path) -> None:
    command = (str(python.with_name("deltaresolver")), "explain", "-")
    check_explanation(json.loads(run(*command, "--json", cwd=tmp_path, text=json.dumps(TABLE))))
    text = run(*command, cwd=tmp_path, text=json.dumps(TABLE))
    assert "sample.requireChangeApproval" in text
    assert "email" in text


def test_the_command_clients_shows_the_sample_client_and_who_declares_it(python: Path, tmp_path: Path) -> None:
    command = (str(python.with_name("deltaresolver")), "clients")
    assert "sample-loader" in {one["client"] for one in json.loads(run(*command, "--json", cwd=tmp_path))["clients"]}
    sheet = run(*command, "sample-loader@2.3", cwd=tmp_path)
    assert "sampleMaskedColumns" in sheet
    assert "plugin loader of package deltaresolver-sample" in sheet


def test_an_audit_runs_the_sample_rule_and_asks_the_sample_client(python: Path, tmp_path: Path) -> None:
    for name, owner in (("owned", "team-a"), ("orphan", "")):
        log = tmp_path / "lake" / name / "_delta_log"
        log.mkdir(parents=True)
        (log / f"{0:020}.json").write_text("\n".join(json.dumps(one) for one in first_commit(owner)), encoding="utf-8")
    report, document = tmp_path / "report.html", tmp_path / "audit.json"
    command = (str(python.with_name("deltaresolver")), "audit", str(tmp_path / "lake"), "--workers", "1")
    outputs = ("--html", str(report), "--json", str(document))
    printed = run(*command, "--client", "sample-loader@2.3", *outputs, cwd=tmp_path)
    assert "sample-owner" in printed
    assert "sample-loader@2.3 can append" in printed
    found = json.loads(document.read_text(encoding="utf-8"))
    tables = {Path(one["location"]).name: one for one in found["tables"]}
    orphan = next(one for one in tables["orphan"]["findings"] if one["rule"] == "sample-owner")
    assert orphan["message"] == "The property sample.owner is not set."
    assert "sample-owner" not in {one["rule"] for one in tables["owned"].get("findings", ())}
    rule = next(one for one in found["head"]["rules"] if one["name"] == "sample-owner")
    assert (rule["source"], rule["tables"]) == ("deltaresolver-sample", 1)
    reach = next(one for one in found["head"]["summary"]["reach"] if one["release"] == "sample-loader@2.3")
    # It reads column mapping, and cannot write it.
    assert (reach["reads"], reach["appends"]) == (2, 1)
    page = report.read_text(encoding="utf-8")
    assert "No owner is named" in page
    assert "sample-loader@2.3" in page


def first_commit(owner: str) -> list[dict[str, Any]]:
    """A table with an owner and column mapping, or with neither."""
    mapping = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "0"}
    return [
        {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5} if owner else PLAIN},
        {
            "metaData": {
                "id": "a",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps({"type": "struct", "fields": []}),
                "partitionColumns": [],
                "configuration": {"sample.owner": owner, **mapping} if owner else {},
            }
        },
    ]


PLAIN = {"minReaderVersion": 1, "minWriterVersion": 2}
