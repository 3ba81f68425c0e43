"""A lake.toml that came with a stranger's repository gets nobody's secrets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.security.budget import run
from tests.security.tables import log_of

ASKS = '[storage]\nendpoint = "http://127.0.0.1:9"\naccess_key_id = {{ env = "{variable}" }}\n'
SECRET = "ghp_planted"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    log_of(tmp_path / "t")
    return tmp_path


def told(repository: Path, variable: str, *arguments: str) -> str:
    (repository / "lake.toml").write_text(ASKS.format(variable=variable), encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], variable: SECRET}
    done = run("explain", "t", *arguments, folder=repository, environment=environment)
    assert SECRET not in done.out + done.err
    return f"{done.code} {done.err}"


@pytest.mark.parametrize("variable", ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "HOME2", "lake_secret", "XLAKE_A"])
def test_a_file_that_was_found_may_not_ask_for_any_variable(repository: Path, variable: str) -> None:
    found = told(repository, variable)
    assert found.startswith("2 error DR611")
    assert variable in found


@pytest.mark.parametrize("variable", ["LAKE_SECRET", "DELTARESOLVER_KEY"])
def test_it_may_ask_for_those_of_lakes(repository: Path, variable: str) -> None:
    assert told(repository, variable).startswith("0")


def test_a_file_that_is_named_is_trusted(repository: Path) -> None:
    assert told(repository, "AWS_SECRET_ACCESS_KEY", "--config", "lake.toml").startswith("0")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_somebody_elses_in_a_folder_of_everybody_is_refused(tmp_path: Path) -> None:
    everybodys = tmp_path / "everybodys"
    log_of(everybodys / "mine/t")
    everybodys.chmod(0o1777)
    (everybodys / "lake.toml").write_text("", encoding="utf-8")
    assert run("explain", "t", folder=everybodys / "mine").code == 0
    os.chown(everybodys / "lake.toml", 4711, 4711)
    done = run("explain", "t", folder=everybodys / "mine")
    assert (done.code, "is somebody else's" in done.err) == (2, True)
