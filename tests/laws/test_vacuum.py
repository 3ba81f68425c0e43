"""Law: after any VACUUM every retained version has all its files, and orphans that are old enough are gone."""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Iterator
from itertools import count
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.transaction.starter import TransactionStarter
from deltaresolver.transaction.vacuum.request import RETENTION_CHECK, VacuumKind, VacuumRequest
from deltaresolver.transaction.vacuum.vacuum_table import vacuum_table

HOUR = 3_600_000
# As stored, and as the log calls it.
DATA = {
    "a.parquet": "a.parquet",
    "d=1/b.parquet": "d=1/b.parquet",
    "d=x y/c.parquet": "d=x%20y/c.parquet",
    "d=x%2Fy/e.parquet": "d=x%252Fy/e.parquet",
    "f.parquet": "./f.parquet",
    "g.parquet": "s3a://other-name-of-the-same-place/lake/t/g.parquet",
    "_day=1/h.parquet": "_day=1/h.parquet",
    "é.parquet": "e%CC%81.parquet",
}
ORPHANS = ["orphan.parquet", "d=1/orphan", "_day=3/orphan", "_change_data/old", "w1/part-0"]
HIDDEN = ["_spark_metadata/0", "d=1/_SUCCESS", "_temporary/0/part", ".crc"]
VECTORS = [uuid.UUID(int=number) for number in range(3)]


def vector(number: int) -> dict[str, Any]:
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    words, text = VECTORS[number].bytes, ""
    for start in range(0, 16, 4):
        value, digits = int.from_bytes(words[start : start + 4], "big"), ""
        for _ in range(5):
            value, digit = divmod(value, 85)
            digits = alphabet[digit] + digits
        text += digits
    return {"storageType": "u", "pathOrInlineDv": text, "offset": 1, "sizeInBytes": 3, "cardinality": 1}


def vector_file(number: int) -> str:
    return f"deletion_vector_{VECTORS[number]}.bin"


@attrs.frozen
class History:
    """A table, and for each version since when it is the latest and which files it consists of."""

    store: MemoryStore
    versions: list[tuple[int, set[str]]]
    now: list[int]


class DatedStore(MemoryStore):
    def __init__(self, now: list[int]) -> None:
        super().__init__(clock_ms=lambda: now[0])


FIRST: list[dict[str, Any]] = [
    {
        "protocol": {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": ["deletionVectors"],
            "writerFeatures": ["deletionVectors"],
        }
    },
    {
        "metaData": {
            "id": "t",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps(
                {
                    "type": "struct",
                    "fields": [
                        {"name": name, "type": "string", "nullable": True, "metadata": {}} for name in ("id", "_day")
                    ],
                }
            ),
            "partitionColumns": ["_day"],
            "configuration": {},
        }
    },
]


@st.composite
def histories(draw: st.DrawFn) -> History:
    now = [HOUR * 10_000]
    store = DatedStore(now)
    live: dict[str, int | None] = {}
    versions: list[tuple[int, set[str]]] = []
    for number in range(draw(st.integers(1, 7))):
        now[0] += draw(st.integers(0, 3)) * HOUR
        actions = list(FIRST) if number == 0 else []
        for path in draw(st.lists(st.sampled_from(sorted(DATA)), max_size=4, unique=True)):
            mark = draw(st.none() | st.integers(0, 2))
            if path in live:
                old = {} if live[path] is None else {"deletionVector": vector(live[path] or 0)}
                actions.append({"remove": {"path": DATA[path], "deletionTimestamp": now[0], "dataChange": True, **old}})
            if path not in live or (mark is not None and mark != live[path]):
                store.put(path, b"rows") if path not in live else None
                if mark is not None:
                    store.put(vector_file(mark), b"bits")
                more = {} if mark is None else {"deletionVector": vector(mark)}
                file = {"path": DATA[path], "partitionValues": {"_day": None}, "size": 4, "modificationTime": 1}
                actions.append({"add": {**file, "dataChange": True, **more}})
                live[path] = mark
            else:
                del live[path]
        now[0] += 1
        store.put_if_absent(commit_path(number), b"".join(json.dumps(one).encode() + b"\n" for one in actions))
        files = {*live, *(vector_file(mark) for mark in live.values() if mark is not None)}
        versions.append((now[0], files))
        for path in draw(st.lists(st.sampled_from(ORPHANS + HIDDEN), max_size=3)):
            store.put(path, b"nobody's")
        if draw(st.integers(0, 4)) == 0:
            write_checkpoint(DeltaLog(store, clock=lambda: now[0]).snapshot(), store, delta_spark_catalog())
    return History(store, versions, now)


