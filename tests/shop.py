"""One table in memory under a clock of its own, on which features come and go."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import attrs

from deltaresolver.defaults import default_catalog
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.actions import AddFile, DeletionVector
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.create.create_table import NewTable, create_table
from deltaresolver.transaction.starter import TransactionStarter

SCHEMA = '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}'
HOUR_MS = 3_600_000
VECTOR = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 36, 1)


@attrs.define
class Clock:
    now: int = 1_700_000_000_000

    def __call__(self) -> int:
        self.now += 1_000
        return self.now


class Shop:
    """One table in memory under a clock of its own."""

    def __init__(self, properties: Mapping[str, str] | None = None, schema: str = SCHEMA) -> None:
        self.clock = Clock()
        self.store = MemoryStore(clock_ms=self.clock)
        create_table(self.starter(), NewTable(schema, properties=properties or {}))

    def starter(self, **session: str) -> TransactionStarter:
        named = {key.replace("__", "."): value for key, value in session.items()}
        log = DeltaLog(self.store, clock=self.clock)
        return TransactionStarter(log, default_catalog(), named, clock=self.clock)

    @property
    def snapshot(self) -> Snapshot:
        return DeltaLog(self.store, clock=self.clock).snapshot()

    def append(self, name: str = "a", **more: object) -> int:
        file = AddFile(name, {}, 1, 1, data_change=True, stats='{"numRecords":2,"tightBounds":false}', **more)  # type: ignore[arg-type]
        return self.starter().start().commit((file,), operations.write())

    def lines(self, table_version: int) -> Iterator[dict[str, object]]:
        return map(json.loads, self.store.read(f"_delta_log/{table_version:020}.json").splitlines())
