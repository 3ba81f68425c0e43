"""Which catalog of features a command works with: the option `--profile`, also spelt `--catalog`."""

from __future__ import annotations

import click

from deltaresolver.defaults import default_catalog
from deltaresolver.model.catalog import FeatureCatalog

profile_option = click.option(
    "--profile",
    "--catalog",
    "profile",
    metavar="NAME",
    default="all",
    show_default=True,
    help="The rules: all features known here, delta-spark for exactly its own, or a platform such as databricks.",
)


def catalog_of(profile: str) -> FeatureCatalog:
    """The catalog of a profile. Raises `PluginRejectedError`, `UnknownProfileError`."""
    return default_catalog(profile)
