"""One measurement in this process: `log_tasks.py SIDE TASK TABLE`, printed as JSON. Used by bench_log.py."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warm_imports import import_all

STARTED = time.perf_counter()


def main() -> None:
    """Import one side, do one task, and print time and memory."""
    side, task, table = sys.argv[1:]
    prepared = (_prepare_ours if side == "deltaresolver" else _prepare_delta_rs)(task, Path(table))
    before = _resident("VmRSS")
    start, worked = time.perf_counter(), time.process_time()
    rows = prepared()
    end = time.perf_counter()
    found = {
        "seconds": end - start,
        "cpu_seconds": time.process_time() - worked,
        "process_seconds": end - STARTED,
        "rows": rows,
        "before_mb": before,
        "peak_mb": _resident("VmHWM"),
    }
    print(json.dumps(found))


def _resident(name: str) -> float:
    """A memory figure from /proc: unlike that of getrusage it does not begin with the parent's size."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    raise LookupError(name)


def _prepare_ours(task: str, table: Path) -> Callable[[], int]:
    # Each process imports one side alone, so that no side pays for the imports of the other.
    from deltaresolver.log.columnar.file_columns import FileColumns  # noqa: PLC0415
    from deltaresolver.log.log import DeltaLog  # noqa: PLC0415
    from deltaresolver.log.storage.local_store import LocalStore  # noqa: PLC0415

    import_all()

    def open_log() -> Any:
        return DeltaLog(LocalStore(table))

    def protocol_and_metadata() -> int:
        snapshot = open_log().snapshot()
        return int(snapshot.protocol is not None and snapshot.metadata is not None)

    if task == "a":
        return protocol_and_metadata
    if task == "b":
        return lambda: int(open_log().snapshot().files(columns=FileColumns.PATHS).num_rows)
    if task == "c":
        return lambda: int(open_log().snapshot().files().num_rows)
    hidden = _hide_last_commit(table)
    log = open_log()
    log.snapshot().files()

    def update() -> int:
        return int(log.update().files().num_rows)

    return _with_commit_back(hidden, update)


def _prepare_delta_rs(task: str, table: Path) -> Callable[[], int]:
    from deltalake import DeltaTable  # noqa: PLC0415

    def protocol_and_metadata() -> int:
        opened = DeltaTable(table, without_files=True)
        return int(opened.protocol() is not None and opened.metadata() is not None)

    if task == "a":
        return protocol_and_metadata
    if task == "b":
        return lambda: len(DeltaTable(table).file_uris())
    if task == "c":
        return lambda: int(DeltaTable(table).get_add_actions().num_rows)
    hidden = _hide_last_commit(table)
    opened = DeltaTable(table)
    opened.get_add_actions()

    def update() -> int:
        opened.update_incremental()
        return int(opened.get_add_actions().num_rows)

    return _with_commit_back(hidden, update)


def _hide_last_commit(table: Path) -> Path:
    last = max((table / "_delta_log").glob("*.json"))
    return last.rename(last.with_suffix(".hidden"))


def _with_commit_back(hidden: Path, update: Callable[[], int]) -> Callable[[], int]:
    hidden.rename(hidden.with_suffix(".json"))
    return update


if __name__ == "__main__":
    main()
