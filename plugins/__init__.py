"""Plugins: the hooks, the plugin manager, and the checks on the features that plugins bring."""

from __future__ import annotations

from deltaresolver.lazy_names import LazyNames
from deltaresolver.plugins.asking import Plugin
from deltaresolver.plugins.commit_extensions import CommitExtensions, commit_extensions, sound_commit_extensions
from deltaresolver.plugins.exclusion import (
    WITHOUT,
    in_threads,
    installed_packages,
    leaving_out,
    left_out,
    packages_named,
)
from deltaresolver.plugins.guard import PluginSource, seconds_spent
from deltaresolver.plugins.hook_versions import VERSION as HOOKS_VERSION
from deltaresolver.plugins.hook_versions import notes as hook_notes
from deltaresolver.plugins.hookspecs import ENTRY_POINT_GROUP, HOOKS, hookimpl
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
from deltaresolver.plugins.standing import AbsentGuard, SetAside, Standing, stand

# Only an audit needs them.
with LazyNames(globals()) as _public:
    from deltaresolver.plugins.audit_rules import SubmittedRule as SubmittedRule
    from deltaresolver.plugins.audit_rules import collect_audit_rules as collect_audit_rules
    from deltaresolver.plugins.audit_rules import sound_audit_rules as sound_audit_rules

__all__ = [
    "ENTRY_POINT_GROUP",
    "HOOKS",
    "HOOKS_VERSION",
    "RESERVED_PROFILES",
    "WITHOUT",
    "AbsentGuard",
    "CommitExtensions",
    "Plugin",
    "PluginSource",
    "Problem",
    "SetAside",
    "Standing",
    "SubmittedRule",
    "ask_plugins",
    "build_catalog",
    "build_profile_catalog",
    "collect_audit_rules",
    "commit_extensions",
    "feature_sources",
    "hook_notes",
    "hookimpl",
    "in_threads",
    "installed_packages",
    "installed_plugins",
    "leaving_out",
    "left_out",
    "modules_of",
    "offers",
    "packages_named",
    "profiles_of",
    "registered",
    "seconds_spent",
    "sound_audit_rules",
    "sound_commit_extensions",
    "stand",
]

__getattr__, __dir__ = _public.load, _public.known
