"""Protocol and metadata of many small tables on a local disk, compared with delta-rs, in fresh processes in turns.

    python benchmarks/bench_small.py                 10,000 tables, written to results/small.json
    python benchmarks/bench_small.py --tables 500    fewer of them

Every table has ten commits of four files each. One process opens all tables one after another; delta-rs opens them
`without_files`. Every log is read once before the measurement, so that both sides find it in the system's cache.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bench_log import RESULTS, machine
from lake import LogShape, write_log

TARGET = RESULTS / "small.json"
SHAPE = LogShape(10, 4)
SIDES = ("deltaresolver", "delta-rs")


def main() -> None:
    """Measure, print, write the results; with `--side`, run as one of the measured processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", help="folder for the tables, by default the system's temporary one")
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-write", dest="write", action="store_false")
    parser.add_argument("--side", nargs=2, metavar=("SIDE", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        print(json.dumps(_measure(arguments.side[0], Path(arguments.side[1]))))
        return
    root = Path(tempfile.mkdtemp(prefix="bench-small-", dir=arguments.root))
    try:
        _make_tables(root, arguments.tables)
        found = _compare(root, arguments.tables, arguments.repeat)
    finally:
        shutil.rmtree(root)
    if arguments.write:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(json.dumps({"machine": machine(), **found}, indent=1) + "\n")


def _make_tables(root: Path, count: int) -> None:
    first = write_log(root, SHAPE).rename(root / f"{0:06d}")
    for number in range(1, count):
        shutil.copytree(first, root / f"{number:06d}")


def _compare(root: Path, tables: int, repeat: int) -> dict[str, Any]:
    runs: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
    for path in root.rglob("*.json"):
        path.read_bytes()
    for _ in range(repeat):
        for side in SIDES:
            command = [sys.executable, __file__, "--side", side, str(root)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(done.stderr)
            runs[side].append(json.loads(done.stdout))
    best = {
        side: {name: round(min(run[name] for run in found), 4) for name in ("seconds", "cpu_seconds")}
        for side, found in runs.items()
    }
    ours, theirs = (best[side] for side in SIDES)
    print(
        f"{tables} tables: ours {ours['seconds']:.2f} s (cpu {ours['cpu_seconds']:.2f}), delta-rs "
        f"{theirs['seconds']:.2f} s (cpu {theirs['cpu_seconds']:.2f}): {theirs['seconds'] / ours['seconds']:.1f}x, "
        f"by cpu {theirs['cpu_seconds'] / ours['cpu_seconds']:.1f}x"
    )
    return {"tables": tables, "log": SHAPE.name, "repeat": repeat, "load": round(os.getloadavg()[0], 1), **best}


def _measure(side: str, root: Path) -> dict[str, float]:
    tables = sorted(root.iterdir())
    read_all = (_ours if side == "deltaresolver" else _delta_rs)()
    start, worked = time.perf_counter(), time.process_time()
    found = read_all(tables)
    end, worked_after = time.perf_counter(), time.process_time()
    if found != len(tables):
        raise SystemExit(f"{side} read {found} of {len(tables)} tables")
    return {"seconds": end - start, "cpu_seconds": worked_after - worked}


def _ours() -> Callable[[Iterable[Path]], int]:
    # Each process imports one side alone, so that no side pays for the imports of the other.
    from deltaresolver.log.log import DeltaLog  # noqa: PLC0415
    from deltaresolver.log.storage.local_store import LocalStore  # noqa: PLC0415

    def read_all(tables: Iterable[Path]) -> int:
        snapshots = (DeltaLog(LocalStore(table)).snapshot() for table in tables)
        return sum(bool(snapshot.protocol and snapshot.metadata) for snapshot in snapshots)

    return read_all


def _delta_rs() -> Callable[[Iterable[Path]], int]:
    from deltalake import DeltaTable  # noqa: PLC0415

    def read_all(tables: Iterable[Path]) -> int:
        opened = (DeltaTable(table, without_files=True) for table in tables)
        return sum(bool(table.protocol() and table.metadata()) for table in opened)

    return read_all


if __name__ == "__main__":
    main()
