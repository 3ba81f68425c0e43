"""What the README shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from deltaresolver import features
from deltaresolver.cli.main import COMMANDS
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.plugins import build_catalog, modules_of, registered
from deltaresolver.resolution.resolve import resolve_upgrade
from tests.unit.cli.running import column, metadata, run, struct


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def blocks(readme: str, language: str) -> list[str]:
    """The blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)


def test_the_explanation_is_a_real_one(readme: str) -> None:
    schema = struct(column("payload", "variant"))
    arguments = ("--protocol", "1,2", "--set", "delta.enableRowTracking=true")
    told = run("explain", *arguments, stdin=metadata(schema)).out
    before, after = blocks(readme, "text")[0].split("...\n")
    assert told.startswith(before)
    assert told.endswith(after)


def test_the_feature_works_and_is_short(readme: str) -> None:
    code = next(block for block in blocks(readme, "python") if "@hookimpl" in block)
    module = ModuleType("acme_audit_trail")
    exec(code, vars(module))
    catalog = build_catalog((*modules_of(features), *registered([module])))
    switched_on = Metadata(configuration={"acme.auditTrail": "true"})
    assert resolve_upgrade(switched_on, Protocol.of(1, 2), catalog).added == {"auditTrail", "domainMetadata"}
    assert len([line for line in code.splitlines() if line]) <= 20


def test_every_command_it_names_exists(readme: str) -> None:
    named = set(re.findall(r"(?:^|`)deltaresolver ([a-z-]+)", readme, re.MULTILINE))
    assert "explain" in named
    assert named <= set(COMMANDS)
