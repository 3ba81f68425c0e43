"""How features get in: hooks, the plugin manager and the admission of what plugins bring."""

from deltaresolver.plugins.admission import PluginSource, Problem
from deltaresolver.plugins.commit_extensions import CommitExtensions, commit_extensions
from deltaresolver.plugins.hookspecs import ENTRY_POINT_GROUP, hookimpl
from deltaresolver.plugins.manager import (
    Plugin,
    ask_plugins,
    build_catalog,
    feature_sources,
    installed_plugins,
    modules_of,
    offers,
    registered,
)
from deltaresolver.plugins.profiles import RESERVED as RESERVED_PROFILES
from deltaresolver.plugins.profiles import build_profile_catalog, profiles_of

__all__ = [
    "ENTRY_POINT_GROUP",
    "RESERVED_PROFILES",
    "CommitExtensions",
    "Plugin",
    "PluginSource",
    "Problem",
    "ask_plugins",
    "build_catalog",
    "build_profile_catalog",
    "commit_extensions",
    "feature_sources",
    "hookimpl",
    "installed_plugins",
    "modules_of",
    "offers",
    "profiles_of",
    "registered",
]
