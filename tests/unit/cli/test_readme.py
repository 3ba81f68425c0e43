"""README and the pages of docs/: what they show is what happens, and what they link to exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from deltaresolver import features
from deltaresolver.cli.main import COMMANDS
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.plugins import build_catalog, modules_of, registered
from deltaresolver.resolution.resolve import resolve_upgrade
from tests.unit.cli.pages import blocks_of, links_of, run_page
from tests.unit.cli.picture import assert_picture_is_current
from tests.unit.cli.running import run

RUN = (
    "README.md",
    "docs/first-steps.md",
    "docs/protocols.md",
    "docs/command-line.md",
    "docs/python.md",
    "docs/extending/tutorial.md",
    "docs/tutorial/platform-owner.md",
    "docs/how-to/go-back.md",
    "docs/how-to/audit-nightly.md",
    "docs/how-to/without-spark.md",
    "docs/how-to/recover.md",
    "docs/how-to/write-a-rule.md",
    "docs/properties.md",
    "docs/explanation/set-then-form.md",
    "docs/explanation/conflicts.md",
    "docs/explanation/testing.md",
)
"""Pages whose every block runs here; docs/transactions.md and docs/spark.md have tests of their own."""

ROOT = Path(__file__).parents[3]
TAUGHT = ("tutorial/*.md", "how-to/*.md", "explanation/*.md")
FOLDERS = ("*.md", "extending/*.md", *TAUGHT, "reference/*/*.md", "schemas/*.md")
PAGES = (
    "README.md",
    *sorted(str(file.relative_to(ROOT)) for pattern in FOLDERS for file in (ROOT / "docs").glob(pattern)),
)
SCREEN = 100
"""README is about one screen: so many lines at most."""


@pytest.mark.parametrize("page", RUN)
def test_every_block_of_the_page_runs(page: str, root: Path, tmp_path: Path) -> None:
    run_page(root / page, tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str, root: Path) -> None:
    file = root / page
    missing = [link for link in links_of(file.read_text(encoding="utf-8")) if not (file.parent / link).exists()]
    assert missing == []


def test_every_page_is_in_the_index(root: Path) -> None:
    index = set(links_of((root / "docs" / "README.md").read_text(encoding="utf-8")))
    docs = root / "docs"
    files = [file for pattern in ("*.md", *TAUGHT) for file in docs.glob(pattern)]
    assert {str(file.relative_to(docs)) for file in files} - {"README.md"} <= index


def test_the_readme_is_one_screen(root: Path) -> None:
    assert len((root / "README.md").read_text(encoding="utf-8").splitlines()) <= SCREEN


def test_the_readme_names_every_extra(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = set(re.findall(r"^\| `(\w+)` \|", (root / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert named == set(project["optional-dependencies"]) - {"dev", "docs"}


def test_the_picture_shows_what_is_printed(root: Path, tmp_path: Path) -> None:
    assert_picture_is_current(root / "docs" / "images" / "terminal.svg", tmp_path)


def test_the_feature_works_and_is_short(root: Path) -> None:
    page = (root / "docs" / "your-own-feature.md").read_text(encoding="utf-8")
    code = next(block.text for block in blocks_of(page) if "@hookimpl" in block.text)
    module = ModuleType("acme_audit_trail")
    exec(code, vars(module))
    catalog = build_catalog((*modules_of(features), *registered([module])))
    switched_on = Metadata(configuration={"acme.auditTrail": "true"})
    assert resolve_upgrade(switched_on, Protocol.of(1, 2), catalog).added == {"auditTrail", "domainMetadata"}
    assert len([line for line in code.splitlines() if line]) <= 20


@pytest.mark.parametrize("page", PAGES)
def test_every_command_it_names_exists(page: str, root: Path) -> None:
    named = set(
        re.findall(r"(?:^|`)deltaresolver ([a-z][a-z-]*)", (root / page).read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert named <= set(COMMANDS)


def test_the_help_lists_what_the_readme_starts_with() -> None:
    assert {"explain", "impact", "plan", "audit"} <= set(re.findall(r"^  ([a-z-]+) ", run("--help").out, re.MULTILINE))
