"""Write Delta logs for tests, file by file, the broken ones included."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.log.names import LAST_CHECKPOINT, checkpoint_part_paths, checkpoint_path, commit_path
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.log.storage.memory_store import MemoryStore

Json = dict[str, Any]

PROTOCOL: Json = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
SCHEMA = '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}'


def metadata(configuration: Mapping[str, str] | None = None, schema: str = SCHEMA, table_id: str = "t") -> Json:
    return {
        "metaData": {
            "id": table_id,
            "format": {"provider": "parquet", "options": {}},
            "schemaString": schema,
            "partitionColumns": [],
            "configuration": dict(configuration or {}),
        }
    }


def add(path: str, **more: Any) -> Json:
    return {"add": {"path": path, "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True, **more}}


def remove(path: str, at: int = 5, **more: Any) -> Json:
    return {"remove": {"path": path, "deletionTimestamp": at, "dataChange": True, **more}}


def txn(app_id: str, app_version: int, **more: Any) -> Json:
    return {"txn": {"appId": app_id, "version": app_version, **more}}


def domain(name: str, configuration: str = "{}", removed: bool = False) -> Json:
    return {"domainMetadata": {"domain": name, "configuration": configuration, "removed": removed}}


def info(**more: Any) -> Json:
    return {"commitInfo": {"operation": "WRITE", **more}}


def lines(actions: Iterable[Json]) -> bytes:
    return b"".join(json.dumps(action).encode() + b"\n" for action in actions)


class CountingStore(MemoryStore):
    """Remembers what was read, for tests on what must not be."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        return super().read(path)

    def read_range(self, path: str, start: int, length: int) -> bytes:
        self.reads.append(path)
        return super().read_range(path, start, length)


class LogBuilder:
    """A log under construction; commits get the next free version."""

    def __init__(self, store: LogStore | None = None) -> None:
        self.store: LogStore = CountingStore() if store is None else store
        self.next_version = 0

    @classmethod
    def local(cls, folder: Path) -> LogBuilder:
        return cls(LocalStore(folder))

    @classmethod
    def started(cls, *actions: Json, configuration: Mapping[str, str] | None = None) -> LogBuilder:
        """A log whose first commit holds protocol, metadata and `actions`."""
        builder = cls()
        builder.commit(PROTOCOL, metadata(configuration), *actions)
        return builder

    def commit(self, *actions: Json) -> LogBuilder:
        return self.raw_commit(lines(actions))

    def raw_commit(self, data: bytes) -> LogBuilder:
        self.store.put_if_absent(commit_path(self.next_version), data)
        self.next_version += 1
        return self

    def commits(self, count: int) -> LogBuilder:
        """As many commits of one add each."""
        for _ in range(count):
            self.commit(add(f"file-{self.next_version}"))
        return self

    def put(self, path: str, data: bytes) -> LogBuilder:
        self.store.put(path, data)
        return self

    def checkpoint(self, table_version: int, actions: Iterable[Json], path: str | None = None) -> LogBuilder:
        return self.put(path or checkpoint_path(table_version), parquet(actions))

    def checkpoint_parts(self, table_version: int, parts: list[list[Json]]) -> LogBuilder:
        for path, actions in zip(checkpoint_part_paths(table_version, len(parts)), parts, strict=True):
            self.put(path, parquet(actions))
        return self

    def hint(self, table_version: int) -> LogBuilder:
        return self.put(LAST_CHECKPOINT, json.dumps({"version": table_version, "size": 1}).encode())

    def delete(self, path: str) -> LogBuilder:
        self.store.delete(path)
        return self

    def forget(self, *table_versions: int) -> LogBuilder:
        for table_version in table_versions:
            self.delete(commit_path(table_version))
        return self

    def listed(self) -> list[StoredFile]:
        return list(self.store.list_from("_delta_log/"))


TEXT_MAP = pa.map_(pa.string(), pa.string())
VECTOR = pa.struct(
    [
        ("storageType", pa.string()),
        ("pathOrInlineDv", pa.string()),
        ("offset", pa.int32()),
        ("sizeInBytes", pa.int32()),
        ("cardinality", pa.int64()),
    ]
)
CHECKPOINT_SCHEMA = pa.schema(
    [
        ("txn", pa.struct([("appId", pa.string()), ("version", pa.int64()), ("lastUpdated", pa.int64())])),
        (
            "add",
            pa.struct(
                [
                    ("path", pa.string()),
                    ("partitionValues", TEXT_MAP),
                    ("size", pa.int64()),
                    ("modificationTime", pa.int64()),
                    ("dataChange", pa.bool_()),
                    ("stats", pa.string()),
                    ("tags", TEXT_MAP),
                    ("deletionVector", VECTOR),
                ]
            ),
        ),
        (
            "remove",
            pa.struct(
                [
                    ("path", pa.string()),
                    ("deletionTimestamp", pa.int64()),
                    ("dataChange", pa.bool_()),
                    ("deletionVector", VECTOR),
                ]
            ),
        ),
        (
            "metaData",
            pa.struct(
                [
                    ("id", pa.string()),
                    ("format", pa.struct([("provider", pa.string()), ("options", TEXT_MAP)])),
                    ("schemaString", pa.string()),
                    ("partitionColumns", pa.list_(pa.string())),
                    ("configuration", TEXT_MAP),
                ]
            ),
        ),
        (
            "protocol",
            pa.struct(
                [
                    ("minReaderVersion", pa.int32()),
                    ("minWriterVersion", pa.int32()),
                    ("readerFeatures", pa.list_(pa.string())),
                    ("writerFeatures", pa.list_(pa.string())),
                ]
            ),
        ),
        (
            "domainMetadata",
            pa.struct([("domain", pa.string()), ("configuration", pa.string()), ("removed", pa.bool_())]),
        ),
        ("checkpointMetadata", pa.struct([("version", pa.int64()), ("tags", TEXT_MAP)])),
        (
            "sidecar",
            pa.struct([("path", pa.string()), ("sizeInBytes", pa.int64()), ("modificationTime", pa.int64())]),
        ),
    ]
)


def parquet(actions: Iterable[Json], row_group_size: int | None = None) -> bytes:
    """Actions as a checkpoint's Parquet file."""
    table = pa.Table.from_pylist(list(actions), schema=CHECKPOINT_SCHEMA)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=row_group_size)
    return bytes(sink.getvalue())
