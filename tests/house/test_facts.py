"""Each fact of the Delta format has one home: no key of a property or of a field is written in many files."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from deltaresolver.model.facts import keys
from tests.house.test_rooms import source_trees

HOME = "resolver/model/facts/keys.py"
MAX_FILES = 2
"""That may spell a key: its home, and one with a reason of its own. A file of `features/` owns what it spells."""
NO_KEYS = {"delta.tables"}
"""A module of delta-spark."""
_KEY = re.compile(r"(?<![\w.])delta\.[a-z]\w*(?:\.\w+)*")


def texts(tree: ast.AST) -> Iterator[str]:
    """The texts of a module. Its documentation may name what it likes."""
    nodes = list(ast.walk(tree))
    documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def spelt(tree: ast.AST) -> set[str]:
    """The keys in the texts of a module."""
    return {key for text in texts(tree) for key in _KEY.findall(text)} - NO_KEYS


def without_home(files: Iterable[tuple[str, ast.AST]]) -> Mapping[str, list[str]]:
    """Keys that more files outside `features/` spell than may, each with those files."""
    found: dict[str, list[str]] = defaultdict(list)
    for place, tree in files:
        if not place.startswith("features/"):
            for key in spelt(tree):
                found[key].append(place)
    return {key: sorted(places) for key, places in found.items() if len(places) > MAX_FILES}


def test_no_key_is_spelt_in_many_files(root: Path) -> None:
    assert without_home(source_trees(root)) == {}


def test_a_key_with_a_home_is_spelt_there_alone(root: Path) -> None:
    homed = {value for name, value in vars(keys).items() if name.isupper() and isinstance(value, str)}
    assert len(homed) > 10
    found = {
        (place, node.value)
        for place, tree in source_trees(root)
        if place != HOME
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in homed
    }
    assert found == set()


def test_a_key_in_a_third_file_is_found() -> None:
    code = ast.parse('"""About delta.other."""\nfix = f"Set delta.made.up to {value}."')
    assert without_home([("resolver/a.py", code), ("resolver/b.py", code), ("features/c.py", code)]) == {}
    assert list(without_home([(f"resolver/{name}.py", code) for name in "abc"])) == ["delta.made.up"]
