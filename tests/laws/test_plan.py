"""Laws of plans: they reach the target, nothing in them is superfluous, and nothing cheaper exists."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.clients.table_facts import TableFacts
from deltaresolver.defaults import default_catalog, delta_spark_catalog
from deltaresolver.model.actions import DeletionVector
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.planning.moves import moves
from deltaresolver.planning.plan import Plan, plan
from deltaresolver.planning.state import FileCounts, PlanState
from deltaresolver.planning.steps import Cost, Step
from deltaresolver.planning.targets import Target
from deltaresolver.resolution.prepared import prepare
from tests.transactions import SCHEMA, add

SWITCHES: Mapping[str, Mapping[str, str]] = {
    "deletionVectors": {"delta.enableDeletionVectors": "true"},
    "rowTracking": {"delta.enableRowTracking": "true"},
    "inCommitTimestamp": {"delta.enableInCommitTimestamps": "true"},
    "v2Checkpoint": {"delta.checkpointPolicy": "v2"},
    "typeWidening": {"delta.enableTypeWidening": "true"},
    "columnMapping": {"delta.columnMapping.mode": "name"},
    "checkConstraints": {"delta.constraints.sane": "id > 0"},
    "changeDataFeed": {"delta.enableChangeDataFeed": "true"},
    "appendOnly": {"delta.appendOnly": "true"},
    "icebergCompatV1": {"delta.enableIcebergCompatV1": "true"},
}
MARKS = DeletionVector("i", "00000", None, 4, 1)
SMALL = FeatureCatalog(
    feature
    for feature in delta_spark_catalog()
    if feature.name
    in ("appendOnly", "invariants", "checkConstraints", "deletionVectors", "v2Checkpoint", "checkpointProtection")
)
TARGETS = ("1,2", "1,3", "2,5", "1,7", "delta-rs-python@1.6.6", "trino@468", "delta-rs-python/native@0.25.5:read")


def state_with(draw: st.DrawFn, catalog: FeatureCatalog) -> PlanState:
    prepared = prepare(catalog)
    features = draw(st.sets(st.sampled_from(sorted(catalog.names & SWITCHES.keys())), max_size=4))
    enabled = draw(st.sets(st.sampled_from(sorted(features)))) if features else set()
    properties = {key: value for name in enabled for key, value in SWITCHES[name].items()}
    protocol = prepared.lowest_protocol(prepared.closure(features))
    plain, marked = draw(st.integers(0, 9)), draw(st.integers(0, 9)) if "deletionVectors" in features else 0
    files = (add("f", "a"),) * (plain > 0) + (add("m", "a", deletion_vector=MARKS),) * (marked > 0)
    return PlanState(
        catalog,
        protocol,
        Metadata("t", schema_string=SCHEMA, configuration=properties),
        TableFacts(deletion_vectors=marked > 0),
        files,
        totals=FileCounts(plain + marked, 100 * (plain + marked), marked, 100 * marked),
    )


@st.composite
def states(draw: st.DrawFn) -> PlanState:
    return state_with(draw, default_catalog())


@st.composite
def small_states(draw: st.DrawFn) -> PlanState:
    return state_with(draw, SMALL)


targets = st.sampled_from((*TARGETS, "purged")) | st.sampled_from(sorted(SWITCHES)).map("-{}".format)


def walk(start: PlanState, steps: tuple[Step, ...]) -> PlanState | None:
    """The state after these steps, found again by kind and names; None where one cannot be taken."""
    state = start
    for wanted in steps:
        found = [after for step, after in moves(state) if (step.kind, step.names) == (wanted.kind, wanted.names)]
        if not found:
            return None
        (state,) = found
    return state


@settings(deadline=None, max_examples=60)
@given(states(), targets)
def test_a_plan_reaches_its_target_and_every_step_is_needed(start: PlanState, target: str) -> None:
    found = plan(start, target)
    if not found.is_possible:
        assert found.steps == ()
        return
    reached = walk(start, found.steps)
    assert reached is not None
    assert found.target.is_met(reached)
    assert plan(reached, target).steps == ()
    for place in range(len(found.steps)):
        without = walk(start, (*found.steps[:place], *found.steps[place + 1 :]))
        assert without is None or not found.target.is_met(without)


@settings(deadline=None, max_examples=60)
@given(states(), targets)
def test_every_step_taken_leaves_the_rest_of_the_plan(start: PlanState, target: str) -> None:
    """So a run that was stopped goes on where it was."""
    found = plan(start, target)
    if found.steps:
        after = walk(start, found.steps[:1])
        assert after is not None
        assert plan(after, target).cost + found.steps[0].cost == found.cost


def all_ways(start: PlanState, longest: int) -> Iterator[tuple[Cost, PlanState]]:
    """Every sequence of steps up to a length, by brute force: nothing is left out and nothing is ordered."""
    level: list[tuple[Cost, PlanState]] = [(Cost(), start)]
    for _ in range(longest + 1):
        yield from level
        level = [(cost + step.cost, after) for cost, state in level for step, after in moves(state)]


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(
    small_states(),
    st.sampled_from((*TARGETS, "purged", "-deletionVectors", "-v2Checkpoint", "-checkConstraints")),
)
def test_no_sequence_of_steps_is_cheaper(start: PlanState, wanted: str) -> None:
    known = {name.removeprefix("-") for name in [wanted]} & SMALL.names
    if wanted.startswith("-") and not known:
        return
    found: Plan = plan(start, wanted)
    target: Target = found.target
    costs = [cost for cost, state in all_ways(start, 4) if target.is_met(state)]
    if found.is_possible and len(found.steps) <= 4:
        assert found.cost == min(costs)
    elif not found.is_possible:
        assert not costs
    else:
        assert not costs or found.cost <= min(costs)


@settings(deadline=None, max_examples=40)
@given(states())
def test_dependents_are_dropped_before_what_they_need(start: PlanState) -> None:
    droppable = [name for name in sorted(start.supported) if start.catalog.get(name).is_removable]
    for pair in itertools.combinations(droppable, 2):
        order = [name for step in plan(start, [f"-{name}" for name in pair]).steps for name in step.names]
        for name in pair:
            requires = start.catalog.get(name).requires & set(order)
            assert all(order.index(name) < order.index(one) for one in requires if name in order)


def test_costs_add_up_and_compare_the_worst_first() -> None:
    assert Cost(truncations=1) > Cost(bytes=10**12, files=5, steps=9)
    assert Cost(bytes=2, steps=1) > Cost(bytes=1, steps=9)
    assert Cost(1, 2, 3, 4, 5, 6) + Cost(1, 1, 1, 1, 1, 1) == Cost(2, 3, 4, 5, 6, 7)
    assert attrs.fields_dict(Cost).keys() == {"truncations", "bytes", "files", "steps", "aborting", "given_up"}
