"""A whole table from which cases are made, and everything that can be done with one."""

from __future__ import annotations

import functools
import random
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from deltaresolver.audit.scan.batch import AuditSettings, auditor_for
from deltaresolver.audit.verify.verify_table import verify_table
from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import DeltaResolverError, UnexpectedError
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.deletion_vectors import read_deletion_vectors
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.log.upkeep.cleanup import clean_up_log
from deltaresolver.log.upkeep.write_checksum import write_checksum
from deltaresolver.log.upkeep.write_compaction import compact_log
from deltaresolver.model.actions import AddFile
from deltaresolver.planning.plan import plan
from deltaresolver.resolution.explain.text import render_text
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from tests.fuzz.case import Case
from tests.logs import PROTOCOL, Json, add, domain, info, lines, metadata, parquet, remove, txn

SETTINGS = AuditSettings(1_700_000_000_000, deep=True)
STATS = '{"numRecords":10,"minValues":{"id":1,"p":"a"},"maxValues":{"id":9,"p":"z"},"nullCount":{"id":0,"p":0}}'
NOW_MS = 1_700_000_000_000
NESTED = (
    '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}},'
    '{"name":"p","type":"string","nullable":true,"metadata":{}},'
    '{"name":"at","type":"timestamp","nullable":true,"metadata":{"delta.generationExpression":"CAST(p AS TIMESTAMP)"}},'
    '{"name":"s","type":{"type":"struct","fields":[{"name":"a","type":"decimal(10,2)","nullable":false,"metadata":{}},'
    '{"name":"m","type":{"type":"map","keyType":"string","valueType":"date","valueContainsNull":true},"nullable":true,'
    '"metadata":{"delta.columnMapping.id":7,"delta.columnMapping.physicalName":"col-7"}}]},"nullable":true,"metadata":{}},'
    '{"name":"l","type":{"type":"array","elementType":"variant","containsNull":true},"nullable":true,"metadata":{}}]}'
)
FEATURES: Json = {
    "protocol": {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors", "v2Checkpoint"],
        "writerFeatures": ["deletionVectors", "v2Checkpoint", "inCommitTimestamp", "domainMetadata", "appendOnly"],
    }
}


def metadata_of(schema: str, configuration: dict[str, str]) -> Json:
    """A metaData action of a table partitioned by `p`."""
    made = metadata(configuration, schema)
    made["metaData"]["partitionColumns"] = ["p"]
    return made


def commits(rng: random.Random) -> list[list[Json]]:
    """The commits of a sound table, in which all kinds of actions occur."""
    plain = rng.random() < 0.4
    schema = NESTED if rng.random() < 0.3 else NESTED.split(',{"name":"at"', maxsplit=1)[0] + "]}"
    file = {"partitionValues": {"p": "a"}, "stats": STATS, "size": 10}
    vector = {
        "storageType": "i",
        "pathOrInlineDv": "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
        "sizeInBytes": 44,
        "cardinality": 6,
    }
    more = {} if plain else {"deletionVector": vector, "tags": {"a": "b"}, "baseRowId": 0}
    stamp = {} if plain else {"inCommitTimestamp": NOW_MS}
    return [
        [
            info(timestamp=NOW_MS, **stamp),
            PROTOCOL if plain else FEATURES,
            metadata_of(schema, {"delta.appendOnly": "false"}),
            add("p=a/one", **file),
        ],
        [
            info(operation="DELETE", timestamp=NOW_MS + 1, **stamp),
            add("p=a/two", **file, **more),
            txn("app", 7),
            domain("user.d"),
        ],
        [
            info(timestamp=NOW_MS + 2, **stamp),
            remove("p=a/one", at=NOW_MS, partitionValues={"p": "a"}, size=10),
            add("p=a/three%20x", **file),
            {"cdc": {"path": "_change_data/c", "partitionValues": {}, "size": 1, "dataChange": False}},
        ],
    ]


def name_of(version: int, ending: str = "json") -> str:
    """The path of a file of the log."""
    return f"_delta_log/{version:020}.{ending}"


def files_of(rng: random.Random) -> dict[str, bytes]:
    """The files of a sound table: commits, and perhaps a checkpoint, a hint and a checksum."""
    made = commits(rng)
    files = {name_of(version): lines(actions) for version, actions in enumerate(made)}
    if rng.random() < 0.5:
        state = [action for action in (*made[0], *made[1]) if "commitInfo" not in action]
        known = [
            {kind: {k: v for k, v in value.items() if k != "baseRowId"}} for one in state for kind, value in one.items()
        ]
        files[name_of(1, "checkpoint.parquet")] = parquet(known)
        files["_delta_log/_last_checkpoint"] = b'{"version":1,"size":%d}' % len(known)
        if rng.random() < 0.5:
            del files[name_of(0)]
    return files


def use_table(case: Case) -> None:
    """The table is read, and put to one or two of the other uses, as its bytes have it; each on a copy."""
    odd = zlib.crc32(b"".join(case.values()))
    _use_in_memory(case, (_read, _USES[odd % len(_USES)]))
    if odd // len(_USES) % 3 == 0:
        _use_on_disk(case)


def use_in_every_way(case: Case) -> None:
    """The table is put to every use that there is, each on a copy."""
    _use_in_memory(case, (_read, *_USES))
    _use_on_disk(case)


