"""Public names of a package that load their own part of it when they are first used, and no more."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def load_on_use(
    namespace: dict[str, Any], home_of: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of the package with these globals.

    `home_of` names the module that each public name comes from; a name once loaded stays among the globals.
    """

    def load(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            message = f"module {namespace['__name__']!r} has no attribute {name!r}"
            raise AttributeError(message)
        value = getattr(importlib.import_module(home), name)
        # A package of this name is among the globals by now, and stays: it is what `import` expects there.
        return namespace.setdefault(name, value)

    def names() -> list[str]:
        return sorted({*namespace, *home_of})

    return load, names
