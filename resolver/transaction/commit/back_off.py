"""How long to wait before an attempt is repeated."""

from __future__ import annotations

import random
from collections.abc import Callable

import attrs

Sleep = Callable[[float], None]
"""Waits so many seconds."""

FIRST_SECONDS = 0.002
LONGEST_SECONDS = 1.0


@attrs.define(slots=True)
class BackOff:
    """Waits ever longer from one lost attempt to the next, with chance in it so that writers drift apart.

    The chance is drawn from `seed`, so that a run with the same ids waits the same.
    """

    sleep: Sleep
    seed: str
    lost: int = 0
    _chance: random.Random | None = None

    def wait(self) -> None:
        """Wait after one more lost attempt; the first one is repeated at once."""
        self.lost += 1
        if self.lost == 1:
            return
        if self._chance is None:
            self._chance = random.Random(self.seed)  # noqa: S311 - no secret
        longest = min(FIRST_SECONDS * 2 ** min(self.lost - 2, 20), LONGEST_SECONDS)
        self.sleep(longest * self._chance.uniform(0.25, 1.0))
