"""Laws of the search for plans: as cheap as looking at every state would find, and small for many features."""

from __future__ import annotations

import heapq
import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.defaults import default_catalog
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.support import Task
from deltaresolver.planning.moves import moves
from deltaresolver.planning.plan import plan
from deltaresolver.planning.search import Limits, cheapest_way
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.steps import Cost
from deltaresolver.planning.targets import Target, read_target
from deltaresolver.resolution.prepared import prepare
from tests.laws.test_plan import SWITCHES, states
from tests.transactions import SCHEMA

TARGETS = ("1,2", "1,4", "2,5", "1,7", "3,7", "purged", *(f"-{name}" for name in sorted(SWITCHES)))


def least_cost(start: PlanState, target: Target) -> Cost | None:
    """By looking at every state, the cheapest first: no bound, no step left out."""
    places = itertools.count()
    heap = [(Cost(), next(places), start)]
    seen: set[object] = set()
    while heap:
        cost, _, state = heapq.heappop(heap)
        if state.key in seen:
            continue
        seen.add(state.key)
        if target.is_met(state):
            return cost
        for step, after in moves(state):
            heapq.heappush(heap, (cost + step.cost, next(places), after))
    return None


@settings(deadline=None, max_examples=40)
@given(states(), st.lists(st.sampled_from(TARGETS), min_size=1, max_size=2))
def test_nothing_cheaper_is_found_by_looking_at_every_state(start: PlanState, wanted: list[str]) -> None:
    protocols = [one for one in wanted if one[0].isdigit()]
    asked = [one for one in wanted if not one[0].isdigit()] + protocols[:1]
    known = [one for one in asked if one.removeprefix("-") in start.catalog.names or not one.startswith("-")]
    if not known:
        return
    target = read_target(known, start.catalog, default_knowledge())
    found = cheapest_way(start, target)
    cost = None if found.steps is None else sum((step.cost for step in found.steps), Cost())
    assert cost == least_cost(start, target)


def supporting(catalog: FeatureCatalog, names: list[str]) -> PlanState:
    prepared = prepare(catalog)
    return PlanState(catalog, prepared.lowest_protocol(prepared.closure(names)), Metadata("t", schema_string=SCHEMA))


@pytest.mark.parametrize("target", ["1,2", "1,7", "-inCommitTimestamp"])
def test_all_built_in_features_are_planned_in_a_moment(target: str) -> None:
    catalog = default_catalog()
    names = [one.name for one in catalog if one.removal is not None and not one.support.is_refused(Task.WRITE)]
    for chosen in (names, [name for name in names if name != "catalogManaged"]):
        started = time.process_time()
        found = plan(supporting(catalog, chosen), target)
        assert time.process_time() - started < 2
        assert found.is_possible is ("catalogManaged" not in chosen)


@pytest.mark.parametrize("is_chain", [True, False])
def test_forty_features_of_plugins_are_planned_in_a_moment(is_chain: bool) -> None:
    catalog = FeatureCatalog(
        TableFeature(
            name=f"acme{number:02}",
            kind=FeatureKind.WRITER,
            summary="One of many.",
            spec_url="https://example.com",
            requires=[f"acme{number - 1:02}"] if is_chain and number else [],
            removal=Removal(),
        )
        for number in range(40)
    )
    started = time.process_time()
    found = plan(supporting(catalog, sorted(catalog.names)), "1,1")
    assert time.process_time() - started < 4
    assert len(found.steps) == 40


def test_a_search_that_was_ended_early_is_marked_so() -> None:
    catalog = default_catalog()
    names = [
        one.name
        for one in catalog
        if one.removal is not None and one.name != "catalogManaged" and not one.support.is_refused(Task.WRITE)
    ]
    start = supporting(catalog, names)
    target = read_target("1,2", catalog, default_knowledge())
    few = cheapest_way(start, target, Limits(states=3))
    late = cheapest_way(start, target, Limits(seconds=-1))
    assert (few.steps, few.limit) == (None, "3 states")
    assert (late.steps, late.limit) == (None, "-1 seconds")
    assert not few.complete
