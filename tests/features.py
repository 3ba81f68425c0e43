"""Features of strangers, as small as can be."""

from __future__ import annotations

from typing import Any

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import PropertyIsTrue


def writer_feature(name: str, *requires: str, **changes: Any) -> TableFeature:
    """A feature for writers with a property of its own that switches it on."""
    declared: dict[str, Any] = {
        "kind": FeatureKind.WRITER,
        "summary": "Made up.",
        "spec_url": "https://example.com",
        "trigger": PropertyIsTrue(f"acme.{name}"),
        "upgrades_existing_table": True,
        "requires": requires,
    }
    return TableFeature(name=name, **(declared | changes))


def reader_feature(name: str, *requires: str, **changes: Any) -> TableFeature:
    """The same for readers and writers."""
    return writer_feature(name, *requires, **{"kind": FeatureKind.READER_WRITER, **changes})
