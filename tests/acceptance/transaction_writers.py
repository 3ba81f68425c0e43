"""Writers for the stress tests: what each does in a process of its own, and what must hold in the end."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import commit_version
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile, RemoveFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction

SCHEMA = '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}'
Options = Mapping[str, str]
NO_OPTIONS: Options = {}


def open_log(location: str, options: Options = NO_OPTIONS) -> DeltaLog:
    return DeltaLog(open_store(location, options))


def create_table(location: str, options: Options = NO_OPTIONS, properties: Options = NO_OPTIONS) -> None:
    transaction = OptimisticTransaction(open_log(location, options), delta_spark_catalog())
    transaction.update_metadata_for_new_table(Metadata("stress", schema_string=SCHEMA).with_configuration(properties))
    transaction.commit([], operations.table_creation())


def new_file(path: str) -> AddFile:
    return AddFile(path, {}, 100, 1_700_000_000_000, data_change=True, stats='{"numRecords":1}')


def commit_some(writer: str, location: str, options: Options, count: int, start: Any, told: Any) -> None:
    """`count` commits, two in three blind appends, the others rewriting a file of one's own without a change."""
    log = open_log(location, options)
    mine: list[AddFile] = []
    start.wait()
    for number in range(count):
        transaction = OptimisticTransaction(log, delta_spark_catalog())
        if number % 3 == 2:
            file = mine.pop(0)
            transaction.track_files_read([file])
            removal = RemoveFile(file.path, 1_700_000_000_000, data_change=False, partition_values={}, size=file.size)
            rewritten = attrs.evolve(new_file(f"{writer}-{number}-rewritten.parquet"), data_change=False)
            version = transaction.commit([removal, rewritten], operations.optimize())
        else:
            file = new_file(f"{writer}-{number}.parquet")
            mine.append(file)
            version = transaction.commit([file], operations.write())
        told.put((writer, transaction.transaction_id, version))


def read_commits(store: LogStore) -> list[list[dict[str, Any]]]:
    """All commits; fails where versions have a gap or a commit is torn."""
    names = {commit_version(file.path): file.path for file in store.list_from("_delta_log/")}
    versions = sorted(version for version in names if version is not None)
    assert versions == list(range(len(versions)))
    return [[json.loads(line) for line in store.read(names[version]).splitlines()] for version in versions]


def replay(commits: Iterable[list[dict[str, Any]]]) -> set[str]:
    """The live files, worked out line by line; fails where a commit contradicts those before."""
    live: set[str] = set()
    for action in itertools.chain.from_iterable(commits):
        if "remove" in action:
            live.remove(action["remove"]["path"])
        if "add" in action:
            assert action["add"]["path"] not in live
            live.add(action["add"]["path"])
    return live


def check_all_is_accounted_for(location: str, options: Options, told: Iterable[tuple[str, str, int]]) -> int:
    """Each acknowledged commit is there once, where its writer was told; the state is the serial replay's.

    Returns how many commits the log has.
    """
    log = open_log(location, options)
    commits = read_commits(log.store)
    ids = [_transaction_id(actions) for actions in commits]
    counted = Counter(found for found in ids if found is not None)
    assert set(counted.values()) <= {1}
    for _, transaction_id, version in told:
        assert ids[version] == transaction_id
    assert {file.path for file in log.snapshot().add_actions()} == replay(commits)
    return len(commits)


def _transaction_id(actions: list[dict[str, Any]]) -> str | None:
    infos = [action["commitInfo"] for action in actions if "commitInfo" in action]
    return infos[0].get("txnId") if infos else None


def append_with_delta_rs(location: str, options: Options, count: int, start: Any) -> None:
    """Another engine: delta-rs appends, one row at a time. It keeps trying until each is in."""
    import deltalake
    import pyarrow as pa
    from deltalake.exceptions import CommitFailedError

    start.wait()
    for number in range(count):
        while True:
            try:
                deltalake.write_deltalake(
                    location, pa.table({"id": [number]}), mode="append", storage_options=dict(options)
                )
            except CommitFailedError:
                continue
            break


def killed_at_random(location: str, writer: str, told: Path) -> None:
    """Commits until the end comes; each commit is noted in a file after it was acknowledged."""
    log = open_log(location)
    with told.open("a", buffering=1) as notes:
        for number in itertools.count():
            transaction = OptimisticTransaction(log, delta_spark_catalog())
            version = transaction.commit([new_file(f"{writer}-{number}.parquet")], operations.write())
            notes.write(f"{writer} {transaction.transaction_id} {version}\n")
