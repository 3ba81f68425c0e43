"""Whether a package that cannot be used brings, or may bring, a commit policy."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from pathlib import Path

from deltaresolver.plugins.asking import Plugin
from deltaresolver.plugins.exclusion import normal_name
from deltaresolver.plugins.hook_versions import implemented
from deltaresolver.plugins.offered import Offer, offers_of_packages

POLICY = "commit_policy"
ALIKE = 0.8
"""The similarity from which a hook's name counts as a misspelling of the hook for policies."""

_FUNCTION = r"\bdef\s+(\w+)|\bspecname\s*=\s*[\"'](\w+)[\"']"


def may_guard(package: str, plugins: Iterable[Plugin]) -> bool:
    """Whether a package brings a policy; True also where that cannot be found out."""
    imported = [plugin for plugin in plugins if plugin.source.package == package]
    if any(_is_policy(name) for plugin in imported for name in implemented(plugin.hooks)):
        return True
    known = {plugin.source.plugin for plugin in imported}
    return any(
        _source_may_guard(entry)
        for entry in offers_of_packages()
        if normal_name(entry.package) == normal_name(package) and entry.name not in known
    )


def _is_policy(name: str) -> bool:
    return bool(difflib.get_close_matches(name, [POLICY], cutoff=ALIKE))


def _source_may_guard(entry: Offer) -> bool:
    """Whether the source of a module that was not imported has the hook; True where the source is missing."""
    files = list(_sources(entry.module))
    if not files:
        return True
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        if any(_is_policy(name) for found in re.findall(_FUNCTION, text) for name in found if name):
            return True
    return False


def _sources(module: str) -> Iterator[Path]:
    """The Python files of the package that a module is in. Nothing is imported."""
    spec = PathFinder.find_spec(module.partition(".")[0])
    if spec is None:
        return
    for folder in spec.submodule_search_locations or ():
        yield from Path(folder).rglob("*.py")
    if spec.submodule_search_locations is None and spec.origin is not None and spec.origin.endswith(".py"):
        yield Path(spec.origin)
