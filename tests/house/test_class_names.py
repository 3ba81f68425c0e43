"""A public class has a name of its own: a name in a message or a signature leads to one place."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.house.test_rooms import source_trees


def shared(modules: Iterable[tuple[str, ast.Module]]) -> Mapping[str, list[str]]:
    """Names of public classes that several modules define, with those modules."""
    found: dict[str, list[str]] = defaultdict(list)
    for place, tree in modules:
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(place)
    return {name: places for name, places in found.items() if len(places) > 1}


def test_no_two_public_classes_share_a_name(root: Path) -> None:
    assert shared(source_trees(root)) == {}


def test_a_shared_name_is_found() -> None:
    one = ast.parse("class Step: ...")
    assert shared([("a.py", one), ("b.py", one)]) == {"Step": ["a.py", "b.py"]}
