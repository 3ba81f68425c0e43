"""How features get in: hooks, the plugin manager and the admission of what plugins bring."""

from deltaresolver.plugins.asking import Plugin
from deltaresolver.plugins.audit_rules import SubmittedRule, collect_audit_rules
from deltaresolver.plugins.commit_extensions import CommitExtensions, commit_extensions, sound_commit_extensions
from deltaresolver.plugins.guard import PluginSource
from deltaresolver.plugins.hookspecs import ENTRY_POINT_GROUP, hookimpl
from deltaresolver.plugins.manager import (
    ask_plugins,
    build_catalog,
    feature_sources,
    installed_plugins,
    modules_of,
    offers,
    registered,
)
from deltaresolver.plugins.problems import Problem
from deltaresolver.plugins.profiles import RESERVED as RESERVED_PROFILES
from deltaresolver.plugins.profiles import build_profile_catalog, profiles_of

__all__ = [
    "ENTRY_POINT_GROUP",
    "RESERVED_PROFILES",
    "CommitExtensions",
    "Plugin",
    "PluginSource",
    "Problem",
    "SubmittedRule",
    "ask_plugins",
    "build_catalog",
    "build_profile_catalog",
    "collect_audit_rules",
    "commit_extensions",
    "feature_sources",
    "hookimpl",
    "installed_plugins",
    "modules_of",
    "offers",
    "profiles_of",
    "registered",
    "sound_commit_extensions",
]
