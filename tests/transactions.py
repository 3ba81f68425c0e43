"""A small table in memory, and transactions on it that do the same on every run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.actions import Action, AddFile, RemoveFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.logs import lines

NOW_MS = 1_700_000_000_000
SCHEMA = (
    '{"type":"struct","fields":['
    '{"name":"id","type":"long","nullable":true,"metadata":{}},'
    '{"name":"p","type":"string","nullable":true,"metadata":{}}]}'
)


class Clock:
    """Counts one millisecond at each look."""

    def __init__(self, start: int = NOW_MS) -> None:
        self.now = start

    def __call__(self) -> int:
        self.now += 1
        return self.now


class Scene:
    """One table, and what its transactions are given from outside."""

    def __init__(self, store: LogStore | None = None) -> None:
        self.clock = Clock()
        self.store = MemoryStore(clock_ms=self.clock) if store is None else store
        self.slept: list[float] = []
        self._ids = itertools.count()

    def new_id(self) -> str:
        return f"id-{next(self._ids)}"

    def begin(self, **more: Any) -> OptimisticTransaction:
        """A transaction on the latest version, through a handle of its own."""
        given: dict[str, Any] = {
            "clock": self.clock,
            "new_id": self.new_id,
            "sleep": self.slept.append,
            "engine_info": "test",
        }
        return OptimisticTransaction(DeltaLog(self.store), delta_spark_catalog(), **{**given, **more})

    def create(
        self, configuration: Mapping[str, str] | None = None, *, schema: str = SCHEMA, partitioned: bool = True
    ) -> None:
        """Version 0: the table, empty."""
        transaction = self.begin()
        transaction.update_metadata_for_new_table(
            Metadata("t", schema_string=schema, partition_columns=("p",) if partitioned else ()).with_configuration(
                configuration or {}
            )
        )
        transaction.commit([], operations.table_creation())

    def append(self, *files: AddFile) -> int:
        return self.begin().commit(list(files), operations.write())

    def set_properties(self, **properties: str) -> int:
        transaction = self.begin()
        before = transaction.metadata
        named = {key.replace("__", "."): value for key, value in properties.items()}
        transaction.update_metadata(before.with_configuration({**before.configuration, **named}))
        return transaction.commit([], operations.set_properties(named))

    def put_commit(self, table_version: int, actions: Iterable[dict[str, Any]]) -> None:
        """A commit as another writer would leave it, checked by nobody."""
        self.store.put_if_absent(commit_path(table_version), lines(actions))

    def snapshot(self) -> Any:
        return DeltaLog(self.store).snapshot()


def add(path: str, partition: str | None = "a", rows: int | None = 10, **more: Any) -> AddFile:
    stats = None if rows is None else f'{{"numRecords":{rows}}}'
    values: Mapping[str, str | None] = more.pop("partition_values", {"p": partition})
    return AddFile(path, values, 100, NOW_MS, data_change=more.pop("data_change", True), stats=stats, **more)


def remove(path: str, partition: str | None = "a", *, data_change: bool = True) -> RemoveFile:
    return RemoveFile(path, NOW_MS, data_change=data_change, partition_values={"p": partition})


def of_kind(kind: type[Any], actions: Iterable[Action]) -> list[Any]:
    return [action for action in actions if isinstance(action, kind)]


class FaultStore(MemoryStore):
    """A table in memory on which chosen puts go wrong.

    Each entry of `faults` is used up by one put: a function that is given the real put to call or not, and may
    raise. `None` lets the put through.
    """

    def __init__(self, faults: Iterable[Callable[[Callable[[], None]], None] | None] = ()) -> None:
        super().__init__()
        self.faults = list(faults)
        self.reads_that_fail = 0

    def put_if_absent(self, path: str, data: bytes) -> None:
        fault = self.faults.pop(0) if self.faults else None
        if fault is None:
            super().put_if_absent(path, data)
        else:
            fault(lambda: MemoryStore.put_if_absent(self, path, data))
