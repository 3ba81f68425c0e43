"""Notes on a table: features it supports and does not use, and legacy versions that are close."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.clients.schema_details import features_held
from deltaresolver.model.facts.keys import CLUSTERING_DOMAIN
from deltaresolver.model.view import TableView
from deltaresolver.planning.commits import what_forbids_commits
from deltaresolver.planning.drops import why_kept
from deltaresolver.planning.moves import missing_for_numbers
from deltaresolver.planning.state import PlanState
from deltaresolver.resolution.prepared import prepare


def remarks_on(state: PlanState) -> Iterator[str]:
    """Features to drop and lower protocols to reach, whatever the target is; nothing where no commit is possible."""
    if what_forbids_commits(state) is not None:
        return
    unused = unused_features(state)
    known = [state.catalog.get(name) for name in unused]
    droppable = [feature.name for feature in known if feature.is_removable and why_kept(state, feature) is None]
    for names, end in (
        (droppable, "can be dropped"),
        ([feature.name for feature in known if not feature.is_removable], "can never be dropped"),
    ):
        if names:
            yield f"supported but not enabled, and {end}: {', '.join(names)}"
    for (reader, writer), missing in list(missing_for_numbers(state))[:1]:
        carried = ", ".join(sorted(state.supported)) or "the table"
        yield f"adding {', '.join(missing)} would let {carried} be the numbered protocol ({reader}, {writer})"


def unused_features(state: PlanState) -> tuple[str, ...]:
    """Features listed by name without any known use in the metadata or log of the table."""
    prepared = prepare(state.catalog)
    view = TableView(state.metadata)
    used = prepared.triggers.enabled(view).union(features_held(view), _by_domain(state))
    needed = prepared.closure(prepared.known(frozenset(used))) if used else frozenset()
    listed = prepared.known(state.protocol.listed_features)
    silent = {name for name in listed if state.catalog.get(name).trigger is None}
    kept = frozenset(one for one in listed if one in needed)
    guards = {name for name in silent if _guards(state, name)}
    held = {"domainMetadata"} if state.domains else set()
    return tuple(sorted(listed - kept - guards - held))


def _guards(state: PlanState, name: str) -> bool:
    removal = state.catalog.get(name).removal
    return removal is not None and removal.protects_before in state.metadata.configuration


def _by_domain(state: PlanState) -> frozenset[str]:
    names = state.facts.domains if state.facts.domains is not None else frozenset()
    return frozenset({"clustering"}) if CLUSTERING_DOMAIN in names else frozenset()
