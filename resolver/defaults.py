"""The one place that joins built-in features, installed plugins and the resolver for callers who want no ceremony."""

from __future__ import annotations

from functools import lru_cache

from deltaresolver import features
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import Maturity
from deltaresolver.plugins import PluginSource, build_catalog, feature_sources, installed_plugins, modules_of


@lru_cache(maxsize=1)
def default_catalog() -> FeatureCatalog:
    """All built-in features and those of installed plugins. Raises `PluginRejectedError`.

    Built once per process; a package installed later is seen by the next process.
    """
    plugins, problems = installed_plugins()
    return build_catalog((*modules_of(features), *plugins), problems)


@lru_cache(maxsize=1)
def default_feature_sources() -> dict[str, PluginSource]:
    """For each feature of the default catalog, the plugin and the package that bring it."""
    return feature_sources((*modules_of(features), *installed_plugins()[0]))


@lru_cache(maxsize=1)
def delta_spark_catalog() -> FeatureCatalog:
    """Exactly the features that delta-spark 4.4 registers: no plugins, nothing only proposed."""
    catalog = build_catalog(modules_of(features))
    return FeatureCatalog(feature for feature in catalog if feature.maturity is not Maturity.PROPOSED)
