"""The one place that joins built-in features, installed plugins and the resolver for callers who want no ceremony."""

from __future__ import annotations

from functools import lru_cache

from deltaresolver import features
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import Maturity
from deltaresolver.plugins import build_catalog, installed_plugins, modules_of


@lru_cache(maxsize=1)
def default_catalog() -> FeatureCatalog:
    """All built-in features and those of installed plugins. Raises `PluginRejectedError`.

    Built once per process; a package installed later is seen by the next process.
    """
    plugins, problems = installed_plugins()
    return build_catalog((*modules_of(features), *plugins), problems)


@lru_cache(maxsize=1)
def built_in_catalog() -> FeatureCatalog:
    """The features this library brings itself, whatever is installed beside it."""
    return build_catalog(modules_of(features))


@lru_cache(maxsize=1)
def delta_spark_catalog() -> FeatureCatalog:
    """Exactly the features that delta-spark 4.4 registers: no plugins, nothing only proposed."""
    return FeatureCatalog(feature for feature in built_in_catalog() if feature.maturity is not Maturity.PROPOSED)
