"""deltaresolver: why a Delta table needs its protocol, who breaks if it changes, and how to get back.

    import deltaresolver as dr

Every name below loads its own part of the library when it is first used, and no more: importing the
package costs next to nothing and needs neither Spark nor Arrow.
"""

from __future__ import annotations

from deltaresolver.lazy_names import LazyNames

with LazyNames(globals()) as _public:
    from deltaresolver.audit.from_python import audit as audit
    from deltaresolver.defaults import default_catalog as default_catalog
    from deltaresolver.defaults import delta_spark_catalog as delta_spark_catalog
    from deltaresolver.defaults import resolve_new_table as resolve_new_table
    from deltaresolver.defaults import resolve_upgrade as resolve_upgrade
    from deltaresolver.errors import DeltaResolverError as DeltaResolverError
    from deltaresolver.model.catalog import FeatureCatalog as FeatureCatalog
    from deltaresolver.model.feature import TableFeature as TableFeature
    from deltaresolver.model.metadata import Metadata as Metadata
    from deltaresolver.model.protocol import Protocol as Protocol
    from deltaresolver.planning.apply import apply_plan as apply_plan
    from deltaresolver.planning.plan import plan as plan
    from deltaresolver.planning.table_impact import impact as impact
    from deltaresolver.resolution.resolution import Policy as Policy
    from deltaresolver.resolution.resolution import Resolution as Resolution
    from deltaresolver.table import Table as Table
    from deltaresolver.transaction.create.create_mode import CreateMode as CreateMode
    from deltaresolver.version import __version__ as __version__

__all__ = list(_public.names)

__getattr__, __dir__ = _public.load, _public.known
