"""What is done with a feature stands in its own file: no list of feature names outside `features/`."""

from __future__ import annotations

import ast
from pathlib import Path

from deltaresolver.defaults import built_in_catalog

NAMES = built_in_catalog().names
ELSEWHERE = {"features", "plugins", "testing"}
"""Two may be links to folders beside; `testing` asks questions about features by name, as demos show tables of them."""


def lists_of_names(tree: ast.AST) -> list[int]:
    """The lines of collections that hold two names of features or more, as items or as keys."""
    found = []
    for node in ast.walk(tree):
        items = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
        held = {item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)}
        if len(held & NAMES) > 1:
            found.append(getattr(node, "lineno", 0))
    return found


def test_no_list_of_feature_names_outside_features(root: Path) -> None:
    own = [path for path in (root / "resolver").rglob("*.py") if path.relative_to(root).parts[1] not in ELSEWHERE]
    files = [*own, *(root / "plugins").rglob("*.py")]
    assert len(files) > 100
    found = {
        f"{path.relative_to(root)}:{line}"
        for path in files
        if "demo" not in path.stem
        for line in lists_of_names(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()
