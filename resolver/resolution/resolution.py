"""The answer: a protocol, its features, and on demand every reason for both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import attrs

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.view import TableView
from deltaresolver.resolution.algebra import unknown_features
from deltaresolver.resolution.certificate import Certificate, certify, certify_known_part
from deltaresolver.resolution.explain.render import FORMATS, render
from deltaresolver.resolution.policy import Policy
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.reasons import FeatureExplanation, Reason, VersionExplanation, VersionInEffect
from deltaresolver.resolution.why import explain_features, explain_versions, versions_in_effect, view_explained


@attrs.frozen(slots=False, eq=False, repr=False)
class Resolution:
    """What a table's protocol must be, and why.

    `current` is None for a new table. `metadata` still holds the instructions (features and versions asked
    for by property); `session` is what a new table took its defaults from. Reasons are worked out when
    asked for, from these facts alone.
    """

    protocol: Protocol
    features: frozenset[str]
    metadata: Metadata
    catalog: FeatureCatalog
    current: Protocol | None = None
    session: Mapping[str, str] = attrs.field(factory=dict)
    policy: Policy = Policy.EXACT

    @property
    def changed(self) -> bool:
        """Whether the table needs another protocol than it has; always true for a new table."""
        return self.protocol != self.current

    @cached_property
    def added(self) -> frozenset[str]:
        """The features that the table does not support yet."""
        if self.current is None:
            return self.features
        return self.features - prepare(self.catalog).supported(self.current)

    @cached_property
    def unknown(self) -> frozenset[str]:
        """The features that the protocol lists and the catalog does not have: they stay listed, and unexplained."""
        return unknown_features(self.protocol, self.catalog)

    @cached_property
    def view(self) -> TableView:
        """What triggers looked at."""
        return view_explained(self)

    @cached_property
    def explanations(self) -> tuple[FeatureExplanation, ...]:
        """For every feature, sorted by name, what keeps it and what would let it go."""
        return explain_features(self)

    @cached_property
    def reasons(self) -> Mapping[str, tuple[Reason, ...]]:
        """The reasons of every feature; never empty."""
        return {one.feature: one.reasons for one in self.explanations}

    @cached_property
    def versions(self) -> tuple[VersionExplanation, VersionExplanation]:
        """Why the reader and the writer version have their numbers."""
        return explain_versions(self)

    @cached_property
    def versions_in_effect(self) -> tuple[VersionInEffect, VersionInEffect] | None:
        """The versions a new table started from, or those asked of an existing one; None when there are none."""
        return versions_in_effect(self)

    @cached_property
    def certificate(self) -> Certificate:
        """The proof that nothing lower will do."""
        if self.unknown:
            return certify_known_part(self.protocol, self.features, self.unknown, self.catalog)
        return certify(self.protocol, self.features, prepare(self.catalog))

    def explain(self, form: str = "text", *, table: str | None = None) -> str:
        """The whole explanation as `text`, `markdown`, `json` or `mermaid`.

        `table` is the table's name as SQL spells it, for the statements that undo something.
        """
        return render(self, form, table=table)

    def to_json(self) -> dict[str, Any]:
        """The whole explanation as data."""
        in_effect = self.versions_in_effect
        return {
            "policy": self.policy.value,
            "protocol": self.protocol.to_json(),
            "current": self.current.to_json() if self.current is not None else None,
            "changed": self.changed,
            "added": sorted(self.added),
            "features": [one.to_json() for one in self.explanations],
            "unknown": sorted(self.unknown),
            "versions": [one.to_json() for one in self.versions],
            "versions_in_effect": [one.to_json() for one in in_effect] if in_effect else None,
            "certificate": self.certificate.to_json(),
        }

    def __repr__(self) -> str:
        return f"Resolution({self.protocol}, {len(self.features)} features)"


__all__ = ["FORMATS", "Policy", "Resolution"]
