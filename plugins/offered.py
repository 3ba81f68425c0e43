"""The entry points by which installed packages offer plugins.

Most machines have no package with plugins but this one, and every command looks for them at its start. So the metadata
of packages is first searched for the name of the group. Only where another package has it, or where packages may be
elsewhere than in folders, is it read by `importlib.metadata`, which loads some forty modules.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.plugins import hookspecs
from deltaresolver.value import Value

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OWN = "deltaresolver"
_OWN_FOLDER = re.compile(rf"{OWN}(-[0-9][^-]*(-py[0-9.]+)?)?\.(dist|egg)-info")
"""Our own metadata, installed and in a source tree. `deltaresolver-acme-1.0.dist-info` is somebody else's."""


@attrs.frozen(slots=True)
class Offer(Value):
    """One entry point of our group: a package, and the module or object it names as its plugin."""

    name: str
    value: str
    package: str
    _entry: EntryPoint | None = attrs.field(default=None, repr=False, eq=False)
    fault: str = attrs.field(default="", kw_only=True)
    """Why nothing can be imported: the package's metadata is invalid. Empty for a valid entry point."""

    @property
    def module(self) -> str:
        """The module that has to be imported."""
        if self.fault or self._entry is None:
            return self.value.partition(":")[0].strip()
        return self._entry.module

    def load(self) -> Any:
        """Import the plugin. Raises whatever the module raises, and `ValueError` for an invalid entry point."""
        if self.fault:
            raise ValueError(self.fault)
        return import_module(self.module) if self._entry is None else self._entry.load()


def offers_of_packages() -> tuple[Offer, ...]:
    """Every entry point of our group, in the order in which packages are found. Nothing of them is imported."""
    own = _own_if_alone()
    if own is not None:
        return own
    # Imported here, because most machines have no other package with plugins.
    from deltaresolver.plugins.strangers.foreign_metadata import foreign_offers

    return foreign_offers()


def _own_if_alone() -> tuple[Offer, ...] | None:
    """Our own entry points, if it is certain that no other package has any; else None."""
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return None
    own: tuple[Offer, ...] | None = None
    group = hookspecs.ENTRY_POINT_GROUP.encode()
    try:
        for name, text in _declared():
            if group not in text:
                continue
            found = _parsed(text.decode()) if _OWN_FOLDER.fullmatch(name.lower()) else None
            if found is None:
                return None
            own = found if own is None else own
    except (OSError, UnicodeDecodeError, _ElsewhereError):
        return None
    return own or ()


class _ElsewhereError(Exception):
    """Packages may be in places that are not searched here."""


def _declared() -> Iterator[tuple[str, bytes]]:
    """The folder name and the entry points file of every package with one. Raises `_ElsewhereError`, `OSError`."""
    for entry in sys.path:
        try:
            with os.scandir(entry or ".") as found:
                names = [one.name for one in found if one.name.lower().endswith((".dist-info", ".egg-info"))]
        except FileNotFoundError:
            continue
        if str(entry).lower().endswith(".egg"):
            raise _ElsewhereError(entry)
        for name in names:
            try:
                # Without `Path`: every command does this for every package, and making one takes longer than opening.
                with open(os.path.join(entry, name, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123
                    text = file.read()
            except (FileNotFoundError, NotADirectoryError):
                continue
            yield name, text


def _parsed(text: str) -> tuple[Offer, ...] | None:
    """The entries of our group in a file in the form that setuptools writes; None for another form."""
    found, is_ours = [], False
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("["):
            is_ours = line == f"[{hookspecs.ENTRY_POINT_GROUP}]"
        elif is_ours:
            name, equals, value = (part.strip() for part in line.partition("="))
            if not equals or not value.replace(".", "_").isidentifier():
                return None
            found.append(Offer(name, value, OWN))
    return tuple(found)
