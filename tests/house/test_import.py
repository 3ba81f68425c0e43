"""`import deltaresolver` is cheap, and every name it offers exists."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import deltaresolver

BUDGET_MS = 150
HEAVY = ("pyspark", "networkx", "pyarrow", "pandas", "numpy", "click", "rich", "obstore")

PROBE = """
import sys, time
before = time.perf_counter()
import deltaresolver
spent = (time.perf_counter() - before) * 1000
import json
print(json.dumps({"spent": spent, "modules": sorted(sys.modules)}))
"""


def import_in_a_fresh_process() -> tuple[float, set[str]]:
    """Milliseconds taken by the import, and what it loaded."""
    done = subprocess.run([sys.executable, "-c", PROBE], check=True, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    return answer["spent"], set(answer["modules"])


def test_import_loads_nothing_heavy() -> None:
    _, modules = import_in_a_fresh_process()
    assert modules.isdisjoint(HEAVY)


def test_import_is_within_its_budget() -> None:
    # The best of several, because the machine may be busy with something else.
    assert min(import_in_a_fresh_process()[0] for _ in range(5)) < BUDGET_MS


def test_public_names_are_sorted() -> None:
    assert deltaresolver.__all__ == sorted(set(deltaresolver.__all__))


@pytest.mark.parametrize("name", deltaresolver.__all__)
def test_every_public_name_resolves(name: str) -> None:
    value = getattr(deltaresolver, name)
    # `audit` is a package that can be called, whose own name has its parent's before it.
    assert getattr(value, "__name__", name).removeprefix("deltaresolver.") == name
    assert name in dir(deltaresolver)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(deltaresolver, "no_such_name")  # noqa: B009 - a type checker would rightly object


def test_type_checkers_see_the_same_names_from_the_same_homes(root: Path) -> None:
    tree = ast.parse((root / "resolver" / "__init__.py").read_text(encoding="utf-8"))
    typed = {
        alias.asname: (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.With)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(typed, key=str) == deltaresolver.__all__
    for name, (module, original) in typed.items():
        assert module is not None
        home, found = getattr(importlib.import_module(module), original), getattr(deltaresolver, str(name))
        if isinstance(found, ModuleType):  # a package that can be called: it passes its arguments on
            assert inspect.signature(found) == inspect.signature(home)  # type: ignore[arg-type]
        else:
            assert found is home
