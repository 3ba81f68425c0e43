"""Installed packages that the user leaves out; nothing of them is imported."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import TypeVar

from deltaresolver.errors import PluginUnknownError
from deltaresolver.plugins.offered import OWN, offers_of_packages

WITHOUT = "DELTARESOLVER_WITHOUT_PLUGINS"
"""The environment variable that names packages to leave out, with commas between them."""

T = TypeVar("T")
R = TypeVar("R")

_chosen: ContextVar[frozenset[str]] = ContextVar("without_plugins", default=frozenset())


def normal_name(package: str) -> str:
    """A package's name in the normal form that package indexes compare."""
    return re.sub(r"[-_.]+", "-", package.strip()).lower()


def left_out() -> frozenset[str]:
    """The packages left out at the moment, by the environment or by `leaving_out`, in normal form."""
    named = os.environ.get(WITHOUT, "").split(",")
    return _chosen.get() | {normal_name(name) for name in named if name.strip()}


def packages_named(names: Iterable[str]) -> frozenset[str]:
    """Names of packages with plugins, in normal form. Raises `PluginUnknownError` for one that is not installed.

    The environment variable is not checked like this: it may name packages that only other machines have.
    """
    wanted = {normal_name(name): name for name in ([names] if isinstance(names, str) else names)}
    installed = installed_packages() if wanted else frozenset()
    for normal, name in sorted(wanted.items()):
        if normal not in installed:
            import difflib

            near = difflib.get_close_matches(normal, sorted(installed), n=1)
            known = ", ".join(sorted(installed)) or "none"
            raise PluginUnknownError(
                f"No package with plugins is called {name!r}{f' (did you mean {near[0]}?)' if near else ''}.",
                fix=f"Name a package that `deltaresolver plugins` lists; installed: {known}.",
                details={"package": name, "installed": sorted(installed)},
            )
    return frozenset(wanted)


def installed_packages() -> frozenset[str]:
    """The installed packages with plugins, in normal form. Nothing of them is imported."""
    return frozenset(normal_name(entry.package) for entry in offers_of_packages()) - {OWN}


def in_threads(function: Callable[[T], R]) -> Callable[[T], R]:
    """The same function for threads of a pool, which do not inherit the packages that `leaving_out` leaves out."""
    chosen = _chosen.get()

    def run(argument: T) -> R:
        with leaving_out(chosen):
            return function(argument)

    return run


@contextlib.contextmanager
def leaving_out(packages: frozenset[str]) -> Iterator[None]:
    """Leave out these packages, in normal form, and those left out already, until the block ends."""
    token = _chosen.set(_chosen.get() | packages)
    try:
        yield
    finally:
        _chosen.reset(token)
