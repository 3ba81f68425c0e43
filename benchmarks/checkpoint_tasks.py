"""One checkpoint in this process: `checkpoint_tasks.py SIDE TABLE`, printed as JSON. Used by bench_checkpoint.py."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from warm_imports import import_all

STARTED = time.perf_counter()


def main() -> None:
    """Load the table with one side, write a checkpoint, and print time and memory."""
    side, table = sys.argv[1:]
    imported, load = (_ours if side == "deltaresolver" else _delta_rs)(Path(table))
    begun = time.perf_counter()
    write = load()
    loaded = _resident("VmHWM")
    start, worked = time.perf_counter(), time.process_time()
    write()
    end = time.perf_counter()
    found = {
        "seconds": end - start,
        "cpu_seconds": time.process_time() - worked,
        "with_loading_seconds": end - begun,
        "process_seconds": end - STARTED,
        "loaded_peak_mb": loaded,
        "peak_mb": _resident("VmHWM"),
        "library": imported,
    }
    print(json.dumps(found))


def _resident(name: str) -> float:
    """A memory figure from /proc: unlike that of getrusage it does not begin with the parent's size."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    raise LookupError(name)


def _ours(table: Path) -> tuple[str, Callable[[], Callable[[], object]]]:
    from deltaresolver.defaults import built_in_catalog  # noqa: PLC0415
    from deltaresolver.log.checkpoint.write import write_checkpoint  # noqa: PLC0415
    from deltaresolver.log.log import DeltaLog  # noqa: PLC0415
    from deltaresolver.log.storage.local_store import LocalStore  # noqa: PLC0415

    import_all()

    def load() -> Callable[[], object]:
        snapshot = DeltaLog(LocalStore(table)).snapshot()
        snapshot.files()
        return lambda: write_checkpoint(snapshot, snapshot.store, built_in_catalog())

    return "deltaresolver", load


def _delta_rs(table: Path) -> tuple[str, Callable[[], Callable[[], object]]]:
    from deltalake import DeltaTable, __version__  # noqa: PLC0415

    return f"deltalake {__version__}", lambda: DeltaTable(table).create_checkpoint


if __name__ == "__main__":
    main()
