"""Where advice finds no way, there is none: every state that steps lead to is looked at, one after the other.

The walk knows no bounds, no order and no costs; it takes every step that nobody who is kept would lose by.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.lake_generator import KINDS, generate_lake
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.planning.advice import Adviser
from deltaresolver.planning.moves import moves
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.table import Table
from tests.archives import unpack

KNOWLEDGE = default_knowledge()
KEPT = ("trino@468", "delta-spark@3.3.0")
ACTS = (Act.READ, Act.APPEND)
MOST = 1_500
"""States; a table with more of them is left out, and most have fewer."""
RECORDED = Path(__file__).parent.parent / "recorded" / "tables.tar.gz"


def harmless(start: PlanState) -> Callable[[PlanState], bool]:
    """Whether a state takes nothing from the clients that are kept, written down by hand."""
    was = {(name, act): KNOWLEDGE.verdict(name, start.needs, act).outcome for name in KEPT for act in ACTS}

    def check(state: PlanState) -> bool:
        now = {key: KNOWLEDGE.verdict(key[0], state.needs, key[1]).outcome for key in was}
        return all(
            not (was[key] is Outcome.WORKS and now[key] is not Outcome.WORKS)
            and not (now[key] is Outcome.SILENTLY_WRONG and was[key] is not Outcome.SILENTLY_WRONG)
            for key in was
        )

    return check


def reachable(start: PlanState) -> list[PlanState] | None:
    """Every state that harmless steps lead to; None if there are too many."""
    allowed = harmless(start)
    seen = {start.key: start}
    waiting = deque([start])
    while waiting:
        for _, after in moves(waiting.popleft()):
            if after.key not in seen and allowed(after):
                seen[after.key] = after
                waiting.append(after)
                if len(seen) > MOST:
                    return None
    return list(seen.values())


def works(client: str, acts: tuple[Act, ...], state: PlanState) -> bool:
    """Whether a client can do all of this with a table."""
    return all(KNOWLEDGE.verdict(client, state.needs, act).works for act in acts)


def states(folder: Path) -> Iterator[PlanState]:
    list(generate_lake(folder / "generated", len(KINDS), broken_every=10_000))
    unpack(RECORDED, folder / "recorded")
    for log in sorted(folder.glob("**/_delta_log")):
        yield state_of_table(Table(str(log.parent)))


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[PlanState, list[PlanState]]]:
    found = ((state, reachable(state)) for state in states(tmp_path_factory.mktemp("tables")))
    return [(state, everywhere) for state, everywhere in found if everywhere is not None]


def test_a_feature_is_dropped_exactly_where_some_harmless_steps_lead_to_a_table_without_it(
    walked: list[tuple[PlanState, list[PlanState]]],
) -> None:
    adviser, seen = Adviser(KNOWLEDGE, KEPT), Counter[bool]()
    for state, everywhere in walked:
        for name in sorted(state.supported):
            there_is = any(name not in one.supported for one in everywhere)
            assert (adviser.without(state, (name,)) is not None) is there_is, (state.location, name)
            seen[there_is] += 1
    assert min(seen[True], seen[False]) > 20, seen


def test_a_client_is_let_in_exactly_where_some_harmless_steps_let_it_in(
    walked: list[tuple[PlanState, list[PlanState]]],
) -> None:
    adviser, seen = Adviser(KNOWLEDGE, KEPT), Counter[bool]()
    for state, everywhere in walked:
        for client in ("trino@413", "delta-rs-python/native@1.6.6", "delta-spark@2.4.0"):
            for act in ACTS:
                acts = ACTS[: ACTS.index(act) + 1]
                works = [
                    all(KNOWLEDGE.verdict(client, one.needs, each).works for each in acts)
                    for one in (state, *everywhere)
                ]
                if works[0]:
                    continue
                there_is = any(works)
                assert (adviser.open_to(state, client, act) is not None) is there_is, (state.location, client, act)
                seen[there_is] += 1
    assert min(seen[True], seen[False]) > 20, seen
