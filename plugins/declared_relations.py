"""Check that some table can satisfy the relations which features declare about each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.plugins.problems import Problem, Submission
from deltaresolver.resolution.graph import dependency_closures, find_cycles


def relation_problems(submissions: Sequence[Submission]) -> Iterator[Problem]:
    """Problems with names that are not registered, and with relations that contradict each other."""
    if not any(submission.feature.has_relations for submission in submissions):
        return
    catalog = FeatureCatalog(submission.feature for submission in submissions)
    closures = dependency_closures(catalog)
    unknown = [problem for submission in submissions for problem in _unknown(submission, catalog)]
    yield from unknown
    for submission in submissions if not unknown else ():
        # Every feature is checked, since one without relations may require others that have some.
        yield from _contradictions(submission, catalog, closures)


def _unknown(submission: Submission, catalog: FeatureCatalog) -> Iterator[Problem]:
    feature = submission.feature
    for name in sorted(feature.enabled_with | feature.not_enabled_with | feature.not_supported_with):
        if name not in catalog.names:
            near = catalog.closest(name)
            yield Problem(
                "unknown relation",
                submission.source,
                f"{feature.name} declares how it goes with {name}, which no plugin registers.",
                f"Did you mean {near}?" if near else "Install the plugin that brings it.",
                feature.name,
            )


def _contradictions(
    submission: Submission, catalog: FeatureCatalog, closures: Mapping[str, frozenset[str]]
) -> Iterator[Problem]:
    feature = submission.feature
    together = _switched_on_together(feature, catalog)
    supported = frozenset().union(*(closures[name] for name in together))
    for name in sorted(together):
        other = catalog.get(name)
        for excluded in sorted(other.not_supported_with & supported):
            yield _contradiction(submission, other, "may not be supported beside", excluded)
        for excluded in sorted(other.not_enabled_with & together):
            yield _contradiction(submission, other, "may not be switched on beside", excluded)
    # A required feature that is not registered is reported elsewhere.
    for other in filter(None, map(catalog.find, sorted(supported - together))):
        for excluded in sorted(other.not_supported_with & supported):
            yield _contradiction(submission, other, "may not be supported beside", excluded)


def _switched_on_together(feature: TableFeature, catalog: FeatureCatalog) -> frozenset[str]:
    """The feature and all features enabled together with it, required ones without a trigger included."""
    found: set[str] = set()
    waiting = [feature.name]
    while waiting:
        one = catalog.find(waiting.pop())
        if one is not None and one.name not in found:
            found.add(one.name)
            waiting += one.enabled_with
            waiting += [name for name in one.requires if _always_enabled(catalog, name)]
    return frozenset(found)


def _always_enabled(catalog: FeatureCatalog, name: str) -> bool:
    required = catalog.find(name)
    return required is not None and required.trigger is None


def _contradiction(submission: Submission, other: TableFeature, relation: str, excluded: str) -> Problem:
    feature = submission.feature.name
    brought = feature if other.name == feature else f"{feature} brings {other.name}, which"
    return Problem(
        "contradiction",
        submission.source,
        f"{brought} {relation} {excluded}, but that comes along with {feature}.",
        "Remove one of the relations: no table can satisfy them.",
        feature,
    )


def cycle_problems(submissions: Sequence[Submission]) -> Iterator[Problem]:
    """Problems with features that require each other; the message names every plugin of the cycle."""
    sources = {submission.feature.name: submission.source for submission in submissions}
    for cycle in find_cycles(submission.feature for submission in submissions):
        if cycle[0] not in sources:
            continue
        known = dict.fromkeys(str(sources[name]) for name in cycle if name in sources)
        brought = f" They are brought by {', '.join(sorted(known))}." if len(known) > 1 else ""
        yield Problem(
            "cycle",
            sources[cycle[0]],
            f"features require each other: {' -> '.join(cycle)}.{brought}",
            "Remove one of these requirements.",
            cycle[0],
        )
