"""Audit a lake: one report for thousands of tables.

    deltaresolver.audit("/lake", "trino@468").head.cards

The package is also a function; `help(deltaresolver.audit.from_python.audit)` describes it. Importing anything in it
makes `deltaresolver.audit` stand for the package, so whether a plain function of that name could be called would
depend on what was imported before.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    """The package, which audits when it is called."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Audit a lake: see `deltaresolver.audit.from_python.audit`."""
        return _function()(*arguments, **named)

    @property
    def __signature__(self) -> inspect.Signature:
        """For `help` and editors."""
        return inspect.signature(_function())


def _function() -> Any:
    from deltaresolver.audit.from_python import audit  # noqa: PLC0415 - every import of a part passes by here

    return audit


sys.modules[__name__].__class__ = _CallablePackage
