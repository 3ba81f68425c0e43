"""Public kits: the checks for a feature of your own, and the conformance runners.

Names are imported when first used, so that the pytest plugin does not slow down a test run that does not use it.
`deltaresolver.testing.strategies` needs hypothesis; nothing else here does.
"""

from __future__ import annotations

from deltaresolver.lazy_names import LazyNames

with LazyNames(globals()) as _public:
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

__all__ = list(_public.names)

__getattr__, __dir__ = _public.load, _public.known
