"""deltaresolver: why a Delta table needs its protocol, who breaks if it changes, and how to get back.

    import deltaresolver as dr

Every name below loads its own part of the library when it is first used, and no more: importing the
package costs next to nothing and needs neither Spark nor Arrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.lazy_names import load_on_use

if TYPE_CHECKING:
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

# A public name is one line here and one above, for type checkers; tests/house holds the two together.
_HOME_OF = {
    "CreateMode": "deltaresolver.transaction.create.create_mode",
    "DeltaResolverError": "deltaresolver.errors",
    "FeatureCatalog": "deltaresolver.model.catalog",
    "Metadata": "deltaresolver.model.metadata",
    "Policy": "deltaresolver.resolution.resolution",
    "Protocol": "deltaresolver.model.protocol",
    "Resolution": "deltaresolver.resolution.resolution",
    "Table": "deltaresolver.table",
    "TableFeature": "deltaresolver.model.feature",
    "__version__": "deltaresolver.version",
    "apply_plan": "deltaresolver.planning.apply",
    "audit": "deltaresolver.audit.from_python",
    "default_catalog": "deltaresolver.defaults",
    "delta_spark_catalog": "deltaresolver.defaults",
    "impact": "deltaresolver.planning.table_impact",
    "plan": "deltaresolver.planning.plan",
    "resolve_new_table": "deltaresolver.defaults",
    "resolve_upgrade": "deltaresolver.defaults",
}

__all__ = list(_HOME_OF)

__getattr__, __dir__ = load_on_use(globals(), _HOME_OF)
