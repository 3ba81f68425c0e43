"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from deltaresolver import features
from deltaresolver.cli.main import COMMANDS
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.plugins import build_catalog, modules_of, registered
from deltaresolver.resolution.resolve import resolve_upgrade
from tests.unit.cli.running import COMMAND


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def block(readme: str, language: str) -> str:
    """The first block of code in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_explanation_is_the_real_one(readme: str) -> None:
    command = block(readme, "console").removeprefix("$ ").replace("deltaresolver", " ".join(COMMAND))
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == block(readme, "text")


def test_the_feature_works_and_is_short(readme: str) -> None:
    code = block(readme, "python")
    module = ModuleType("acme_row_signing")
    exec(code, vars(module))
    catalog = build_catalog((*modules_of(features), *registered([module])))
    metadata = Metadata(configuration={"acme.rowSigning": "true"})
    resolution = resolve_upgrade(metadata, Protocol.of(1, 2), catalog)
    assert resolution.added == {"rowSigning", "rowTracking", "domainMetadata"}
    assert len([line for line in code.splitlines() if line]) <= 20


def test_every_command_is_named(readme: str) -> None:
    named = set(re.findall(r"^\| `deltaresolver ([a-z-]+)` \|", readme, re.MULTILINE))
    assert named == set(COMMANDS)
