"""On a full disk and without permission every command ends in a code, loses nothing, and can be run again."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.cli.main import COMMANDS as ALL
from tests.security.budget import run
from tests.security.faulty_commands import COMMANDS, EXPECTED, MOVES, TABLE, State, prepare, staging_files

NOBODY = 65534
FAULTS: dict[str, dict[str, Any]] = {
    "no room": {"file_bytes": 0},
    "room for 700 bytes": {"file_bytes": 700},
    "room for 6,000 bytes": {"file_bytes": 6_000},
    "no permission": {"user": NOBODY},
    "output nobody can write": {},
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults") / "template"
    folder.mkdir()
    prepare(folder)
    return folder


def copied(template: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "x"
    shutil.copytree(template, folder)
    return folder


def test_every_command_is_in_the_table() -> None:
    assert {arguments[0] for arguments in COMMANDS.values()} == set(ALL)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_meets_a_fault_ends_in_a_code_and_can_be_run_again(
    name: str, fault: str, template: Path, tmp_path: Path
) -> None:
    if fault == "no permission" and os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    folder = copied(template, tmp_path)
    before = State.of(folder / TABLE)
    for place in (tmp_path, *tmp_path.parents):
        if fault == "no permission" and place.owner() == "root" and str(place).startswith("/tmp/"):
            place.chmod(0o755)
    settings = FAULTS[fault] or {"out": "/dev/full"}
    done = run(
        *COMMANDS[name], folder=folder, environment={"PATH": os.environ["PATH"], "HOME": str(folder)}, **settings
    )
    assert done.code in (0, 1, 2), done.err
    if done.code == 2 and fault != "output nobody can write":
        assert re.search(r"\bDR\d{3}\b", done.err)
    after = State.of(folder / TABLE)
    assert before.lost_in(after) == []
    assert staging_files(folder) == []
    has_folder = name == "new-feature" and any((folder / "out/own").glob("*"))
    is_done = after.version > before.version if name in MOVES else has_folder
    again = run(*COMMANDS[name], folder=folder)
    assert is_done or again.code == EXPECTED.get(name, 0), again.err
    assert after.lost_in(State.of(folder / TABLE)) == []
    if name in MOVES:
        assert State.of(folder / TABLE).version > before.version
    if name == "vacuum":
        assert list((folder / TABLE).glob("orphan*")) == []
    if "out/" in " ".join(COMMANDS[name]):
        assert list((folder / "out").iterdir()) != []
