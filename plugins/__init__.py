"""How features get in: hooks, the plugin manager and the admission of what plugins bring."""

from deltaresolver.plugins.admission import PluginSource, Problem
from deltaresolver.plugins.audit_rules import SubmittedRule, collect_audit_rules
from deltaresolver.plugins.hookspecs import ENTRY_POINT_GROUP, hookimpl
from deltaresolver.plugins.manager import (
    Plugin,
    ask_plugins,
    build_catalog,
    feature_sources,
    installed_plugins,
    modules_of,
    registered,
)

__all__ = [
    "ENTRY_POINT_GROUP",
    "Plugin",
    "PluginSource",
    "Problem",
    "SubmittedRule",
    "ask_plugins",
    "build_catalog",
    "collect_audit_rules",
    "feature_sources",
    "hookimpl",
    "installed_plugins",
    "modules_of",
    "registered",
]
