"""Pages of the reference for Python: a directive for each public name, which the site fills from the docstrings."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import GenericAlias, UnionType

from deltaresolver.lazy_names import LazyNames

FOLDER = Path("docs/reference/python")
MODULES = {
    "deltaresolver": "All that most programs need: tables, protocols, plans. No Spark.",
    "deltaresolver.spark": "Reading, writing and changing tables from PySpark.",
    "deltaresolver.actions": "What the author of a commit imports.",
    "deltaresolver.plugin": "What the author of a plugin imports; [the guide](../../extending.md) shows it in use.",
    "deltaresolver.testing": "Kits for tests of plugins.",
}
"""The public modules; what is not in one of them may change in any release."""


def pages() -> Iterator[tuple[Path, str]]:
    """Every page by its path."""
    yield FOLDER / "README.md", "\n".join(_overview()) + "\n"
    for module in MODULES:
        yield FOLDER / f"{module}.md", "\n".join(_page(module)) + "\n"


def public_names(module: str) -> list[str]:
    """What a module exports, without what is no object of its own."""
    return sorted((name for name in importlib.import_module(module).__all__ if not name.startswith("_")), key=str.lower)


def _overview() -> Iterator[str]:
    yield from ("# Python API", "", "The public modules. What is in none of them may change in any release.", "")
    yield "In the site, each name comes with its signature and docstring; in a clone, `help()` prints the same."
    yield from ("", "| module | |", "|---|---|")
    yield from (f"| [{module}]({module}.md) | {text} |" for module, text in MODULES.items())


def _page(module: str) -> Iterator[str]:
    yield from (f"# {module}", "", "[All modules](README.md)", "", MODULES[module])
    homes = {name: _home(module, name) for name in public_names(module)}
    elsewhere = []
    for name, home in homes.items():
        if home is None:
            continue
        first = _first_page()[f"{home}.{name}"]
        if first == module:
            yield from ("", f"::: {home}.{name}")
        else:
            elsewhere.append(f"[{name}]({first}.md#{home}.{name})")
    if elsewhere:
        yield from ("", "## Also here", "", ", ".join(elsewhere) + ".")
    values = [name for name, home in homes.items() if home is None]
    if values:
        yield from ("", "## Values", "", "| name | is |", "|---|---|")
        yield from (f"| `{name}` | {_kind(getattr(importlib.import_module(module), name))} |" for name in values)


@cache
def _first_page() -> dict[str, str]:
    """The module on whose page a thing is described, by the path under which it is defined: one place for each."""
    found: dict[str, str] = {}
    for module in MODULES:
        for name in public_names(module):
            found.setdefault(f"{_home(module, name)}.{name}", module)
    return found


def _home(module: str, name: str) -> str | None:
    """The module whose source defines a class or function, for names are passed on; None for other values."""
    exporting = importlib.import_module(module)
    lazily: LazyNames | None = getattr(exporting, "_public", None)
    if lazily is not None and lazily.home(name) is not None:
        return lazily.home(name)
    value = getattr(exporting, name)
    if not inspect.isclass(value) and not inspect.isfunction(value):
        return None
    return value.__module__ if value.__module__.startswith("deltaresolver") else None


def _kind(value: object) -> str:
    if isinstance(value, UnionType):
        return "one of " + ", ".join(f"`{each.__name__}`" for each in value.__args__)
    if isinstance(value, GenericAlias):
        return f"`{value}`"
    return f"a `{type(value).__name__}`"
