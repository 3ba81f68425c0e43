"""Which catalog of features a command works with: the option `--profile`."""

from __future__ import annotations

from collections.abc import Callable

import click

from deltaresolver.defaults import default_catalog, delta_spark_catalog
from deltaresolver.model.catalog import FeatureCatalog

PROFILES: dict[str, Callable[[], FeatureCatalog]] = {"all": default_catalog, "delta-spark": delta_spark_catalog}

profile_option = click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default="all",
    show_default=True,
    help="The features to know: all built-in ones and those of installed plugins, or exactly delta-spark's.",
)


def catalog_of(profile: str) -> FeatureCatalog:
    """The catalog of a profile. Raises `PluginRejectedError`."""
    return PROFILES[profile]()
