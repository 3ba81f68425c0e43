"""A store in a simulated world: each call may hand control to another writer, and may go wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from deltaresolver.errors import (
    DeltaResolverError,
    PutOutcomeUnknownError,
    StorageUnavailableError,
    StoredFileExistsError,
)
from deltaresolver.log.names import commit_version
from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.log.storage.memory_store import MemoryStore
from tests.simulation.baton import Baton, Choose, Runner
from tests.simulation.faults import FaultRates, WriterCrashed

START_MS = 1_700_000_000_000
LONGEST_DELAY_TURNS = 12


class World:
    """The files, the time and the chance that all writers of one simulation share."""

    def __init__(
        self, choose: Choose, chance: random.Random, *, stands_still: bool = False, choosable_losses: int = 0
    ) -> None:
        self.baton = Baton(choose, START_MS, before_each_turn=self._deliver, starts_in_order=stands_still)
        self.chance = chance
        self.stands_still = stands_still
        """Whether time does not pass, so that only the order of calls decides what happens."""
        self.files = MemoryStore("simulated", clock_ms=lambda: self.baton.now_ms)
        self.faults_met = 0
        self._choose = choose
        self._choosable_losses = choosable_losses
        self._late: list[tuple[int, str, bytes]] = []

    def loses_reply(self) -> bool:
        """Whether the chooser, as long as losses are left to it, lets the answer to this put get lost."""
        is_lost = self._choosable_losses > 0 and self._choose(2) == 1
        self._choosable_losses -= is_lost
        return is_lost

    def put_later(self, path: str, data: bytes) -> None:
        """The put reaches the store after some more turns."""
        self._late.append((self.baton.turns + self.chance.randint(1, LONGEST_DELAY_TURNS), path, data))

    def deliver_all(self) -> None:
        """Whatever is still under way arrives."""
        self._deliver(everything=True)

    def _deliver(self, *, everything: bool = False) -> None:
        due = [put for put in self._late if everything or put[0] <= self.baton.turns]
        for put in due:
            self._late.remove(put)
            try:
                self.files.put_if_absent(put[1], put[2])
            except StoredFileExistsError:
                continue


class SimulatedStore(MemoryStore):
    """One writer's way to the shared files.

    A reader may fetch files in threads of its own. They hold no turn and their order is not ours, so what they read
    goes through. It is a `MemoryStore` so that the log is read as from one: nearby.
    """

    def __init__(self, world: World, runner: Runner, rates: FaultRates) -> None:
        super().__init__(world.files.location)
        self._world = world
        self._runner = runner
        self._rates = rates
        self._in_doubt = ""

    @property
    def location(self) -> str:
        """The shared files' name."""
        return self._world.files.location

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """The listing, or one that lacks the newest commits, or some that came while it was made."""
        self._pause()
        self._fail_sometimes(path)
        found = self._list_slowly(path) if self._happens(self._rates.torn) else list(self._world.files.list_from(path))
        if self._happens(self._rates.stale):
            newest = max((version for version in map(_version, found) if version is not None), default=-1)
            limit = max(newest - self._world.chance.randint(0, 2), 0)
            found = [file for file in found if (_version(file) or 0) <= limit]
        return iter(found)

    def _list_slowly(self, path: str) -> list[StoredFile]:
        shown = {file.path for file in self._world.files.list_from(path)}
        for _ in range(self._world.chance.randint(1, LONGEST_DELAY_TURNS)):
            self._pause()
        now = self._world.files.list_from(path)
        return [file for file in now if file.path in shown or self._world.chance.random() < 0.5]

    def read(self, path: str) -> bytes:
        """The file. Commits never change, so control changes hands only where one in doubt is looked for.

        (A pause while a lazy attribute is computed would hold the lock that Python 3.11 takes for it.)
        """
        if self._runner.is_here:
            if path == self._in_doubt:
                self._in_doubt = ""
                self._pause()
            self._fail_sometimes(path)
        return self._world.files.read(path)

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """As `read`, without a pause."""
        if self._runner.is_here:
            self._fail_sometimes(path)
        return self._world.files.read_range(path, start, length)

    def put_if_absent(self, path: str, data: bytes) -> None:
        """The put, with everything that can happen to one."""
        self._world.baton.pause(self._runner)
        self._crash_sometimes()
        if self._happens(self._rates.refused):
            raise _error(StorageUnavailableError, f"Nothing of {path} was sent.")
        if self._happens(self._rates.late):
            self._world.put_later(path, data)
            self._in_doubt = path
            raise _error(PutOutcomeUnknownError, f"No answer to the put of {path}.")
        is_lost = self._happens(self._rates.lost_reply) or self._world.loses_reply()
        try:
            self._world.files.put_if_absent(path, data)
        except StoredFileExistsError:
            if not is_lost:
                raise
        self._crash_sometimes()
        if is_lost:
            self._in_doubt = path
            raise _error(PutOutcomeUnknownError, f"No answer to the put of {path}.")

    def put(self, path: str, data: bytes) -> None:
        """Goes through."""
        self._pause()
        self._world.files.put(path, data)

    def delete(self, path: str) -> None:
        """Goes through."""
        self._pause()
        self._world.files.delete(path)

    def _pause(self) -> None:
        if not self._world.stands_still:
            self._world.baton.now_ms += self._world.chance.randint(0, 3)
        self._world.baton.pause(self._runner)

    def _happens(self, rate: float) -> bool:
        happens = rate > 0 and self._world.chance.random() < rate
        self._world.faults_met += happens
        return happens

    def _fail_sometimes(self, path: str) -> None:
        if self._happens(self._rates.unreadable):
            raise _error(StorageUnavailableError, f"{path} could not be read.")

    def _crash_sometimes(self) -> None:
        if self._happens(self._rates.crash):
            raise WriterCrashed


def _version(file: StoredFile) -> int | None:
    return commit_version(file.path)


def _error(kind: Callable[..., DeltaResolverError], message: str) -> DeltaResolverError:
    return kind(message, fix="Try again.")
