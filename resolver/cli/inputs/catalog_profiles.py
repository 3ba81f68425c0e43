"""Which catalog of features a command works with: the option `--profile`, or `--catalog`."""

from __future__ import annotations

import click

from deltaresolver.cli.completion import complete_profiles
from deltaresolver.defaults import default_catalog, default_plugins
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.plugins import RESERVED_PROFILES, profiles_of

profile_option = click.option(
    "--profile",
    "--catalog",
    "profile",
    metavar="NAME",
    default="all",
    show_default=True,
    shell_complete=complete_profiles,
    help="The rules: all features known here, delta-spark for exactly its own, or a platform such as databricks.",
)


def known_profiles() -> list[str]:
    """Every name that --profile takes."""
    return sorted({*profiles_of(default_plugins()), *RESERVED_PROFILES})


def catalog_of(profile: str) -> FeatureCatalog:
    """The catalog of a profile. Raises `PluginRejectedError`, `UnknownProfileError`."""
    return default_catalog(profile)
