"""The version of the hooks that a plugin was written for, and the changes since.

A plugin states it as `DELTARESOLVER_HOOKS = 1` in its module. The version is raised when code that implements a hook,
or uses values of this library, has to change. It is not raised for a new hook, a new field with a default or a new
capability.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

from deltaresolver.plugins import hookspecs
from deltaresolver.plugins.guard import PluginSource
from deltaresolver.plugins.offered import OWN
from deltaresolver.plugins.problems import Problem

VERSION = 1
"""The version of the hooks of this release."""
STATED = "DELTARESOLVER_HOOKS"
"""The name under which a module states the version it was written for; version 1 where it states none."""
CHANGES: Mapping[int, Mapping[str, str]] = {}
"""For each version after the first and each hook, a sentence about what its implementations have to change."""

logger = logging.getLogger("deltaresolver.plugins")
_noted: set[str] = set()


def version_of(hooks: object) -> object:
    """The value that a plugin states; it may be no version, see `version_problem`."""
    return getattr(hooks, STATED, 1)


def version_problem(hooks: object, source: PluginSource) -> Problem | None:
    """Why this release cannot call a plugin; None where it can."""
    if source.package == OWN:
        return None  # built-in plugins have no version of their own
    stated = version_of(hooks)
    if type(stated) is not int or stated < 1:
        message = f"{STATED} is {stated!r}, which is not a version of the hooks."
        return Problem("bad version", source, message, f"Write a whole number from 1 to {VERSION}.")
    if stated <= VERSION:
        return None
    message = (
        f"it was written for version {stated} of the hooks, and this release of deltaresolver has version {VERSION}."
    )
    return Problem(
        "later hooks", source, message, "Upgrade deltaresolver, or install an earlier release of the package."
    )


def notes(hooks: object) -> Iterator[str]:
    """Notes for the author of a working plugin: changes since its version, and things that will be removed."""
    stated = version_of(hooks)
    own = sorted(implemented(hooks))
    for version, changes in sorted(CHANGES.items()):
        if isinstance(stated, int) and version > stated:
            yield from (
                f"It was written for version {stated} of the hooks. Since version {version}, {hook}: {changes[hook]}"
                for hook in own
                if hook in changes
            )
    for hook in own:
        options = getattr(getattr(hookspecs, hook, None), f"{hookspecs.PROJECT}_spec", None) or {}
        if options.get("warn_on_impl"):
            yield f"It implements {hook}: {options['warn_on_impl']}"


def warn(hooks: object, source: PluginSource) -> None:
    """Log the notes about a plugin of another package, once in a process."""
    for note in notes(hooks) if source.package != OWN else ():
        if f"{source} {note}" not in _noted:
            _noted.add(f"{source} {note}")
            logger.warning("%s: %s", source, note)


def implemented(hooks: object) -> Iterator[str]:
    """The names of hooks that a module or an object implements, misspelt ones included."""
    for name in dir(hooks):
        options = getattr(getattr(hooks, name, None), f"{hookspecs.PROJECT}_impl", None)
        if isinstance(options, dict):
            yield str(options.get("specname") or name)
