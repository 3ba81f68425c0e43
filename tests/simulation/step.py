"""One transaction as a function: from what its writer was like and was answered, to what it calls next."""

from __future__ import annotations

import random
from typing import Any

import attrs

from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Clock, Snapshot
from deltaresolver.model.commit.draft import IsolationLevel
from tests.simulation.run import first_commits
from tests.simulation.scripted_store import Answer, Call, Log, ScriptedStore, ScriptEnded, without_read_version
from tests.simulation.store import START_MS
from tests.simulation.work import Intent, Kind, Worker
from tests.simulation.writer import Result, Writer, writer_chance, writer_name


@attrs.frozen(slots=True)
class Between:
    """A writer between two transactions."""

    number: int
    chance: tuple[Any, ...]
    """The state of what it draws from."""
    skew_ms: int
    files: int = 0
    ids: int = 0

    @classmethod
    def first(cls, number: int, seed: int) -> Between:
        """Before the first transaction."""
        chance, skew_ms = writer_chance(number, seed)
        return cls(number, chance.getstate(), skew_ms)


@attrs.frozen(slots=True, eq=False)
class Ended:
    """The transaction is over."""

    result: Result
    intent: Intent | None
    after: Between


class SharedLog(DeltaLog):
    """A log that is listed anew each time, as every log, but read once for all steps that find the same commits."""

    def __init__(self, store: ScriptedStore, clock: Clock, known: dict[Log, Snapshot]) -> None:
        super().__init__(store, clock=clock)
        self._scripted = store
        self._known = known

    def update(self) -> Snapshot:
        """The latest version."""
        snapshot = super().update()
        return self._known.setdefault(self._scripted.log, snapshot)


@attrs.define(slots=True, eq=False)
class Steps:
    """The steps that writers of one isolation level take, each run once: the same answers lead to the same call.

    That is so because all else that decides is held still, and `ScriptedStore` notices a call that is not the same.
    """

    level: IsolationLevel
    _known: dict[tuple[Kind, int, tuple[Answer, ...]], Call | Ended] = attrs.Factory(dict)
    _numbers: dict[Between, int] = attrs.Factory(dict)
    _same: dict[Between, Between] = attrs.Factory(dict)
    _snapshots: dict[Log, Snapshot] = attrs.Factory(dict)

    @property
    def first_log(self) -> Log:
        """What all find when they begin."""
        return tuple(without_read_version(data) for _, data in first_commits(self.level, ()))

    @property
    def count(self) -> int:
        """How many steps were run."""
        return len(self._known)

    def next(self, kind: Kind, before: Between, answers: tuple[Answer, ...]) -> Call | Ended:
        """What a transaction does after these answers. Raises what its writer should not have raised."""
        key = kind, self._numbers.setdefault(before, len(self._numbers)), answers
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._run(kind, before, answers)
        return known

    def _run(self, kind: Kind, before: Between, answers: tuple[Answer, ...]) -> Call | Ended:
        chance = random.Random()
        chance.setstate(before.chance)
        worker = Worker(writer_name(before.number), chance, lambda: START_MS + before.skew_ms, before.files)
        writer = Writer(worker, lambda: START_MS + before.skew_ms, lambda _: None, ids=before.ids)
        store = ScriptedStore(self.first_log, answers)
        try:
            result = writer.transact(kind, SharedLog(store, writer.clock, self._snapshots))
        except ScriptEnded as end:
            return end.call
        after = Between(before.number, chance.getstate(), before.skew_ms, worker.files, writer.ids)
        # One object for equal ones: each holds the whole state of a generator.
        return Ended(result, next(iter(writer.intents), None), self._same.setdefault(after, after))
