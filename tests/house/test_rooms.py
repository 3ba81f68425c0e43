"""Folders are not crowded, and no import is hidden from tools."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE_FOLDERS = ("resolver", "features", "plugins")
MAX_MODULES = 22
"""In one folder. Folders with one file for each thing of a kind may hold more."""
ONE_FILE_EACH = {"features", "resolver/audit/rules"}


def source_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Every module of the library with its place; links made by script/bootstrap are not followed."""
    for folder in SOURCE_FOLDERS:
        for file in sorted((root / folder).rglob("*.py")):
            place = file.relative_to(root)
            if not any((root / part).is_symlink() for part in place.parents if part.name):
                yield place.as_posix(), file


@cache
def source_trees(root: Path) -> tuple[tuple[str, ast.Module], ...]:
    """Every module with its place, parsed. Several tests look at them, and none may change them."""
    return tuple((place, ast.parse(file.read_text(encoding="utf-8"))) for place, file in source_files(root))


def imports_by_string(tree: ast.AST) -> Iterator[int]:
    """Lines that import a module of ours by a text, which neither mypy nor import-linter can see."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = node.args[0]
            is_import = called in ("import_module", "__import__") and isinstance(given, ast.Constant)
            if is_import and str(ast.literal_eval(given)).startswith("deltaresolver"):
                yield node.lineno


def crowded(places: list[str]) -> dict[str, int]:
    """Folders with more modules than a newcomer reads through, and how many they hold."""
    folders = Counter(place.rpartition("/")[0] for place in places)
    return {name: count for name, count in folders.items() if count > MAX_MODULES and name not in ONE_FILE_EACH}


def test_no_folder_is_crowded(root: Path) -> None:
    assert crowded([place for place, _ in source_files(root)]) == {}


def test_no_module_of_the_library_is_imported_by_a_string(root: Path) -> None:
    found = [f"{place}:{line}" for place, tree in source_trees(root) for line in imports_by_string(tree)]
    assert found == []


def test_a_planted_import_by_a_string_is_found() -> None:
    assert list(imports_by_string(ast.parse("x = importlib.import_module('deltaresolver.table')")))
    assert not list(imports_by_string(ast.parse("x = importlib.import_module(name)")))


def test_a_crowded_folder_is_found() -> None:
    assert crowded([f"resolver/log/{number}.py" for number in range(MAX_MODULES + 1)]) == {"resolver/log": 23}
