"""One side of one measurement of bench_commit, in a process of its own: prints its answer as JSON.

    python benchmarks/commit_tasks.py SIDE TASK TABLE COUNT

A blind append adds one file by name; no side writes data. Both sides hold an open table and commit through it again
and again; neither makes checkpoints.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

NOW_MS = 1_700_000_000_000
DAY = "2024-01-01"
APPENDS, METADATA, RACE, CONFLICTS = "append", "metadata", "race", "conflicts"


def main() -> None:
    """Run the task the arguments name."""
    side, task, table, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    commit = {"deltaresolver": ours, "delta-rs": delta_rs}[side](task, table)
    if task == RACE:
        print(json.dumps(race(commit, count)))
    elif task == CONFLICTS:
        add_winners(Path(table), count)
        print(json.dumps({"seconds": [timed(commit, 0)]}))
    else:
        commit(0)
        commit(1)
        print(json.dumps({"seconds": [timed(commit, number) for number in range(2, count + 2)]}))


def timed(commit: Callable[[int], None], number: int) -> float:
    """Seconds for one commit."""
    start = time.perf_counter()
    commit(number)
    return time.perf_counter() - start


def race(commit: Callable[[int], None], count: int) -> dict[str, Any]:
    """Wait for a line on standard input, then commit; a failed commit is not repeated."""
    print("ready", flush=True)
    sys.stdin.readline()
    given_up, start = 0, time.time()
    for number in range(count):
        try:
            commit(number)
        except Exception as error:  # noqa: BLE001 - whatever its kind, the commit was given up
            given_up += 1
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    return {"given_up": given_up, "start": start, "end": time.time()}


def ours(task: str, table: str) -> Callable[[int], None]:
    """A commit by this library."""
    from deltaresolver.defaults import delta_spark_catalog  # noqa: PLC0415 - each side imports what is its own
    from deltaresolver.log.log import DeltaLog  # noqa: PLC0415
    from deltaresolver.log.storage.locations import open_store  # noqa: PLC0415
    from deltaresolver.model.actions import AddFile  # noqa: PLC0415
    from deltaresolver.transaction import operation as operations  # noqa: PLC0415
    from deltaresolver.transaction.transaction import OptimisticTransaction  # noqa: PLC0415

    log, catalog = DeltaLog(open_store(table)), delta_spark_catalog()
    name = file_name()

    def add(number: int) -> AddFile:
        path = f"day={DAY}/{name}-{number}.parquet"
        return AddFile(path, {"day": DAY}, 1000, NOW_MS, data_change=True, stats='{"numRecords":10}')

    def append(number: int) -> None:
        OptimisticTransaction(log, catalog).commit([add(number)], operations.write())

    def change_metadata(number: int) -> None:
        transaction = OptimisticTransaction(log, catalog)
        properties = {"delta.logRetentionDuration": f"interval {number + 10} days"}
        before = transaction.metadata
        transaction.update_metadata(before.with_configuration({**before.configuration, **properties}))
        transaction.commit([], operations.set_properties(properties))

    if task == CONFLICTS:
        transaction = OptimisticTransaction(log, catalog)
        transaction.filter_files("day = '1999-01-01'")
        return lambda number: _nothing(transaction.commit([add(number)], operations.write()))
    log.update().metadata  # noqa: B018 - opens the table
    return change_metadata if task == METADATA else append


def delta_rs(task: str, table: str) -> Callable[[int], None]:
    """A commit by delta-rs."""
    from deltalake import DeltaTable, PostCommitHookProperties  # noqa: PLC0415
    from deltalake.transaction import AddAction  # noqa: PLC0415

    opened = DeltaTable(table)
    schema = opened.schema()
    partitions = opened.metadata().partition_columns
    hooks = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)
    name = file_name()

    def append(number: int) -> None:
        path = f"day={DAY}/{name}-{number}.parquet"
        file = AddAction(path, 1000, {"day": DAY}, NOW_MS, True, '{"numRecords":10}')
        opened.create_write_transaction([file], "append", schema, partitions, post_commithook_properties=hooks)

    def change_metadata(number: int) -> None:
        opened.alter.set_table_properties({"delta.logRetentionDuration": f"interval {number + 10} days"})

    return change_metadata if task == METADATA else append


def add_winners(table: Path, count: int) -> None:
    """Add `count` commits of another writer, with one file each."""
    log = table / "_delta_log"
    first = max(int(file.stem) for file in log.glob("*.json")) + 1
    for table_version in range(first, first + count):
        file = {"path": f"day={DAY}/winner-{table_version}.parquet", "partitionValues": {"day": DAY}, "size": 1000}
        add = {**file, "modificationTime": NOW_MS, "dataChange": True, "stats": '{"numRecords":10}'}
        info = {"timestamp": NOW_MS, "operation": "WRITE", "operationParameters": {"mode": "Append"}}
        lines = [json.dumps({"commitInfo": {**info, "isBlindAppend": True}}), json.dumps({"add": add})]
        (log / f"{table_version:020}.json").write_text("\n".join(lines) + "\n")


def file_name() -> str:
    """A file name that is different for every process."""
    return f"part-{time.time_ns()}"


def _nothing(_: object) -> None:
    pass


if __name__ == "__main__":
    main()