def starter_of(history: History, store: LogStore | None = None) -> TransactionStarter:
    log = DeltaLog(history.store if store is None else store, clock=lambda: history.now[0])
    session = {RETENTION_CHECK: "false"}
    return TransactionStarter(log, delta_spark_catalog(), session, clock=lambda: history.now[0])


def stored(store: LogStore) -> dict[str, int]:
    return {file.path: file.modified_ms for file in store.list_below("") if not file.path.startswith("_delta_log/")}


def retained(history: History, cutoff: int) -> Iterator[set[str]]:
    """The files of versions that were the latest one at the cut-off or later."""
    ends = [start for start, _ in history.versions[1:]] + [history.now[0] + 1]
    for (_, files), end in zip(history.versions, ends, strict=True):
        if end > cutoff:
            yield files


kinds = st.sampled_from(list(VacuumKind))


@given(histories(), st.integers(0, 8), kinds, st.integers(0, 9))
def test_every_retained_version_has_its_files_and_orphans_are_deleted(
    history: History, hours: int, kind: VacuumKind, later: int
) -> None:
    history.now[0] += later * HOUR + 1
    cutoff = history.now[0] - hours * HOUR
    before = stored(history.store)
    request = VacuumRequest(hours, kind)
    said = vacuum_table(starter_of(history), attrs.evolve(request, dry_run=True))
    assert stored(history.store) == before
    outcome = vacuum_table(starter_of(history), request)
    after = stored(history.store)
    assert said.paths == outcome.paths
    # What the log names may be gone already, or be spelt as no file is.
    assert before.keys() - after.keys() == (before.keys() & set(outcome.paths))
    assert kind is VacuumKind.LITE or set(outcome.paths) <= before.keys()
    for files in retained(history, cutoff):
        assert files <= after.keys()
    assert all(path in after for path, at in before.items() if path in HIDDEN or at >= cutoff)
    if kind is VacuumKind.FULL:
        assert not [path for path, at in after.items() if path in ORPHANS and at < cutoff]
        needed = set().union(*retained(history, cutoff))
        assert not [path for path, at in after.items() if at < cutoff and path not in needed | set(HIDDEN)]


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(histories(), st.integers(0, 8), kinds, st.integers(0, 9))
def test_every_retained_version_of_many_tables_has_its_files(
    history: History, hours: int, kind: VacuumKind, later: int
) -> None:
    law = test_every_retained_version_has_its_files_and_orphans_are_deleted
    law.hypothesis.inner_test(history, hours, kind, later)  # type: ignore[attr-defined]


@given(histories(), st.integers(0, 3), kinds, st.integers(0, 12))
def test_a_vacuum_that_is_killed_is_finished_by_the_next(
    history: History, hours: int, kind: VacuumKind, survives: int
) -> None:
    history.now[0] += 5 * HOUR
    store, calls = history.store, count()
    whole = DatedStore(history.now)
    for file in store.list_below(""):
        whole._files[file.path] = (store.read(file.path), file.modified_ms)
    request = VacuumRequest(hours, kind)

    class Killed(BaseException):
        pass

    class DyingStore(DatedStore):
        def delete(self, path: str) -> None:
            self._die()
            super().delete(path)

        def put(self, path: str, data: bytes) -> None:
            self._die()
            super().put(path, data)

        def put_if_absent(self, path: str, data: bytes) -> None:
            self._die()
            super().put_if_absent(path, data)

        def _die(self) -> None:
            if next(calls) >= survives:
                raise Killed

    store.__class__ = DyingStore
    with contextlib.suppress(Killed, DeltaResolverError):
        vacuum_table(starter_of(history), request)
    store.__class__ = DatedStore
    vacuum_table(starter_of(history), request)
    vacuum_table(starter_of(history, whole), request)
    assert stored(store) == stored(whole)


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(histories(), st.integers(0, 3), kinds, st.integers(0, 12))
def test_many_killed_vacuums_are_finished_by_the_next(
    history: History, hours: int, kind: VacuumKind, survives: int
) -> None:
    law = test_a_vacuum_that_is_killed_is_finished_by_the_next
    law.hypothesis.inner_test(history, hours, kind, survives)  # type: ignore[attr-defined]
