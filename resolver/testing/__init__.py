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
    from deltaresolver.testing.other_kits import check_audit_rules as check_audit_rules
    from deltaresolver.testing.other_kits import check_clients as check_clients
    from deltaresolver.testing.other_kits import check_hooks as check_hooks
    from deltaresolver.testing.other_kits import check_policies as check_policies
    from deltaresolver.testing.other_kits import check_profiles as check_profiles

_HOME_OF = {
    "ConformanceReport": "deltaresolver.testing.conformance.report",
    "Failure": "deltaresolver.testing.conformance.report",
    "check_feature": "deltaresolver.testing.kit",
    "check_audit_rules": "deltaresolver.testing.other_kits",
    "check_clients": "deltaresolver.testing.other_kits",
    "check_hooks": "deltaresolver.testing.other_kits",
    "check_policies": "deltaresolver.testing.other_kits",
    "check_profiles": "deltaresolver.testing.other_kits",
    "run_resolver": "deltaresolver.testing.conformance.resolver",
    "run_tables": "deltaresolver.testing.conformance.tables",
}

__all__ = list(_HOME_OF)

__getattr__, __dir__ = load_on_use(globals(), _HOME_OF)
