from __future__ import annotations

import pytest

from benchmarks.lake_generator import KINDS, generate_lake
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.planning.advice import QUICK
from deltaresolver.planning.kept_acts import kept_clients
from deltaresolver.planning.search import Limits, cheapest_way
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.steps import Cost
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.planning.targets import Target, WithoutFeature, client_target
from deltaresolver.planning.ways import Ways, walked
from deltaresolver.table import Table

KNOWLEDGE = default_knowledge()
KEPT = kept_clients(("trino@468", "delta-rs-python@1.6.6"), KNOWLEDGE)
CLIENTS = [Target((client_target(text, KNOWLEDGE),)) for text in ("trino@413", "delta-rs-python@1.6.6:read")]


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> list[PlanState]:
    """Tables of every kind, each kind three times, of different sizes."""
    folder = tmp_path_factory.mktemp("lake")
    made = generate_lake(folder, 3 * len(KINDS), broken_every=10_000)
    return [state_of_table(Table(one.location)) for one in made]


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
            assert sum((one.cost for one in found), Cost()) == sum((one.cost for one in searched.steps), Cost())
            assert target.is_met(walked(state, found))
            assert all(step.location == state.location for step in found)
    assert ways.searched < asked * 0.7


def test_a_search_that_was_ended_is_made_again(states: list[PlanState]) -> None:
    state = next(one for one in states if "deletionVectors" in one.supported)
    ways = Ways(Limits(states=1, seconds=60))
    for _ in range(2):
        assert ways.find(state, CLIENTS[0], KEPT.on(state.needs)) is None
    assert ways.searched == 2
