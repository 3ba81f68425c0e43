"""The one place that joins built-in features, installed plugins and the resolver for callers who want no ceremony."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache

from deltaresolver import features
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import Maturity
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.plugins import (
    CommitExtensions,
    Plugin,
    PluginSource,
    Problem,
    build_catalog,
    build_profile_catalog,
    commit_extensions,
    feature_sources,
    installed_plugins,
    modules_of,
    sound_commit_extensions,
)
from deltaresolver.resolution import resolve
from deltaresolver.resolution.resolution import Policy, Resolution

logger = logging.getLogger("deltaresolver.plugins")


def default_catalog(profile: str | None = None) -> FeatureCatalog:
    """All built-in features and those of installed plugins, as they are on the platform of a profile if one is named.

    Built once per process; a package installed later is seen by the next process. Raises `PluginRejectedError`,
    `UnknownProfileError`.
    """
    return _plain_catalog() if profile is None else _profile_catalog(profile)


@lru_cache(maxsize=1)
def _plain_catalog() -> FeatureCatalog:
    return build_catalog(*default_plugins())


@lru_cache(maxsize=16)
def _profile_catalog(profile: str) -> FeatureCatalog:
    if profile == "all":
        return _plain_catalog()
    if profile == "delta-spark":
        return delta_spark_catalog()
    plugins, problems = default_plugins()
    return build_profile_catalog(profile, plugins, problems)


@lru_cache(maxsize=1)
def default_feature_sources() -> dict[str, PluginSource]:
    """For each feature of the default catalog, the plugin and the package that bring it."""
    return feature_sources(default_plugins()[0])


@lru_cache(maxsize=1)
def default_commit_extensions() -> CommitExtensions:
    """The post-commit hooks and policies of installed plugins. Raises `PluginRejectedError`."""
    return commit_extensions(default_plugins()[0])


@lru_cache(maxsize=1)
def sound_default_commit_extensions() -> CommitExtensions:
    """As `default_commit_extensions`, without plugins that would be rejected; a warning names them, once."""
    extensions, problems = sound_commit_extensions(default_plugins()[0])
    for problem in problems:
        logger.warning("Left out of commits: %s", problem)
    return extensions


@lru_cache(maxsize=1)
def default_plugins() -> tuple[tuple[Plugin, ...], tuple[Problem, ...]]:
    """Built-in and installed plugins, imported once, and what could not be imported."""
    plugins, problems = installed_plugins()
    return (*modules_of(features), *plugins), problems


@lru_cache(maxsize=1)
def built_in_catalog() -> FeatureCatalog:
    """The features this library brings itself, whatever is installed beside it."""
    return build_catalog(modules_of(features))


@lru_cache(maxsize=1)
def delta_spark_catalog() -> FeatureCatalog:
    """Exactly the features that delta-spark 4.4 registers: no plugins, nothing only proposed."""
    return FeatureCatalog(feature for feature in built_in_catalog() if feature.maturity is not Maturity.PROPOSED)


def resolve_new_table(
    metadata: Metadata,
    session: Mapping[str, str] | None = None,
    *,
    catalog: FeatureCatalog | None = None,
    policy: Policy = Policy.EXACT,
) -> Resolution:
    """The protocol of a table about to be created; see `deltaresolver.resolution.resolve.resolve_new_table`."""
    return resolve.resolve_new_table(metadata, _given_or_default(catalog), session=session or {}, policy=policy)


def resolve_upgrade(
    metadata: Metadata,
    protocol: Protocol,
    *,
    catalog: FeatureCatalog | None = None,
    policy: Policy = Policy.EXACT,
) -> Resolution:
    """The protocol of an existing table after a change; see `deltaresolver.resolution.resolve.resolve_upgrade`."""
    return resolve.resolve_upgrade(metadata, protocol, _given_or_default(catalog), policy=policy)


def _given_or_default(catalog: FeatureCatalog | None) -> FeatureCatalog:
    # Not `or`: a catalog without features is a catalog, and false.
    return default_catalog() if catalog is None else catalog
