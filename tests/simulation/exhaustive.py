"""All interleavings of a small scope, where control changes hands at each put."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator

from tests.simulation.baton import Choose
from tests.simulation.faults import FaultRates
from tests.simulation.run import LEVELS, Setting, simulate
from tests.simulation.store import World
from tests.simulation.work import Kind

WRITERS = 3
COMMITS = 2
SEED = 1
"""Decides what the transactions read and write, not their order."""


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


def explore_setting(setting: Setting, *, lost_replies: int = 0) -> tuple[int, Counter[str]]:
    """How many interleavings the setting has, all of them judged, and how their transactions ended.

    With `lost_replies`, each of the first so many puts may also lose its answer, in every combination.
    """
    endings: Counter[str] = Counter()

    def run(choose: Choose) -> None:
        world = World(choose, random.Random(SEED), stands_still=True, choosable_losses=lost_replies)
        endings.update(simulate(setting, world, SEED, reads_back=False).endings)

    return explore(run), endings


def scopes(kinds: tuple[Kind, ...] = tuple(Kind)) -> Iterator[Setting]:
    """For each level, every choice of one kind for each writer, who commits it and then its neighbour's."""
    for level in LEVELS:
        for chosen in itertools.combinations_with_replacement(kinds, WRITERS):
            following = (*chosen[1:], chosen[0])
            works = tuple((first, second) for first, second in zip(chosen, following, strict=True))
            yield Setting(level, works, FaultRates(), keeps_handle=False)
