"""The small scopes: three writers with two commits each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tests.simulation.faults import FaultRates
from tests.simulation.run import LEVELS, Setting
from tests.simulation.work import Kind

WRITERS = 3


def small_scopes() -> Iterator[Setting]:
    """For each level, every choice of one kind for each writer, who commits it and then its neighbour's."""
    for level in LEVELS:
        for chosen in itertools.combinations_with_replacement(Kind, WRITERS):
            following = (*chosen[1:], chosen[0])
            works = tuple((first, second) for first, second in zip(chosen, following, strict=True))
            yield Setting(level, works, FaultRates(), keeps_handle=False)
