"""Several processes that work within a budget for each item, and share batches of items."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from deltaresolver.audit.bounded.bounded_work import BoundedWork
from deltaresolver.audit.bounded.budget import Excess

Batch = tuple[int, Sequence[str]]
Done = tuple[int, Sequence[str], list[bytes | Excess]]

_AHEAD_BYTES = 1 << 15
"""A socket takes this much while its other side is busy, so that two processes never wait for each other."""


class _Hand:
    """One of the processes, and the batches it was asked for.

    Each one starts at a different place within its batch. Neighbouring tables are often alike, and what one process
    has worked out about a kind of table is there for the others when they come to it later.
    """

    def __init__(self, work: BoundedWork, place: int, hands: int) -> None:
        self.work = work
        self._place = place
        self._hands = hands
        self._asked: deque[Batch] = deque()
        self._found: list[bytes | Excess] = []

    @property
    def is_idle(self) -> bool:
        return not self._asked

    def may_ask(self, batch: Batch) -> bool:
        """Whether it can take another batch now: it holds two at most, so that it never waits for the next one."""
        return self.is_idle or (len(self._asked) == 1 and sum(map(len, batch[1])) <= _AHEAD_BYTES)

    def ask(self, batch: Batch) -> None:
        self._asked.append(batch)
        items = batch[1]
        first = self._first(len(items))
        self.work.ask([*items[first:], *items[:first]])

    def _first(self, count: int) -> int:
        """The index, among `count` items, of the one it does first."""
        return count * self._place // self._hands

    def come(self) -> Iterator[Done]:
        """The batches that the answers which have now arrived complete."""
        self._found += self.work.come()
        while self._asked and len(self._found) >= len(self._asked[0][1]):
            number, items = self._asked.popleft()
            found, self._found = self._found[: len(items)], self._found[len(items) :]
            first_item = len(items) - self._first(len(items))
            yield number, items, [*found[first_item:], *found[:first_item]]


def share(works: Sequence[BoundedWork], batches: Iterable[Batch]) -> Iterator[Done]:
    """Each batch's number, its items and their answers, as they arrive. A caller that stops early closes the works.

    A batch has at least one item.
    """
    hands = [_Hand(work, place, len(works)) for place, work in enumerate(works)]
    rest = iter(batches)
    following = next(rest, None)
    while True:
        # The first round gives each hand one batch, so that a few batches are shared evenly.
        for hand in (*hands, *hands):
            if following is not None and hand.may_ask(following):
                hand.ask(following)
                following = next(rest, None)
        busy = [hand for hand in hands if not hand.is_idle]
        if not busy:
            return
        for hand in _ready(busy):
            yield from hand.come()


def _ready(hands: Sequence[_Hand]) -> list[_Hand]:
    """The processes with an answer to read; waits until there is one."""
    poll = select.poll()
    by_number = {hand.work.fileno(): hand for hand in hands}
    for number in by_number:
        poll.register(number, select.POLLIN)
    return [by_number[number] for number, _ in poll.poll()]
