"""One baton for several threads: exactly one runs, and a chooser says which one goes on at each pause.

Threads, because the code under simulation is ordinary code that calls its store; the baton makes their order a pure
function of the chooser's answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

Choose = Callable[[int], int]
"""Given how many could go on, says which: a number from 0."""


class Runner:
    """One thread of the simulation, as the baton sees it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.wakes_ms = 0
        """Simulated time before which it sleeps."""
        self.has_started = False
        self.is_done = False
        self._turn = _shut_gate()
        self._thread = 0

    def begin(self) -> None:
        """Called in the thread that is the runner's: it waits for its first turn."""
        self._thread = threading.get_ident()
        self.wait_for_turn()

    @property
    def is_here(self) -> bool:
        """Whether the caller is the runner's own thread, not one that works for it."""
        return self._thread == threading.get_ident()

    def wait_for_turn(self) -> None:
        """Block until the baton comes."""
        self._turn.acquire()

    def give_turn(self) -> None:
        """Hand the baton over."""
        self.has_started = True
        self._turn.release()


class Baton:
    """Passes control between runners. `now_ms` is simulated time; it jumps when everyone sleeps.

    With `starts_in_order` nobody goes on before everyone has come to a first pause, and the chooser is not asked.
    """

    def __init__(
        self,
        choose: Choose,
        now_ms: int,
        *,
        before_each_turn: Callable[[], None] = lambda: None,
        starts_in_order: bool = False,
    ) -> None:
        self.now_ms = now_ms
        self.turns = 0
        self._choose = choose
        self._before_each_turn = before_each_turn
        self._starts_in_order = starts_in_order
        self._runners: list[Runner] = []
        self._main = _shut_gate()
        self._failure: BaseException | None = None

    def run(self, works: Sequence[tuple[Runner, Callable[[], None]]]) -> None:
        """Run all works to their end. Raises what one of them raises, after all have ended."""
        self._runners = [runner for runner, _ in works]
        threads = [threading.Thread(target=self._run_one, args=work, daemon=True) for work in works]
        for thread in threads:
            thread.start()
        self._next().give_turn()
        self._main.acquire()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            raise self._failure

    def _run_one(self, runner: Runner, work: Callable[[], None]) -> None:
        runner.begin()
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - told to the caller of `run`
            self._failure = self._failure or error
        runner.is_done = True
        if all(each.is_done for each in self._runners):
            self._main.release()
        else:
            self._next().give_turn()

    def pause(self, runner: Runner) -> None:
        """Let the chooser decide who goes on; returns when it is this runner's turn again."""
        following = self._next()
        if following is not runner:
            following.give_turn()
            runner.wait_for_turn()

    def _next(self) -> Runner:
        self.turns += 1
        self._before_each_turn()
        alive = [runner for runner in self._runners if not runner.is_done]
        if self._starts_in_order:
            waiting = next((runner for runner in alive if not runner.has_started), None)
            if waiting is not None:
                return waiting
        awake = [runner for runner in alive if runner.wakes_ms <= self.now_ms]
        if not awake:
            self.now_ms = min(runner.wakes_ms for runner in alive)
            awake = [runner for runner in alive if runner.wakes_ms <= self.now_ms]
        return awake[0] if len(awake) == 1 else awake[self._choose(len(awake))]


def _shut_gate() -> threading.Lock:
    """A lock somebody waits at until it is released; far cheaper than a semaphore, and each turn takes one."""
    gate = threading.Lock()
    gate.acquire()
    return gate
