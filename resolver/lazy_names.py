"""Public names of a package that load their own part of it when they are first used, and no more.

    with LazyNames(globals()) as public:
        from package.part import name as name

    __all__ = public.names
    __getattr__, __dir__ = public.load, public.known

The imports in the block are noted and not carried out. To a type checker, an editor and import-linter they are imports
like any other, so that each name is written down once.
"""

from __future__ import annotations

import builtins
import importlib
from _thread import allocate_lock
from collections.abc import Mapping, Sequence
from typing import Any, Self

_ONE_AT_A_TIME = allocate_lock()


class LazyNames:
    """The names that a package imports in the block of this."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._homes: dict[str, _Origin] = {}

    def __enter__(self) -> Self:
        _ONE_AT_A_TIME.acquire()
        self._import = builtins.__import__
        builtins.__import__ = self._noted
        return self

    def __exit__(self, *_: object) -> None:
        builtins.__import__ = self._import
        _ONE_AT_A_TIME.release()
        self._homes = {name: value for name, value in self._namespace.items() if isinstance(value, _Origin)}
        for name in self._homes:
            del self._namespace[name]

    def _noted(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - as Python calls it
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """In place of `__import__`: imports of other modules, in other threads, are carried out."""
        if globals is not self._namespace:
            return self._import(name, globals, locals, fromlist or (), level)
        return _Module(name)

    @property
    def names(self) -> list[str]:
        """The names, sorted."""
        return sorted(self._homes)

    def home(self, name: str) -> str | None:
        """The module that a name comes from; None for other names."""
        origin = self._homes.get(name)
        return None if origin is None else origin.module

    def load(self, name: str) -> Any:
        """What the name stands for, which stays among the globals of the package from then on."""
        origin = self._homes.get(name)
        if origin is None:
            message = f"module {self._namespace['__name__']!r} has no attribute {name!r}"
            raise AttributeError(message)
        value = getattr(importlib.import_module(origin.module), origin.name)
        # A package of this name is among the globals by now, and stays: it is what `import` expects there.
        return self._namespace.setdefault(name, value)

    def known(self) -> list[str]:
        """What `dir` shows of the package."""
        return sorted({*self._namespace, *self._homes})


class _Origin:
    """Where a name comes from."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name


class _Module:
    """In place of a module whose names are noted."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> _Origin:
        return _Origin(self._name, name)
