"""Several processes share batches: each item is done once, whatever becomes of the process that does it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deltaresolver.audit.bounded.bounded_work import BoundedWork
from deltaresolver.audit.bounded.budget import Budget, Excess, ExcessKind
from deltaresolver.audit.bounded.crew import share
from tests.unit.audit.bounded.test_bounded_work import Acts

LONG = Budget(seconds=60, megabytes=400)


@contextmanager
def crew(count: int) -> Iterator[list[BoundedWork]]:
    works = [BoundedWork(Acts(), LONG) for _ in range(count)]
    try:
        yield works
    finally:
        for work in works:
            work.close()


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 7])
def test_every_item_of_every_batch_is_done_once_and_in_order(count: int, size: int) -> None:
    batches = [(number, [f"{number}.{place}" for place in range(size)]) for number in range(20)]
    with crew(count) as works:
        done = sorted(share(works, batches))
    assert done == [(number, items, [item.encode() for item in items]) for number, items in batches]


def test_every_process_of_a_crew_gets_work() -> None:
    with crew(2) as works:
        seen = {one for _, _, found in share(works, ((number, ["pid"]) for number in range(50))) for one in found}
    assert len(seen) == 2


def test_a_process_that_ends_at_an_item_is_replaced_and_the_batches_sent_ahead_are_done() -> None:
    batches = [(number, ["a", "end-watcher" if number % 3 == 1 else "b", "c"]) for number in range(9)]
    with crew(2) as works:
        for number, items, found in share(works, batches):
            first, second, third = found
            assert (first, third) == (b"a", b"c")
            if number % 3 == 1:
                assert isinstance(second, Excess)
                assert second.cause is ExcessKind.ENDED
            else:
                assert second == items[1].encode()


def test_names_that_fill_a_socket_do_not_block_the_crew() -> None:
    batches = [(number, ["x" * 100_000] * 20) for number in range(6)]
    with crew(2) as works:
        assert sum(len(found) for _, _, found in share(works, batches)) == 120


def test_a_crew_with_nothing_to_do_ends() -> None:
    with crew(2) as works:
        assert list(share(works, [])) == []
