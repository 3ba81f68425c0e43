"""Everything public says what it does."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

import pytest

import deltaresolver

RUNS_WHEN_IMPORTED = ("__main__",)


def module_names() -> list[str]:
    """Every module of the library."""
    below = pkgutil.walk_packages(deltaresolver.__path__, "deltaresolver.")
    return ["deltaresolver", *(each.name for each in below if each.name.split(".")[-1] not in RUNS_WHEN_IMPORTED)]


def public_things(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The public classes and functions a module defines."""
    for name, value in vars(module).items():
        defined_here = getattr(value, "__module__", None) == module.__name__
        if not name.startswith("_") and defined_here and (inspect.isclass(value) or inspect.isfunction(value)):
            yield name, value


def public_methods(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties a class defines itself."""
    for name, value in vars(kind).items():
        if isinstance(value, property):
            value = value.fget  # noqa: PLW2901 - what the property runs
        elif isinstance(value, classmethod | staticmethod):
            value = value.__func__  # noqa: PLW2901 - what the method runs
        # Generated methods (attrs) have no file of ours.
        if not name.startswith("_") and inspect.isfunction(value) and value.__code__.co_filename.endswith(".py"):
            yield name, value


@cache
def interfaces() -> list[type]:
    """The typing protocols of the library: whoever implements one need not repeat its docstrings."""
    found = []
    for module_name in module_names():
        for _, value in public_things(importlib.import_module(module_name)):
            if inspect.isclass(value) and getattr(value, "_is_protocol", False):
                found.append(value)
    return found


def rests_on_an_interface(kind: type, method: str) -> bool:
    """Whether a base class, or a protocol the class fulfils, documents the method."""
    inherited = any(getattr(vars(base).get(method), "__doc__", None) for base in kind.__mro__[1:])
    return inherited or any(
        getattr(vars(interface).get(method), "__doc__", None)
        and all(hasattr(kind, name) for name in vars(interface) if not name.startswith("_"))
        for interface in interfaces()
    )


@pytest.mark.parametrize("module_name", module_names())
def test_everything_public_has_a_docstring(module_name: str) -> None:
    module = importlib.import_module(module_name)
    missing = [] if module.__doc__ else [module_name]
    for name, value in public_things(module):
        # attrs and dataclasses write a signature where a docstring is missing.
        if not value.__doc__ or value.__doc__.startswith(f"{name}("):
            missing.append(f"{module_name}.{name}")
        if inspect.isclass(value):
            missing += [
                f"{module_name}.{name}.{method}"
                for method, function in public_methods(value)
                if not function.__doc__ and not rests_on_an_interface(value, method)
            ]
    assert missing == []
