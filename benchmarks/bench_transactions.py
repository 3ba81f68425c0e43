"""How long a commit takes beside delta-rs with an open table, and a conflict check against 1,000 winning commits.

    python benchmarks/bench_transactions.py [--commits 300] [--folder DIR]

A commit is one added file, without data. Both write to tables in DIR (default: the system's temporary folder), turn by
turn, so that a busy disk slows both alike. What a durable write costs there is measured too: one file written and
synced, and its folder synced.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema
from deltalake.transaction import AddAction

from deltaresolver.defaults import default_catalog
from deltaresolver.log.local_store import LocalStore
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.memory_store import MemoryStore
from deltaresolver.log.store import LogStore
from deltaresolver.model.actions import Action, AddFile, RemoveFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction

ARROW = pa.schema([("id", pa.int64()), ("p", pa.string())])
SCHEMA = (
    '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}},'
    '{"name":"p","type":"string","nullable":true,"metadata":{}}]}'
)
STATS = '{"numRecords":1,"minValues":{"id":1},"maxValues":{"id":2},"nullCount":{"id":0}}'
CATALOG = default_catalog()


def create(store: LogStore, *, partitioned: bool, configuration: dict[str, str] | None = None) -> DeltaLog:
    """A new table of ours."""
    log = DeltaLog(store)
    transaction = OptimisticTransaction(log, CATALOG)
    columns = ("p",) if partitioned else ()
    metadata = Metadata("t", schema_string=SCHEMA, partition_columns=columns, configuration=configuration or {})
    transaction.update_metadata_for_new_table(metadata)
    transaction.commit([], operations.table_creation())
    return log


def timed(act: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


def durable_write(folder: Path, number: int) -> None:
    """The least a durable commit can cost: one file and its folder synced."""
    path = folder / str(number)
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
    os.write(descriptor, b"x" * 500)
    os.fsync(descriptor)
    os.close(descriptor)
    directory = os.open(folder, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)


def commits(folder: Path, count: int) -> None:
    """Print the median of one commit each, turn by turn."""
    # delta-rs makes a checkpoint after 100 commits by default, delta-spark and this library after 10.
    ours = create(LocalStore(folder / "ours"), partitioned=False, configuration={"delta.checkpointInterval": "100"})
    theirs = DeltaTable.create(str(folder / "theirs"), schema=Schema.from_arrow(ARROW))
    (folder / "plain").mkdir()

    def our_commit(number: int) -> None:
        file = AddFile(f"f{number}", {}, 1, 1, data_change=True, stats=STATS)
        OptimisticTransaction(ours, CATALOG).commit([file], operations.write())

    def their_commit(number: int) -> None:
        action = AddAction(f"f{number}", 1, {}, 1, True, STATS)
        properties = CommitProperties()
        theirs.create_write_transaction([action], "append", theirs.schema(), commit_properties=properties)

    times: dict[str, list[float]] = {"ours": [], "delta-rs": [], "durable write": []}
    for number in range(count):
        times["ours"].append(timed(lambda: our_commit(number)))  # noqa: B023 - called at once
        times["delta-rs"].append(timed(lambda: their_commit(number)))  # noqa: B023 - called at once
        times["durable write"].append(timed(lambda: durable_write(folder / "plain", number)))  # noqa: B023 - called at once
    medians = {name: statistics.median(each[count // 10 :]) for name, each in times.items()}
    for name, median in medians.items():
        print(f"commit of one file, {name}: {median:.2f} ms")
    print(f"delta-rs / ours: {medians['delta-rs'] / medians['ours']:.1f}")


def conflict_check(winners: int, *, blind: bool, row_tracking: bool) -> None:
    """Print how long a commit takes that `winners` commits came before."""
    log = create(
        MemoryStore(), partitioned=True, configuration={"delta.enableRowTracking": "true"} if row_tracking else {}
    )
    old = [AddFile(f"p=z/{number}", {"p": "z"}, 1, 1, data_change=True, stats=STATS) for number in range(10)]
    OptimisticTransaction(log, CATALOG).commit(old, operations.write())
    loser = OptimisticTransaction(log, CATALOG)
    actions: list[Action] = [AddFile("p=z/new", {"p": "z"}, 1, 1, data_change=True, stats=STATS)]
    if not blind:
        loser.filter_files("p = 'z'")
        actions.append(RemoveFile("p=z/0", 1, partition_values={"p": "z"}))
    for number in range(winners):
        file = AddFile(f"p=a/{number}", {"p": "a"}, 1, 1, data_change=True, stats=STATS)
        OptimisticTransaction(log, CATALOG).commit([file], operations.write())
    operation = operations.write() if blind else operations.with_predicate("UPDATE")
    spent = timed(lambda: loser.commit(actions, operation))
    kind = ("blind append" if blind else "update") + (" with row tracking" if row_tracking else "")
    print(f"{kind} against {winners:,} winners: {spent:.0f} ms")


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--folder", default=None)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        commits(Path(folder), given.commits)
    for blind, row_tracking in ((True, False), (False, False), (False, True)):
        conflict_check(1000, blind=blind, row_tracking=row_tracking)


if __name__ == "__main__":
    main()
