"""The hooks a plugin may implement.

A plugin is any module or object with functions marked `@hookimpl`; an installed package offers its own
through the entry point group `deltaresolver.features`. Hooks are called once, when a catalog is built or an
audit begins.
"""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from deltaresolver.model.audit_rule import AuditRule
from deltaresolver.model.feature import TableFeature

PROJECT = "deltaresolver"
ENTRY_POINT_GROUP = "deltaresolver.features"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def table_feature() -> TableFeature | Iterable[TableFeature]:  # type: ignore[empty-body]
    """The table feature this plugin brings, or a list of them."""


@hookspec
def audit_rules() -> AuditRule | Iterable[AuditRule]:  # type: ignore[empty-body]
    """The rule this plugin adds to `deltaresolver audit`, or a list of them."""
