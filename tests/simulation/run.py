"""One simulation from one seed: a table, two to five writers, faults, and the verdict."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Mapping, Sequence

import attrs

from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.simulation.baton import Runner
from tests.simulation.faults import FaultRates, WriterCrashed
from tests.simulation.judge import History, Judge
from tests.simulation.store import START_MS, SimulatedStore, World
from tests.simulation.work import Kind, Worker
from tests.simulation.writer import Result, Writer, begin, writer_chance, writer_name

SCHEMA = (
    '{"type":"struct","fields":['
    '{"name":"id","type":"long","nullable":true,"metadata":{}},'
    '{"name":"p","type":"string","nullable":true,"metadata":{}}]}'
)
READ_BACK_EVERY = 4
TORN_SEEDS = 1_000_000
"""Seeds from here on tear listings too."""
TORN_RATE = 0.3
LEVELS = tuple(IsolationLevel)


@attrs.frozen(slots=True)
class Setting:
    """What is simulated, apart from who comes when."""

    level: IsolationLevel
    works: tuple[tuple[Kind, ...], ...]
    """For each writer its transactions in order."""
    rates: FaultRates = attrs.field(factory=FaultRates)
    configuration: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    max_retries: int | None = None
    keeps_handle: bool = True
    """Whether a writer goes on with one open table, or opens it for each transaction."""

    @classmethod
    def draw(cls, chance: random.Random) -> Setting:
        """Any of them."""
        kinds = chance.sample(list(Kind), chance.randint(1, 4)) if chance.random() < 0.6 else list(Kind)
        writers = chance.randint(2, 5)
        works = tuple(tuple(chance.choice(kinds) for _ in range(chance.randint(1, 3))) for _ in range(writers))
        configuration = {}
        if chance.random() < 0.3:
            configuration["delta.enableRowTracking"] = "true"
        if chance.random() < 0.3:
            configuration["delta.enableInCommitTimestamps"] = "true"
        return cls(
            chance.choice(LEVELS),
            works,
            FaultRates.draw(chance),
            configuration,
            chance.choice((0, 1, 3)) if chance.random() < 0.1 else None,
            chance.random() < 0.5,
        )


@attrs.frozen(slots=True)
class Summary:
    """What happened, for whoever wants to know whether the simulation tries anything."""

    results: tuple[tuple[Result, ...], ...]
    """What each writer was told of each transaction."""
    faults: int
    turns: int
    log: tuple[bytes, ...]
    """The commits, which a second run of the seed must write again byte by byte."""

    @property
    def endings(self) -> Counter[str]:
        """How many transactions ended how."""
        return Counter(result.ending for told in self.results for result in told)


class SimulatedWriter:
    """A writer's process among others: it runs its transactions in order, and starts again after a crash."""

    def __init__(self, number: int, world: World, setting: Setting, seed: int) -> None:
        self.runner = Runner(writer_name(number))
        self._world = world
        self._setting = setting
        self._kinds: Sequence[Kind] = setting.works[number]
        chance, self._skew_ms = writer_chance(number, seed)
        self._store = SimulatedStore(world, self.runner, setting.rates)
        worker = Worker(self.runner.name, chance, self.clock)
        self.writer = Writer(worker, self.clock, self.sleep, setting.max_retries)
        self.results: list[Result] = []

    def clock(self) -> int:
        """The clock of the writer's machine, which may be wrong."""
        return self._world.baton.now_ms + self._skew_ms

    def sleep(self, seconds: float) -> None:
        """Let others go on until the time has passed, unless time stands still."""
        if self._world.stands_still:
            return
        self.runner.wakes_ms = self._world.baton.now_ms + max(1, round(seconds * 1000))
        self._world.baton.pause(self.runner)

    def work(self) -> None:
        """All transactions of this writer."""
        log = DeltaLog(self._store, clock=self.clock)
        for kind in self._kinds:
            if not self._setting.keeps_handle:
                log = DeltaLog(self._store, clock=self.clock)
            try:
                self.results.append(self.writer.transact(kind, log))
            except WriterCrashed:
                self.results.append(Result("crashed"))
                log = DeltaLog(self._store, clock=self.clock)


@functools.lru_cache(maxsize=64)
def first_commits(level: IsolationLevel, properties: tuple[tuple[str, str], ...]) -> tuple[tuple[str, bytes], ...]:
    """Versions 0 and 1: the table, and some files in it."""
    ids = iter(range(100))
    store = MemoryStore("simulated", clock_ms=lambda: START_MS)
    log = DeltaLog(store, clock=lambda: START_MS)

    def start() -> OptimisticTransaction:
        return begin(log, lambda: START_MS, lambda: f"setup-id{next(ids)}", lambda _: None)

    creation = start()
    metadata = Metadata("table", schema_string=SCHEMA, partition_columns=("p",)).with_configuration(
        {
            "delta.feature.domainMetadata": "supported",
            "delta.isolationLevel": level.value,
            **dict(properties),
        }
    )
    creation.update_metadata_for_new_table(metadata)
    creation.commit([], operations.table_creation())
    files = Worker("setup", random.Random(0), lambda: START_MS)
    filling = start()
    filling.commit([*files.files_in_each_partition()], operations.write())
    return tuple((file.path, store.read(file.path)) for file in store.list_from("_delta_log/"))


def simulate(setting: Setting, world: World, seed: int, *, reads_back: bool = True) -> Summary:
    """Run the writers to their end and judge; with `reads_back` our reader's view of the table too.

    Raises `AssertionError`, or whatever a writer should not have raised.
    """
    for path, data in first_commits(setting.level, tuple(setting.configuration.items())):
        world.files.put_if_absent(path, data)
    writers = [SimulatedWriter(number, world, setting, seed) for number in range(len(setting.works))]
    world.baton.run([(writer.runner, writer.work) for writer in writers])
    world.deliver_all()
    intents = [intent for writer in writers for intent in writer.writer.intents]
    judge = Judge(History.of(world.files), {intent.transaction_id: intent.kind for intent in intents}, setting.level)
    judge.check_log()
    for intent in intents:
        judge.check_intent(intent)
    if reads_back:
        judge.check_reader()
    results = tuple(tuple(writer.results) for writer in writers)
    log = tuple(world.files.read(file.path) for file in world.files.list_from("_delta_log/"))
    return Summary(results, world.faults_met, world.baton.turns, log)


def run_seed(seed: int) -> Summary:
    """The simulation that `seed` stands for; the same each time. A failure names the seed."""
    chance = random.Random(seed)
    setting = Setting.draw(chance)
    if seed >= TORN_SEEDS:
        setting = attrs.evolve(setting, rates=attrs.evolve(setting.rates, torn=TORN_RATE))
    try:
        return simulate(setting, World(chance.randrange, chance), seed, reads_back=seed % READ_BACK_EVERY == 0)
    except Exception as error:
        raise SimulationFailedError(seed, setting) from error


class SimulationFailedError(AssertionError):
    """A seed under which the transactions broke a promise."""

    def __init__(self, seed: int, setting: Setting) -> None:
        self.seed = seed
        super().__init__(f"seed {seed} fails; replay: python -m tests.simulation --seed {seed}\n{setting}")
