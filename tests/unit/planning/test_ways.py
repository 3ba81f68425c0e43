"""Ways that are remembered for tables alike are those that a search of their own finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from benchmarks.lake_generator import KINDS, generate_lake
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.planning.advice import QUICK
from deltaresolver.planning.drops import files_matter
from deltaresolver.planning.kept_acts import kept_clients
from deltaresolver.planning.moves import moves
from deltaresolver.planning.search import Limits, cheapest_way
from deltaresolver.planning.state import FileCounts, PlanState
from deltaresolver.planning.steps import Cost
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.planning.targets import Target, WithoutFeature, client_target
from deltaresolver.planning.ways import Ways
from deltaresolver.table import Table

if TYPE_CHECKING:
    from deltaresolver.planning.steps import Step

KNOWLEDGE = default_knowledge()
KEPT = kept_clients(("trino@468", "delta-rs-python@1.6.6"), KNOWLEDGE)
CLIENTS = [Target((client_target(text, KNOWLEDGE),)) for text in ("trino@413", "delta-rs-python@1.6.6:read")]


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> list[PlanState]:
    """Tables of every kind, each kind three times, of different sizes."""
    folder = tmp_path_factory.mktemp("lake")
    made = generate_lake(folder, 3 * len(KINDS), broken_every=10_000)
    return [state_of_table(Table(one.location)) for one in made]


@pytest.fixture(scope="module")
def one_each(tmp_path_factory: pytest.TempPathFactory) -> list[PlanState]:
    """One table of every kind."""
    made = generate_lake(tmp_path_factory.mktemp("kinds"), len(KINDS), broken_every=10_000)
    return [state_of_table(Table(one.location)) for one in made]


def walked(state: PlanState, steps: tuple[Step, ...]) -> PlanState:
    """Where the steps lead, each found among all that can be taken."""
    for wanted in steps:
        state = next(after for step, after in moves(state) if (step.kind, step.names) == (wanted.kind, wanted.names))
    return state


@pytest.mark.slow
def test_a_way_that_is_remembered_is_the_one_that_a_search_finds(states: list[PlanState]) -> None:
    ways = Ways(QUICK)
    asked = 0
    for state in states:
        kept = KEPT.on(state.needs)
        features = [Target((WithoutFeature(name),)) for name in sorted(state.supported)]
        for target in (*CLIENTS, *features):
            asked += 1
            found, searched = ways.find(state, target, kept), cheapest_way(state, target, QUICK, allow=kept.allow)
            if searched.steps is None:
                assert found is None, (state.location, str(target))
                continue
            assert found is not None
            assert sum((one.cost for one in found.steps), Cost()) == sum((one.cost for one in searched.steps), Cost())
            assert target.is_met(found.end)
            assert found.end.key == walked(state, found.steps).key
            assert all(step.location == state.location for step in found.steps)
    assert ways.searched < asked * 0.7


def test_a_search_that_was_ended_is_made_again(one_each: list[PlanState]) -> None:
    state = next(one for one in one_each if "deletionVectors" in one.supported)
    ways = Ways(Limits(states=1, seconds=60))
    for _ in range(2):
        assert ways.find(state, CLIENTS[0], KEPT.on(state.needs)) is None
    assert ways.searched == 2


@pytest.mark.slow
def test_where_files_do_not_matter_ways_are_the_same_without_them(states: list[PlanState]) -> None:
    ways, spared = Ways(QUICK), 0
    for state in states[::6]:
        facts = attrs.evolve(state.facts, deletion_vectors=False)
        bare = attrs.evolve(state, examples=(), totals=FileCounts(), facts=facts)
        if ways.needs_files(bare):
            continue
        spared += 1
        kept = KEPT.on(state.needs)
        features = [Target((WithoutFeature(name),)) for name in sorted(state.supported)]
        for target in (*CLIENTS, *features):
            listed, unlisted = (cheapest_way(one, target, QUICK, allow=kept.allow) for one in (state, bare))
            assert listed.steps == unlisted.steps, (state.location, str(target))
            assert listed.end.needs == unlisted.end.needs
    assert spared > len(states[::6]) / 4


@pytest.mark.parametrize(
    ("name", "matter"), [("deletionVectors", True), ("columnMapping", True), ("appendOnly", False)]
)
def test_files_matter_where_a_supported_feature_looks_at_them(
    name: str, matter: bool, one_each: list[PlanState]
) -> None:
    state = next(one for one in one_each if name in one.supported and (matter or len(one.supported) < 3))
    assert files_matter(attrs.evolve(state, examples=())) is matter
