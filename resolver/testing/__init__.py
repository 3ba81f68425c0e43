"""Public kits: what a feature of your own must pass, and the conformance runners.

Names load what they need when first used, so that the pytest plugin costs a test run nothing until asked.
`deltaresolver.testing.strategies` needs hypothesis; nothing else here does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.lazy_names import load_on_use

if TYPE_CHECKING:
    from deltaresolver.testing.conformance.report import ConformanceReport as ConformanceReport
    from deltaresolver.testing.conformance.report import Failure as Failure
    from deltaresolver.testing.conformance.resolver import run_resolver as run_resolver
    from deltaresolver.testing.conformance.tables import run_tables as run_tables
    from deltaresolver.testing.kit import check_feature as check_feature

_HOME_OF = {
    "ConformanceReport": "deltaresolver.testing.conformance.report",
    "Failure": "deltaresolver.testing.conformance.report",
    "check_feature": "deltaresolver.testing.kit",
    "run_resolver": "deltaresolver.testing.conformance.resolver",
    "run_tables": "deltaresolver.testing.conformance.tables",
}

__all__ = list(_HOME_OF)

__getattr__, __dir__ = load_on_use(globals(), _HOME_OF)
