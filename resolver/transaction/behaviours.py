"""The behaviours of a catalog, looked up by hook: a commit asks only the features that have something to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from deltaresolver.model.behaviour import ABILITIES, Draft, FeatureBehaviour
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.resolution.graph import asking_order
from deltaresolver.value import Printable

Named = tuple[str, FeatureBehaviour]


@attrs.frozen(slots=True, eq=False)
class Behaviours(Printable):
    """Who overrides which hook: a feature after those it requires, else in order of feature name."""

    by_hook: Mapping[str, tuple[Named, ...]]
    own_domains: frozenset[str]
    domains_ended_by_replace: frozenset[str]
    properties_kept_by_replace: frozenset[str]
    join_removals: frozenset[str]
    """Features that a commit dropping another one may add."""
    abort_writers: frozenset[str]
    """Features whose arrival makes writers in flight fail."""
    protocol_changes_abort: bool
    """Whether any change of the protocol does, as a platform's profile says."""

    def all_with(self, hook: str) -> tuple[Named, ...]:
        """Every behaviour that overrides `hook`."""
        return self.by_hook[hook]

    def supported_with(self, hook: str, supported: frozenset[str]) -> Iterator[FeatureBehaviour]:
        """Those of supported features, and those that look at the metadata alone."""
        for name, behaviour in self.by_hook[hook]:
            if name in supported or behaviour.goes_by_metadata:
                yield behaviour

    def unsupported_with(self, hook: str, supported: frozenset[str]) -> Iterator[FeatureBehaviour]:
        """Those of features that are not supported."""
        for name, behaviour in self.by_hook[hook]:
            if name not in supported:
                yield behaviour

    def amended(self, draft: Draft, leaving: str | None = None) -> Draft:
        """The draft with what features add to it. Raises what they forbid.

        `leaving` is a feature whose use the commit ends, and which adds nothing.
        """
        for behaviour in self.supported_with("amend_draft", draft.supported - {leaving}):
            draft = behaviour.amend_draft(draft)
        for behaviour in self.supported_with("check_draft", draft.supported):
            behaviour.check_draft(draft)
        for behaviour in self.unsupported_with("check_draft_without", draft.supported):
            behaviour.check_draft_without(draft)
        return draft


def behaviours_of(catalog: FeatureCatalog) -> Behaviours:
    """The behaviours of a catalog, looked up once."""
    return catalog.derived(_behaviours_of)


def _behaviours_of(catalog: FeatureCatalog) -> Behaviours:
    ordered = (catalog.get(name) for name in asking_order(catalog))
    named = [(feature.name, feature.behaviour) for feature in ordered if feature.behaviour is not None]
    return Behaviours(
        by_hook={
            hook: tuple(
                (name, behaviour)
                for name, behaviour in named
                if getattr(type(behaviour), hook) is not getattr(FeatureBehaviour, hook)
            )
            for hook in ABILITIES
        },
        own_domains=frozenset().union(*(behaviour.own_domains for _, behaviour in named)),
        domains_ended_by_replace=frozenset().union(*(behaviour.domains_ended_by_replace for _, behaviour in named)),
        properties_kept_by_replace=frozenset().union(*(one.properties_kept_by_replace for _, one in named)),
        join_removals=frozenset(name for name, behaviour in named if behaviour.joins_removals),
        abort_writers=frozenset(feature.name for feature in catalog if feature.aborts_concurrent_writers),
        protocol_changes_abort=any(feature.on_strict_platform for feature in catalog),
    )
