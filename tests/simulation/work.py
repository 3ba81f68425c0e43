"""The transactions that simulated writers run, and what each of them must have told truly."""

from __future__ import annotations

import enum
import random
from collections.abc import Callable, Mapping, Sequence

import attrs

from deltaresolver.model.actions import Action, AddFile, DomainMetadata, RemoveFile, SetTransaction
from deltaresolver.model.operation import Operation
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction

PARTITIONS = ("a", "b", "c")
COUNTER = "simulation.counter"
DOMAIN = "simulation.domain"


class Kind(enum.Enum):
    """What a transaction does."""

    APPEND = "append"
    APPEND_ONCE = "append once, by application version"
    DELETE = "read, then delete"
    UPDATE = "read, then replace"
    COPY = "read one partition, append to another"
    OPTIMIZE = "rewrite without change"
    CLEAR = "read everything, delete everything"
    METADATA = "count up in the table's properties"
    DOMAIN = "count up in a metadata domain"


FILE_KINDS = frozenset({Kind.DELETE, Kind.UPDATE, Kind.COPY, Kind.OPTIMIZE, Kind.CLEAR})


@attrs.define(slots=True, eq=False)
class Intent:
    """One transaction as its writer saw it: what it read, what it meant to write, how it ended."""

    kind: Kind
    transaction_id: str
    read_version: int
    read_partitions: frozenset[str] | None = None
    """The partitions whose files it read; None for none."""
    files_read: frozenset[str] = frozenset()
    application: tuple[str, int] | None = None
    """The application asked for and the version it had."""
    counter_read: int | None = None
    domain_read: int | None = None
    adds: frozenset[str] = frozenset()
    removes: frozenset[str] = frozenset()
    version_told: int | None = None
    """The version the writer was told it committed."""
    failed_for_good: str | None = None
    """The error by which the writer was told that nothing was committed."""


Plan = tuple[Intent, list[Action], Operation]


