"""The author's guide agrees with the code, and all that an author needs is in `deltaresolver.plugin`."""

from __future__ import annotations

import collections.abc
import inspect
import os
import re
import typing
from pathlib import Path
from typing import Any

import pytest

from deltaresolver import plugin
from deltaresolver.model.behaviour import ABILITIES, FeatureBehaviour
from deltaresolver.plugins import HOOKS, hookspecs
from tests.house.extending_pages import on_disk, pages, renew
from tests.unit.cli.pages import blocks_of

ROOT = Path(__file__).parents[2]
CODE = sorted(
    str(file.relative_to(ROOT / "docs"))
    for file in (ROOT / "docs" / "extending.md", *(ROOT / "docs" / "extending").rglob("*.md"))
    if "```python" in file.read_text(encoding="utf-8") and file.name != "tutorial.md"
)
"""Pages with code for authors; the tutorial, which goes on from block to block, is run with the other pages."""
OF_PYTHON = {"Any", "Callable", "Iterable", "Mapping", "None", "Sequence", "bool", "int", "object", "str", "tuple"}


def test_each_hook_and_each_method_has_its_page(root: Path) -> None:
    if os.environ.get("RENEW_SNAPSHOTS") == "1":
        renew(root)
    assert on_disk(root) == dict(pages())


@pytest.mark.parametrize("name", [*HOOKS, *ABILITIES])
def test_types_that_a_hook_or_a_method_names_are_in_the_one_module(name: str) -> None:
    function = getattr(hookspecs, name, None) or getattr(FeatureBehaviour, name)
    spoken_of = set(re.findall(r"\b[A-Za-z]\w*\b", " ".join(map(str, inspect.get_annotations(function).values()))))
    assert spoken_of - OF_PYTHON <= set(plugin.__all__)


@pytest.mark.parametrize("page", CODE)
def test_every_block_of_a_page_is_code_that_runs(page: str, root: Path) -> None:
    names: dict[str, Any] = {**vars(collections.abc), **{name: getattr(plugin, name) for name in plugin.__all__}}
    for block in blocks_of((root / "docs" / page).read_text(encoding="utf-8")):
        if block.language == "python":
            before = set(names)
            exec(compile(block.text, page, "exec"), names)
            behaviours = [names[name] for name in set(names) - before if isinstance(names[name], type)]
            assert [
                made().__class__ for made in behaviours
            ] == behaviours  # a class that lacks a method makes no object


def test_what_a_feature_declares_is_in_the_one_module() -> None:
    fields = " ".join(str(field.type) for field in plugin.TableFeature.__attrs_attrs__)
    spoken_of = set(re.findall(r"\b[A-Z]\w*\b", fields)) - {"None", "Mapping"}
    assert spoken_of - {"LegacyVersion"} <= set(plugin.__all__)  # the protocol's own list is closed
    assert typing.get_type_hints(plugin.PreparatoryCommit)


def test_every_page_of_the_guide_can_be_reached(root: Path) -> None:
    start = (root / "docs" / "extending.md").read_text(encoding="utf-8")
    for file in (root / "docs" / "extending").glob("*.md"):
        assert f"extending/{file.name}" in start, file.name


def test_every_promise_names_a_test_that_exists(root: Path) -> None:
    page = (root / "docs" / "extending" / "promises.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "held by" not in line]
    assert len(rows) > 20
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)`", row)
        assert named, row
        assert all((root / name).is_file() for name in named), row


def test_each_release_that_the_how_to_tests_against_is_within_its_bound(root: Path) -> None:
    page = (root / "docs" / "extending" / "how-to.md").read_text(encoding="utf-8")
    (least, below), (listed,) = (
        re.findall(r"`deltaresolver>=0\.(\d+),<0\.(\d+)`", page)[0],
        re.findall(r"deltaresolver: \[(.*)\]", page),
    )
    releases = [int(second) for second in re.findall(r'"0\.(\d+)"', listed)]
    assert len(releases) >= 3
    assert all(int(least) <= one < int(below) for one in releases)
