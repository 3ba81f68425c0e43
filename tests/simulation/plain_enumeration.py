"""All interleavings of a small scope, each run by itself: what the search by states is held against."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

from tests.simulation.baton import Choose
from tests.simulation.run import Setting, simulate
from tests.simulation.scripted_store import without_read_version
from tests.simulation.state_graph import SEED, Outcome
from tests.simulation.store import World


def explore(run: Callable[[Choose], None]) -> int:
    """Call `run` once for every sequence of answers its chooser can be given; how many there are."""
    prefix: list[int] = []
    for count in itertools.count(1):
        taken: list[int] = []
        offered: list[int] = []
        run(_chooser(prefix, taken, offered))
        while taken and taken[-1] + 1 == offered[-1]:
            taken.pop()
            offered.pop()
        if not taken:
            return count
        prefix = [*taken[:-1], taken[-1] + 1]
    raise AssertionError


def _chooser(prefix: list[int], taken: list[int], offered: list[int]) -> Choose:
    def choose(count: int) -> int:
        place = len(taken)
        taken.append(prefix[place] if place < len(prefix) else 0)
        offered.append(count)
        return taken[-1]

    return choose


def enumerate_outcomes(setting: Setting, *, lost_replies: int = 0) -> tuple[int, frozenset[Outcome]]:
    """How many orders of calls the setting has, all of them run and judged, and what they come to.

    With `lost_replies`, so many puts may also lose their answer, in every combination.
    """
    outcomes: set[Outcome] = set()

    def run(choose: Choose) -> None:
        world = World(choose, random.Random(SEED), stands_still=True, choosable_losses=lost_replies)
        summary = simulate(setting, world, SEED, reads_back=False)
        outcomes.add((tuple(map(without_read_version, summary.log)), summary.results))

    return explore(run), frozenset(outcomes)
