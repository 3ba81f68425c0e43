"""Plugins of strangers, good and bad."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.plugins import Plugin, PluginSource, hookimpl


def feature(name: str, *requires: str, **changes: Any) -> TableFeature:
    """A writer feature with a trigger of its own."""
    declared: dict[str, Any] = {
        "kind": FeatureKind.WRITER,
        "summary": "Made up.",
        "spec_url": "https://example.com",
        "trigger": PropertyIsTrue(f"acme.{name}"),
        "upgrades_existing_table": True,
        "requires": requires,
    }
    return TableFeature(name=name, **(declared | changes))


def plugin(answer: Callable[[], Any], name: str = "audit", package: str = "acme-delta") -> Plugin:
    """A plugin whose hook answers by calling `answer`."""

    @hookimpl
    def table_feature() -> Any:
        return answer()

    return Plugin(SimpleNamespace(table_feature=table_feature), PluginSource(name, package))


def bringing(*features: TableFeature, name: str = "audit", package: str = "acme-delta") -> Plugin:
    """A plugin that brings these features."""
    return plugin(lambda: list(features), name, package)
