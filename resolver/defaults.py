"""The one place that joins built-in features, installed plugins and the resolver for callers who want no ceremony."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator, Mapping
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
    Standing,
    build_catalog,
    build_profile_catalog,
    commit_extensions,
    installed_packages,
    installed_plugins,
    leaving_out,
    left_out,
    modules_of,
    packages_named,
    stand,
)
from deltaresolver.resolution import resolve
from deltaresolver.resolution.resolution import Policy, Resolution

logger = logging.getLogger("deltaresolver.plugins")


def default_catalog(profile: str | None = None) -> FeatureCatalog:
    """All built-in features and those of installed plugins, as they are on the platform of a profile if one is named.

    Built once per process; a package installed later is seen by the next process. A package that cannot be used is set
    aside, with a warning; `without_plugins` leaves out others. Raises `UnknownProfileError`, and `PluginRejectedError`
    for a profile that cannot be used.
    """
    return default_standing().catalog if profile is None else _profile_catalog(profile, left_out())


@lru_cache(maxsize=16)
def _profile_catalog(profile: str, without: frozenset[str]) -> FeatureCatalog:
    standing = _standing(without)
    if profile == "all":
        return standing.catalog
    if profile == "delta-spark":
        return delta_spark_catalog()
    return build_profile_catalog(profile, standing.plugins).missing(standing.catalog.absent)


def default_standing() -> Standing:
    """Which installed packages are used, and which are set aside, here and now."""
    return _standing(left_out())


@lru_cache(maxsize=16)
def _standing(without: frozenset[str]) -> Standing:
    installed, problems = installed_plugins(without)
    standing = stand(modules_of(features), installed, problems, without & installed_packages() if without else ())
    for one in standing.set_aside:
        if not one.by_choice:
            logger.warning("The package %s is set aside. %s `deltaresolver plugins` has more.", one.package, one.reason)
    return standing


@contextlib.contextmanager
def without_plugins(packages: Iterable[str]) -> Iterator[None]:
    """Leave out packages of plugins until the block ends: nothing of them is imported, asked or warned of.

    Everything works as if they were not installed; no commit policy of theirs is asked. Raises `PluginUnknownError`.
    """
    wanted = packages_named(packages)
    with leaving_out(wanted) if wanted else contextlib.nullcontext():
        yield


def default_feature_sources() -> Mapping[str, PluginSource]:
    """For each feature of the default catalog, the plugin and the package that bring it."""
    return default_standing().sources


def default_commit_extensions() -> CommitExtensions:
    """The post-commit hooks and policies of installed plugins, with a refusing one for each policy set aside."""
    return _commit_extensions(left_out())


@lru_cache(maxsize=16)
def _commit_extensions(without: frozenset[str]) -> CommitExtensions:
    standing = _standing(without)
    found = commit_extensions(standing.plugins)
    return CommitExtensions(found.hooks, (*standing.guards_gone, *found.policies))


def default_plugins() -> tuple[Plugin, ...]:
    """The built-in plugins, and those of installed packages that are used."""
    return default_standing().plugins


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
