"""What authors of plugins were promised to find is there: each name, field and parameter of the three public modules.

`RENEW_SNAPSHOTS=1` writes the list anew. A line that is removed breaks a promise: announce it a release before. What is
new is promised from the day it is in the list.
"""

from __future__ import annotations

import enum
import inspect
import os
from collections.abc import Iterator
from pathlib import Path

import attrs

from deltaresolver import actions, plugin, testing
from deltaresolver.plugins import HOOKS

SURFACE = Path(__file__).with_name("plugin_surface.txt")


def lines() -> Iterator[str]:
    yield from (f"hook {name}" for name in sorted(HOOKS))
    for module in (plugin, actions, testing):
        for name in sorted(module.__all__):
            thing = getattr(module, name)
            yield from _shown(f"{module.__name__}.{name}", thing)
            if isinstance(thing, type):
                yield from _members(f"{module.__name__}.{name}", thing)


def _members(where: str, kind: type) -> Iterator[str]:
    if issubclass(kind, enum.Enum):
        yield from (f"{where}.{member.name}" for member in kind)
        return
    fields = {field.name for field in attrs.fields(kind)} if attrs.has(kind) else set()
    for name in sorted(name for name in dir(kind) if not name.startswith("_")):
        if name in fields or not hasattr(Exception, name):
            member = None if name in fields else inspect.getattr_static(kind, name)
            yield from _shown(f"{where}.{name}", member, written_by_authors=getattr(kind, "_is_protocol", False))


def _shown(where: str, thing: object, *, written_by_authors: bool = False) -> Iterator[str]:
    """What callers count on: what they must give, and what they may. Authors write the methods of protocols."""
    signature = _signature(thing)
    required = [name for name, one in signature.items() if one.default is one.empty]
    yield f"{where}({', '.join(required)})" if callable(thing) and not isinstance(thing, enum.EnumMeta) else where
    if not written_by_authors:
        yield from (f"{where}({name}=...)" for name in sorted(set(signature) - set(required)))


def _signature(thing: object) -> dict[str, inspect.Parameter]:
    if not callable(thing) or isinstance(thing, enum.EnumMeta) or getattr(thing, "_is_protocol", False):
        return {}
    try:
        return dict(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return {}


def test_nothing_that_was_promised_is_gone() -> None:
    if os.environ.get("RENEW_SNAPSHOTS") == "1":
        SURFACE.write_text("".join(f"{line}\n" for line in lines()), encoding="utf-8")
    gone = set(SURFACE.read_text(encoding="utf-8").splitlines()) - set(lines())
    assert sorted(gone) == []
