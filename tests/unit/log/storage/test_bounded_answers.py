"""Pages that are given up are asked for again, and what was there before is not there twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from deltaresolver.errors import StorageAnswerError
from deltaresolver.log.storage import bounded_answers, given_up
from deltaresolver.log.storage.bounded_answers import bounded_pages
from tests import nasty

if TYPE_CHECKING:
    from obstore import ObjectMeta

NAMES = [f"{number:03d}-{name}" for number, name in enumerate([*nasty.FOLDER_NAMES, *nasty.HIDDEN_FILE_NAMES])]


@attrs.define
class Memory:
    """What this process seems to hold, and by how much that grows each time one looks."""

    held: int = 0
    growth: int = 0

    def look(self) -> int:
        self.held += self.growth
        return self.held


@attrs.define
class Server:
    """Pages of names; those in `slow` never come, each as often as it stands there, and fill the memory meanwhile."""

    names: list[str]
    slow: list[int]
    memory: Memory
    page: int = 0

    def again(self) -> Server:
        return Server(self.names, self.slow, self.memory)

    def __aiter__(self) -> Server:
        return self

    async def __anext__(self) -> Sequence[ObjectMeta]:
        if self.page in self.slow:
            self.slow.remove(self.page)
            before, self.memory.growth = self.memory.growth, 2 * bounded_answers.PAGE_BYTES
            try:
                await asyncio.sleep(60)
            finally:
                self.memory.growth = before
        found: Any = [{"path": name} for name in self.names[self.page * 5 :][:5]]
        self.page += 1
        if not found:
            raise StopAsyncIteration
        return found  # type: ignore[no-any-return]


def listed(start: Callable[[], Server]) -> list[str]:
    return [found["path"] for page in bounded_pages(start, 1000, "here") for found in page]


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    memory = Memory()
    monkeypatch.setattr(given_up, "resident_bytes", memory.look)
    monkeypatch.setattr(given_up, "_STEP", 0.01)
    return memory


@pytest.mark.parametrize("slow", [[0], [2], [len(NAMES) // 5], [2, 2], [0, 3]])
def test_a_page_that_was_given_up_is_asked_for_again(slow: list[int], memory: Memory) -> None:
    assert listed(Server(NAMES, slow, memory).again) == NAMES
    assert slow == []


def test_memory_that_others_take_does_not_cancel_a_listing(memory: Memory) -> None:
    memory.growth = 2 * bounded_answers.PAGE_BYTES
    assert listed(Server(NAMES, [1] * 10, memory).again) == NAMES


def test_a_page_that_is_heavy_each_time_is_refused(memory: Memory) -> None:
    server = Server(NAMES, [1] * 10, memory)
    with pytest.raises(StorageAnswerError, match=r"takes more than 268,435,456 bytes of memory"):
        listed(server.again)
    assert len(server.slow) == 10 - given_up.TRIES


@pytest.mark.parametrize("others", [NAMES[1:], NAMES[:3], []])
def test_a_listing_that_begins_otherwise_the_second_time_is_refused(others: list[str], memory: Memory) -> None:
    servers = iter([Server(NAMES, [1], memory), Server(others, [], memory)])
    with pytest.raises(StorageAnswerError, match="other names when it was asked for again"):
        listed(lambda: next(servers))


def test_a_page_that_does_not_arrive_is_given_up(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_answers, "PAGE_SECONDS", 0.05)
    monkeypatch.setattr(given_up, "resident_bytes", lambda: 0)
    with pytest.raises(StorageAnswerError, match="nothing came of it in 0 seconds"):
        listed(Server(NAMES, [1], memory).again)


def test_errors_of_the_client_are_raised_as_they_are() -> None:
    class Broken(Server):
        async def __anext__(self) -> Sequence[ObjectMeta]:
            raise OSError("the client's")

    with pytest.raises(OSError, match="the client's"):
        listed(lambda: Broken(NAMES, [], Memory()))


def test_a_listing_works_inside_of_an_event_loop() -> None:
    async def list_here() -> list[str]:
        return listed(Server(NAMES, [], Memory()).again)

    assert asyncio.run(list_here()) == NAMES
