"""Public kits: what a feature of your own must pass, and the conformance runners.

Names load what they need when first used, so that the pytest plugin costs a test run nothing until asked.
`deltaresolver.testing.strategies` needs hypothesis; nothing else here does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deltaresolver.testing.kit import check_feature as check_feature
    from deltaresolver.testing.report import ConformanceReport as ConformanceReport
    from deltaresolver.testing.report import Failure as Failure
    from deltaresolver.testing.resolver_conformance import run_resolver as run_resolver
    from deltaresolver.testing.tables_conformance import run_tables as run_tables

_HOME_OF = {
    "ConformanceReport": "deltaresolver.testing.report",
    "Failure": "deltaresolver.testing.report",
    "check_feature": "deltaresolver.testing.kit",
    "run_resolver": "deltaresolver.testing.resolver_conformance",
    "run_tables": "deltaresolver.testing.tables_conformance",
}

__all__ = list(_HOME_OF)


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
