"""Every error that can be raised has a page, every page belongs to an error, and an installed package holds them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from deltaresolver.cli.error_pages_lookup import error_classes, page_of
from tests.unit.cli.running import run

CONCRETE = sorted(code for code in error_classes() if not code.endswith("00"))


@pytest.mark.parametrize("code", CONCRETE)
def test_a_code_has_a_page_that_says_why_shows_an_example_and_what_to_do(code: str, root: Path) -> None:
    file = root / "docs" / "errors" / f"{code}.md"
    assert file.is_file(), f"write {file}"
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"# {code} {error_classes()[code].__name__}\n\n")
    assert re.findall("^## (.*)$", text, re.MULTILINE) == ["Why", "Example", "What to do"]
    assert all(part.strip() for part in re.split("^## .*$", text, flags=re.MULTILINE))
    assert page_of(code).text == text


def test_no_page_is_left_of_an_error_that_is_gone(root: Path) -> None:
    pages = {file.stem for file in (root / "docs" / "errors").glob("*.md")}
    assert pages == set(CONCRETE)


def test_codes_that_pages_mention_exist(root: Path) -> None:
    texts = [file.read_text(encoding="utf-8") for file in (root / "docs" / "errors").glob("*.md")]
    assert {code for text in texts for code in re.findall(r"DR\d{3}", text)} <= set(error_classes())


def test_pages_are_packaged(root: Path) -> None:
    link = root / "resolver" / "cli" / "error_pages"
    assert link.resolve() == (root / "docs" / "errors").resolve()
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert "error_pages/*.md" in settings["tool"]["setuptools"]["package-data"]["deltaresolver.cli"]


@pytest.mark.parametrize(
    ("name", "code"), [("204", "DR204"), ("ManualEnablementError", "DR204"), ("DELTA_CONCURRENT_APPEND", "DR601")]
)
def test_an_error_is_found_by_its_number_its_class_and_its_name_in_delta_spark(name: str, code: str) -> None:
    assert run("explain", name).out == run("explain", code).out