def _use_in_memory(case: Case, uses: Sequence[Callable[[MemoryStore], None]]) -> None:
    for use in uses:
        store = MemoryStore(clock_ms=lambda: NOW_MS)
        for path, data in case.items():
            store.put(path, data)
        _quietly(functools.partial(use, store))


def _use_on_disk(case: Case) -> None:
    if _can_lie_on_disk(case):
        with tempfile.TemporaryDirectory(prefix="fuzz-", dir=_SHM if Path(_SHM).is_dir() else None) as folder:
            for path, data in case.items():
                file = Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            for look in (_audit, _verify, _vacuum):
                _quietly(functools.partial(look, folder))


def _quietly(use: Callable[[], object]) -> None:
    try:
        use()
    except UnexpectedError:
        raise
    except DeltaResolverError as error:
        str(error)
        error.to_json()


def _can_lie_on_disk(case: Case) -> bool:
    def is_plain(path: str) -> bool:
        parts = path.split("/")
        return "\0" not in path and all(
            part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) < 250 for part in parts
        )

    try:
        return all(is_plain(path) and path.encode() for path in case) and len("".join(case)) < 20_000
    except UnicodeEncodeError:
        return False


def _read(store: MemoryStore) -> None:
    snapshot = DeltaLog(store).snapshot()
    for look in (
        lambda: snapshot.metadata.schema,
        lambda: snapshot.timestamp_ms,
        lambda: (snapshot.transactions, snapshot.domains),
        lambda: snapshot.files().to_pylist(),
        lambda: snapshot.tombstones().to_pylist(),
        lambda: [action.key for action in snapshot.add_actions()],
        lambda: list(snapshot.remove_actions()),
        lambda: _prune(snapshot),
        lambda: read_deletion_vectors(
            store, [one.deletion_vector for one in snapshot.add_actions() if one.deletion_vector]
        ),
        lambda: DeltaLog(store).snapshot(version=1),
        lambda: DeltaLog(store).snapshot(timestamp=NOW_MS + 1),
        lambda: [entry.timestamp_ms for entry in DeltaLog(store).history()],
    ):
        _quietly(look)


def _prune(snapshot: Snapshot) -> None:
    from deltaresolver.expressions.conditions import parse_predicate
    from deltaresolver.expressions.statistics import pruning_predicate

    for text in ("id > 3 and p = 'b'", "p in ('a', null) or at > '2020-01-01'", "s.a < 1.5"):
        predicate = pruning_predicate((parse_predicate(text),), snapshot.metadata)
        if predicate is not None:
            snapshot.files(predicate)


def _table(store: MemoryStore) -> Table:
    table = Table("/nowhere", catalog=built_in_catalog())
    table.log = DeltaLog(store)
    return table


def _explain(store: MemoryStore) -> None:
    table = _table(store)
    render_text(table.resolve(), "t")
    for target in ("1,2", "trino@newest", "-deletionVectors"):
        _quietly(lambda target=target: str(plan(table, target).to_json()))  # type: ignore[misc]


def _keep_up(store: MemoryStore) -> None:
    for work in (
        lambda: write_checkpoint(DeltaLog(store).snapshot(), store, built_in_catalog()),
        lambda: DeltaLog(store).snapshot().files(),
        lambda: write_checksum(DeltaLog(store).snapshot(), store),
        lambda: compact_log(store, 0, 2),
        lambda: clean_up_log(DeltaLog(store), NOW_MS * 2, built_in_catalog()),
        lambda: DeltaLog(store).snapshot().files(),
    ):
        _quietly(work)


def _change(store: MemoryStore) -> None:
    for work in _changes(store):
        _quietly(work)


def _changes(store: MemoryStore) -> Iterator[Callable[[], object]]:
    def append() -> None:
        transaction = _table(store).start_transaction()
        file = AddFile("p=b/new", {"p": "b"}, 1, NOW_MS, data_change=True, stats=STATS)
        transaction.commit([file], operations.write("Append"))

    yield append
    yield lambda: _table(store).alter({"delta.enableDeletionVectors": "true", "delta.checkpointInterval": "2"})
    yield lambda: _table(store).sql("ALTER TABLE t ADD COLUMNS (x STRUCT<a: INT>, y TIMESTAMP_NTZ)")
    yield lambda: _table(store).sql("ALTER TABLE t RENAME COLUMN id TO id2")
    yield lambda: _table(store).sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    yield lambda: _table(store).drop_feature("deletionVectors", dry_run=True)
    yield lambda: _table(store).restore(version=1)
    yield append


_USES = (_explain, _keep_up, _change)
_SHM = "/dev/shm"


def _audit(folder: str) -> None:
    found = auditor_for(SETTINGS).audit(folder)
    if found.error is not None and found.error.code == UnexpectedError.code:
        raise AssertionError(f"an audit ends in {found.error.message}")


def _verify(folder: str) -> None:
    for problem in verify_table(folder, pages=True).problems:
        str(problem.to_json())


def _vacuum(folder: str) -> None:
    table = Table(folder, catalog=built_in_catalog())
    for kind in ("FULL", "LITE"):
        _quietly(lambda kind=kind: table.vacuum(kind=kind, dry_run=True))  # type: ignore[misc]
