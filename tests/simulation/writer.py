"""One writer's process: transactions one after another, and what it was told of each."""

from __future__ import annotations

import random
from collections.abc import Callable

import attrs

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import (
    CommitOutcomeUnknownError,
    CommitRetriesExceededError,
    ConcurrentModificationError,
    PostCommitError,
    StorageUnavailableError,
)
from deltaresolver.log.log import DeltaLog
from deltaresolver.transaction.settings import MAX_RETRIES
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.simulation.work import Intent, Kind, Worker

COMMITTED = "committed"
NOTHING_TO_DO = "nothing to do"


@attrs.frozen(slots=True)
class Result:
    """What a writer was told of one transaction."""

    ending: str
    """A word of this module, or the name of an error that a writer has to expect."""
    read_version: int | None = None
    version_told: int | None = None


@attrs.define(slots=True, eq=False)
class Writer:
    """Runs transactions, one at a time; ids never repeat."""

    worker: Worker
    clock: Callable[[], int]
    sleep: Callable[[float], None]
    max_retries: int | None = None
    ids: int = 0
    """How many ids were given out."""
    intents: list[Intent] = attrs.Factory(list)

    def new_id(self) -> str:
        """Never the same twice."""
        self.ids += 1
        return f"{self.worker.name}-id{self.ids}"

    def transact(self, kind: Kind, log: DeltaLog) -> Result:
        """One transaction and how it ended; its intent is among the intents as soon as it is planned."""
        intent: Intent | None = None
        try:
            transaction = begin(log, self.clock, self.new_id, self.sleep, self.max_retries)
            plan = self.worker.plan(kind, transaction)
            if plan is None:
                return Result(NOTHING_TO_DO)
            intent, actions, operation = plan
            self.intents.append(intent)
            try:
                intent.version_told = transaction.commit(actions, operation)
            except PostCommitError:
                # A store whose listing lags does not show the commit yet; it stands all the same.
                assert transaction.committed is not None
                intent.version_told = transaction.committed.table_version
        except (ConcurrentModificationError, CommitRetriesExceededError) as error:
            assert intent is not None, "nothing can be refused before it is planned"
            intent.failed_for_good = f"{type(error).__name__}: {error}"
            return Result(type(error).__name__, intent.read_version)
        except StorageUnavailableError as error:
            if intent is not None:
                intent.failed_for_good = f"{type(error).__name__}: {error}"
            return Result(type(error).__name__)
        except CommitOutcomeUnknownError as error:
            return Result(type(error).__name__)
        return Result(COMMITTED, intent.read_version, intent.version_told)


def writer_name(number: int) -> str:
    """The name of a simulation's writer."""
    return f"w{number}"


def writer_chance(number: int, seed: int) -> tuple[random.Random, int]:
    """What a writer draws its plans from, and by how many milliseconds its clock is wrong."""
    chance = random.Random(f"{seed} writer {number}")
    return chance, 0 if chance.random() < 0.5 else chance.randint(-5_000, 5_000)


def begin(
    log: DeltaLog,
    clock: Callable[[], int],
    new_id: Callable[[], str],
    sleep: Callable[[float], None],
    max_retries: int | None = None,
) -> OptimisticTransaction:
    """The transaction under test, with all that decides it handed in."""
    return OptimisticTransaction(
        log,
        delta_spark_catalog(),
        session={} if max_retries is None else {MAX_RETRIES: str(max_retries)},
        clock=clock,
        new_id=new_id,
        sleep=sleep,
        engine_info="simulation",
    )
