"""`deltaresolver plan`: what it shows, what it refuses, and carrying it out through a kill."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from deltaresolver.table import Table
from tests.transactions import SCHEMA
from tests.unit.cli.running import COMMAND, run

ALL = {
    "delta.enableDeletionVectors": "true",
    "delta.enableRowTracking": "true",
    "delta.enableInCommitTimestamps": "true",
}
DELTA_RS = "delta-rs-python/native@1.6.6"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Table.create(tmp_path / "t", SCHEMA, properties=ALL)
    return tmp_path / "t"


def test_text_shows_cost_protocol_and_commands(path: Path) -> None:
    outcome = run("plan", str(path), "--client", DELTA_RS)
    assert outcome.code == 0
    assert outcome.out.startswith(f"target  {DELTA_RS} can append\n\n3 steps, (3, 7) -> (3, 7): metadata only")
    assert f"   SQL     ALTER TABLE delta.`{path}` DROP FEATURE rowTracking\n" in outcome.out
    assert f"   CLI     deltaresolver drop-feature {path} rowTracking\n" in outcome.out
    assert outcome.out.index("drop rowTracking") < outcome.out.index("drop domainMetadata")
    assert "can never be dropped: appendOnly, invariants" in outcome.out


def test_json_and_markdown_have_the_same_content(path: Path) -> None:
    data = run("plan", str(path), "--protocol", "1,2", "--json").data
    assert data["possible"]
    assert data["after"] == {"minReaderVersion": 1, "minWriterVersion": 2}
    assert data["cost"]["truncations"] == 1
    told = run("plan", str(path), "--protocol", "1,2", "--markdown").out
    assert all(f"| {step['title']} |" in told for step in data["steps"])


def test_no_way_names_what_cannot_go(path: Path) -> None:
    outcome = run("plan", str(path), "--drop-feature", "appendOnly")
    assert outcome.code == 1
    assert "appendOnly can never be dropped" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "code", "hint"),
    [
        ((), "DR705", "Add --client trino@468"),
        (("--drop-feature", "deletionVector"), "DR705", "deletionVectors"),
        (("--client", "trno@468"), "DR701", "trino"),
        (("--client", "trino@latest"), "DR702", "468"),
        (("--client", "trino@468:delete"), "DR705", ":read"),
        (
            ("--protocol", "3,7,[deletionVectors],[deletionVectors]", "--drop-feature", "deletionVectors"),
            "DR705",
            "one",
        ),
        (("--protocol", "one"), "DR102", "Write 1,2"),
        (("--protocol", "9,9"), "DR705", "such as 1,2"),
        (("--protocol", "1,2", "--protocol", "2,5"), "DR705", "Name the protocol"),
    ],
)
def test_bad_targets_are_refused(path: Path, arguments: tuple[str, ...], code: str, hint: str) -> None:
    outcome = run("plan", str(path), *arguments, "--json")
    assert outcome.code == 2
    assert outcome.error["code"] == code
    assert hint in outcome.err


def test_apply_reaches_the_target_and_again_does_nothing(path: Path) -> None:
    arguments = ("plan", str(path), "--client", DELTA_RS, "--apply", "--yes")
    data = run(*arguments, "--json").data
    assert data["reached"]
    assert len(data["applied"]) == 3
    table_version = Table(path).snapshot().table_version
    again = run(*arguments)
    assert (again.code, "The target is reached" in again.out) == (0, True)
    assert Table(path).snapshot().table_version == table_version


def test_apply_without_an_answer_in_a_pipe_changes_nothing(path: Path) -> None:
    outcome = run("plan", str(path), "--client", DELTA_RS, "--apply")
    assert outcome.code == 2
    assert "--yes" in outcome.err
    assert Table(path).snapshot().table_version == 0


def test_killed_between_steps_the_same_command_goes_on(path: Path) -> None:
    arguments = [*COMMAND, "plan", str(path), "--client", DELTA_RS, "--apply", "--yes"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("done: "):
                process.send_signal(signal.SIGKILL)
                break
        process.stdout.read()
    assert process.returncode == -signal.SIGKILL
    data = run("plan", str(path), "--client", DELTA_RS, "--apply", "--yes", "--json").data
    assert data["reached"]
    assert len(data["applied"]) < 3
    assert run("plan", str(path), "--client", DELTA_RS, "--json").data["steps"] == []