class Worker:
    """Plans transactions for one writer; file names never repeat."""

    def __init__(self, name: str, chance: random.Random, clock: Callable[[], int], files: int = 0) -> None:
        self.name = name
        self.chance = chance
        self.files = files
        """How many were named."""
        self._clock = clock

    def plan(self, kind: Kind, transaction: OptimisticTransaction) -> Plan | None:
        """Read what the kind reads and say what to commit; None if there is nothing to do."""
        intent = Intent(kind, transaction.transaction_id, transaction.read_version)
        actions = _PLANNERS[kind](self, transaction, intent)
        if actions is None:
            return None
        intent.adds = frozenset(action.path for action in actions if isinstance(action, AddFile))
        intent.removes = frozenset(action.path for action in actions if isinstance(action, RemoveFile))
        return intent, actions, _OPERATIONS[kind]()

    def append(self, transaction: OptimisticTransaction, intent: Intent) -> list[Action] | None:
        return [self._new_file(self._partition()) for _ in range(self.chance.randint(1, 2))]

    def append_once(self, transaction: OptimisticTransaction, intent: Intent) -> list[Action] | None:
        application = self.chance.choice((self.name, "shared"))
        known = transaction.txn_version(application)
        intent.application = application, known
        return [SetTransaction(application, known + 1, self._clock()), self._new_file(self._partition())]

    def delete(self, transaction: OptimisticTransaction, intent: Intent) -> list[Action] | None:
        files = self._read(transaction, intent)
        if not files:
            return None
        return [self._removal(file) for file in self.chance.sample(files, self.chance.randint(1, len(files)))]

    def update(self, transaction: OptimisticTransaction, intent: Intent) -> list[Action] | None:
        files = self._read(transaction, intent)
        if not files:
            return None
        file = self.chance.choice(files)
        return [self._removal(file), self._new_file(str(file.partition_values["p"]))]

    def copy(self, transaction: OptimisticTransaction, intent: Intent) -> list[Action] | None:
        self._read(transaction, intent)
        return [self._new_file(self._partition())]

    def optimize(self, transaction: OptimisticTransaction, intent: Intent) -> list[Action] | None:
        partition = self._partition()
        files = self._read(transaction, intent, (partition,))
        if len(files) < 2:
            return None
        rewritten = attrs.evolve(self._new_file(partition), data_change=False)
        return [*(self._removal(file, data_change=False) for file in files), rewritten]

    def clear(self, transaction: OptimisticTransaction, intent: Intent) -> list[Action] | None:
        transaction.read_whole_table()
        files = self._read(transaction, intent, PARTITIONS)
        return [self._removal(file) for file in files] or None

    def metadata(self, transaction: OptimisticTransaction, intent: Intent) -> list[Action] | None:
        before = transaction.metadata
        intent.counter_read = int(before.configuration.get(COUNTER, "0"))
        counted = {COUNTER: str(intent.counter_read + 1)}
        transaction.update_metadata(before.with_configuration({**before.configuration, **counted}))
        return []

    def domain(self, transaction: OptimisticTransaction, intent: Intent) -> list[Action] | None:
        assert transaction.snapshot is not None
        known = transaction.snapshot.domains.get(DOMAIN)
        intent.domain_read = 0 if known is None else int(known.configuration)
        return [DomainMetadata(DOMAIN, str(intent.domain_read + 1))]

    def _read(
        self, transaction: OptimisticTransaction, intent: Intent, partitions: Sequence[str] | None = None
    ) -> list[AddFile]:
        """Read the files of some partitions, said to the transaction in one of several ways."""
        chosen = sorted(self.chance.sample(PARTITIONS, self.chance.randint(1, 3))) if partitions is None else partitions
        if len(chosen) == len(PARTITIONS):
            predicates = self.chance.choice(((), ("id > 5",), ("p IS NOT NULL", "id IS NOT NULL")))
        elif len(chosen) == 1:
            predicates = self.chance.choice(((f"p = '{chosen[0]}'",), (f"p = '{chosen[0]}'", "id > 5")))
        else:
            names = ", ".join(f"'{name}'" for name in chosen)
            other = " OR ".join(f"p = '{name}'" for name in chosen)
            predicates = self.chance.choice(((f"p IN ({names})",), (other,)))
        files = transaction.filter_files(*predicates)
        intent.read_partitions = frozenset(chosen)
        intent.files_read = frozenset(file.path for file in files)
        return files

    def files_in_each_partition(self, count: int = 2) -> list[AddFile]:
        """Files to begin with."""
        return [self._new_file(partition) for partition in PARTITIONS for _ in range(count)]

    def _partition(self) -> str:
        return self.chance.choice(PARTITIONS)

    def _new_file(self, partition: str) -> AddFile:
        self.files += 1
        path = f"p={partition}/{self.name}-{self.files}.parquet"
        rows = self.chance.randint(1, 9)
        return AddFile(path, {"p": partition}, 100, self._clock(), data_change=True, stats=f'{{"numRecords":{rows}}}')

    def _removal(self, file: AddFile, *, data_change: bool = True) -> RemoveFile:
        return RemoveFile(
            file.path,
            self._clock(),
            data_change=data_change,
            extended_file_metadata=True,
            partition_values=file.partition_values,
            size=file.size,
            stats=file.stats,
            base_row_id=file.base_row_id,
            default_row_commit_version=file.default_row_commit_version,
        )


_PLANNERS: Mapping[Kind, Callable[[Worker, OptimisticTransaction, Intent], list[Action] | None]] = {
    Kind.APPEND: Worker.append,
    Kind.APPEND_ONCE: Worker.append_once,
    Kind.DELETE: Worker.delete,
    Kind.UPDATE: Worker.update,
    Kind.COPY: Worker.copy,
    Kind.OPTIMIZE: Worker.optimize,
    Kind.CLEAR: Worker.clear,
    Kind.METADATA: Worker.metadata,
    Kind.DOMAIN: Worker.domain,
}
_OPERATIONS: Mapping[Kind, Callable[[], Operation]] = {
    Kind.APPEND: operations.write,
    Kind.APPEND_ONCE: lambda: operations.streaming_update("Append", "query", 1),
    Kind.DELETE: lambda: operations.with_predicate("DELETE"),
    Kind.UPDATE: lambda: operations.with_predicate("UPDATE"),
    Kind.COPY: operations.write,
    Kind.OPTIMIZE: operations.optimize,
    Kind.CLEAR: lambda: operations.with_predicate("DELETE"),
    Kind.METADATA: lambda: operations.set_properties({COUNTER: "+1"}),
    Kind.DOMAIN: operations.manual_update,
}
