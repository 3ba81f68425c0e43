"""The worked example of docs/how-to/gate-pull-requests, the action and the hook: all of them run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.check.sarif_rules import sarif_problems
from tests.unit.cli.pages import links_of, run_page
from tests.unit.cli.running import run
from tests.unit.cli.shell import run_script

PLACE = Path("docs") / "how-to" / "gate-pull-requests"


@pytest.fixture
def example(root: Path, tmp_path: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(root / PLACE, tmp_path / "example"))


def test_every_block_of_the_page_runs(root: Path, example: Path) -> None:
    run_page(root / PLACE / "README.md", example)


def test_every_link_leads_somewhere(root: Path) -> None:
    page = root / PLACE / "README.md"
    assert [link for link in links_of(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()] == []


def test_deletion_vectors_are_stopped_while_trino_413_is_required(example: Path) -> None:
    assert run("check", "ddl", folder=example).code == 0
    stopped = run("check", "ddl", "proposed", "--format", "sarif", folder=example)
    assert stopped.code == 1
    assert sarif_problems(stopped.data) == []
    (result, *_) = [one for one in stopped.data["runs"][0]["results"] if "trino@413" in one["message"]["text"]]
    assert (result["ruleId"], result["level"]) == ("client-locked-out", "error")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "proposed/003_faster_deletes.sql"
    assert place["region"] == {"startLine": 2, "endLine": 3}
    (example / "lake.toml").write_text('[[client]]\nname = "trino@468"\n', encoding="utf-8")
    assert run("check", "ddl/001_orders.sql", "proposed", folder=example).code == 0


def steps_of(action: dict[str, Any]) -> list[dict[str, Any]]:
    found = action["runs"]["steps"]
    assert isinstance(found, list)
    return found


def run_action(root: Path, example: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The step of the action that checks, with inputs as GitHub gives them."""
    action = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    step = next(one for one in steps_of(action) if one["name"] == "Check")
    given = {key: inputs.get(key.replace("-", "_"), value["default"]) for key, value in action["inputs"].items()}
    names = {key: value.removeprefix("${{ inputs.").removesuffix(" }}") for key, value in step["env"].items()}
    environment = {key: given[name] for key, name in names.items()}
    environment |= {"GITHUB_ACTION_PATH": str(root), "GITHUB_STEP_SUMMARY": str(example.parent / "summary.md")}
    return run_script(step["run"], example, environment)


def test_the_action_annotates_writes_sarif_and_a_summary_and_stops(root: Path, example: Path) -> None:
    done = run_action(root, example, paths="ddl proposed", sarif="out.sarif")
    assert done.returncode == 1, done.stderr
    where = "file=proposed/003_faster_deletes.sql,line=2,endLine=3,title=client-locked-out"
    assert f"::error {where}::trino@413 could no longer read main.sales.orders" in done.stdout
    assert '"version": "2.1.0"' in (example / "out.sarif").read_text(encoding="utf-8")
    assert (example.parent / "summary.md").read_text(encoding="utf-8").startswith("### ❌ Delta tables: ")


def test_the_action_lets_pass_what_is_fine(root: Path, example: Path) -> None:
    done = run_action(root, example, paths="ddl", fail_on="warning")
    assert done.returncode == 0, done.stderr
    assert (example.parent / "summary.md").read_text(encoding="utf-8").startswith("### ✅ Delta tables: ")


def test_the_action_stops_on_an_error(root: Path, example: Path) -> None:
    assert run_action(root, example, paths="nowhere", sarif="out.sarif").returncode == 2


def test_no_input_of_the_action_is_ever_a_command(root: Path, example: Path) -> None:
    done = run_action(root, example, paths="ddl; touch owned $(touch owned)", sarif="`touch owned`")
    assert done.returncode == 2
    assert not (example / "owned").exists()
    action = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    assert not any("${{" in one["run"] for one in steps_of(action))


def test_the_hook_names_a_command_that_runs(root: Path, example: Path) -> None:
    (hook,) = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    used = yaml.safe_load((example / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    assert [one["id"] for one in used] == [hook["id"]]
    program, *arguments = hook["entry"].split()
    assert program == "deltaresolver"
    assert run(*arguments, *used[0]["args"], folder=example).code == 0


def test_the_workflows_are_yaml_with_inputs_that_the_action_has(root: Path, example: Path) -> None:
    action = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    for file in (example / ".github" / "workflows").iterdir():
        jobs = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
        for step in (step for job in jobs.values() for step in job["steps"]):
            if "deltaresolver@" in step.get("uses", ""):
                assert set(step["with"]) <= set(action["inputs"])
