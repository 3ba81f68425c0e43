"""What is done with a feature is written in its own file: no list of feature names outside `features/`."""

from __future__ import annotations

import ast
from pathlib import Path

from deltaresolver.defaults import built_in_catalog
from tests.house.test_rooms import source_trees

NAMES = built_in_catalog().names
BY_NAME = "testing"
"""Asks questions about features by name, as demos show tables of them."""


def lists_of_names(tree: ast.AST) -> list[int]:
    """The lines of collections that hold two names of features or more, as items or as keys."""
    found = []
    for node in ast.walk(tree):
        items = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
        held = {item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)}
        if len(held & NAMES) > 1:
            found.append(getattr(node, "lineno", 0))
    return found


def is_elsewhere(place: Path) -> bool:
    """Whether a module has to know features by their declarations alone."""
    return place.parts[0] != "features" and place.parts[1] != BY_NAME and "demo" not in place.stem


def test_no_list_of_feature_names_outside_features(root: Path) -> None:
    trees = [(place, tree) for place, tree in source_trees(root) if is_elsewhere(Path(place))]
    assert len(trees) > 100
    found = {f"{place}:{line}" for place, tree in trees for line in lists_of_names(tree)}
    assert found == set()
