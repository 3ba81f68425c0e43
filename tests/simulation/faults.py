"""What goes wrong in a simulated world, and how often."""

from __future__ import annotations

import random

import attrs


class WriterCrashed(BaseException):
    """The writer's process ended here. No code under test may catch it."""


@attrs.frozen(slots=True)
class FaultRates:
    """The chance of each fault at each call that can suffer it.

    refused     a put that does not reach the store, and says so
    lost_reply  a put that happened, or lost its race, and whose answer does not come back
    late        a put whose answer does not come back, and which reaches the store some turns later
    unreadable  a read or a listing that fails
    stale       a listing that lacks the newest commits
    torn        a listing during which others go on, and that shows any of what they put meanwhile
    crash       the writer ends right before or right after a put
    """

    refused: float = 0.0
    lost_reply: float = 0.0
    late: float = 0.0
    unreadable: float = 0.0
    stale: float = 0.0
    crash: float = 0.0
    torn: float = 0.0

    @classmethod
    def draw(cls, chance: random.Random) -> FaultRates:
        """Often none, often a few kinds, sometimes much of everything. No torn listings: those came later."""
        kind = chance.random()
        if kind < 0.3:
            return cls()
        names = [field.name for field in attrs.fields(cls) if field.name != "torn"]
        chosen = names if kind > 0.9 else chance.sample(names, chance.randint(1, 3))
        rates = {name: chance.choice((0.05, 0.15, 0.35)) for name in chosen}
        if "unreadable" in rates:
            # Each transaction reads many times, and ends at the first failure.
            rates["unreadable"] /= 10
        return cls(**rates)
