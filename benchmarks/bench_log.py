"""Reading a Delta log, compared with delta-rs: every measurement in a fresh process of its own, in turns.

    python benchmarks/bench_log.py                    all shapes, written to results/log.json
    python benchmarks/bench_log.py --shapes 100x1000  some of them
    python benchmarks/bench_log.py --growth           how cost grows to ten million actions, to results/log_growth.json

Both sides are timed from a started interpreter with all imports done until the answer is in memory. Memory is the
process's peak resident size, interpreter and libraries included. Medians of `--repeat` turns of each side are compared,
because some turns of a few milliseconds take twice as long, on either side; `least` is shown too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lake import LogShape, live_file_count, write_log
from log_variants import VARIANTS, make_variant
from results_folder import RESULTS

HERE = Path(__file__).parent

SHAPES = (LogShape(100, 1000), LogShape(200, 5000), LogShape(2000, 50), LogShape(10000, 2))
GROWTH = (LogShape(10, 1000), LogShape(20, 5000), LogShape(200, 5000), LogShape(2000, 5000))
PEER_HOLDS = 1_000_000
"""Actions up to which growth is measured on the other side too: ten times as many would take it ten gigabytes."""
TASKS = {"a": "protocol + metadata", "b": "all paths", "c": "adds with stats", "u": "update by one commit"}
SIDES = ("deltaresolver", "delta-rs")


def main() -> None:
    """Measure what the arguments ask for, print a table, write the results."""
    arguments = _arguments()
    root = Path(tempfile.mkdtemp(prefix="bench-log-", dir=arguments.root))
    try:
        shapes = [shape for shape in (GROWTH if arguments.growth else SHAPES) if _chosen(shape, arguments.shapes)]
        rows = _growth(root, shapes, arguments) if arguments.growth else _compare(root, shapes, arguments)
    finally:
        shutil.rmtree(root)
    _write(rows, arguments)


def _write(rows: Sequence[dict[str, Any]], arguments: argparse.Namespace) -> None:
    if arguments.write:
        RESULTS.mkdir(exist_ok=True)
        target = RESULTS / ("log_growth.json" if arguments.growth else "log.json")
        found = {"machine": machine(), "repeat": arguments.repeat, "rows": rows}
        target.write_text(json.dumps(found, indent=1) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", help="folder for the logs, by default the system's temporary one")
    parser.add_argument("--shapes", nargs="*", help="shapes such as 100x1000")
    parser.add_argument("--variants", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--tasks", default="abcu", help="which of a, b, c and u")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--no-write", dest="write", action="store_false")
    return parser.parse_args()


def _chosen(shape: LogShape, names: Sequence[str] | None) -> bool:
    return names is None or shape.name in names


def _compare(root: Path, shapes: Sequence[LogShape], arguments: argparse.Namespace) -> list[dict[str, Any]]:
    rows = []
    print(
        _line("log", "variant", "task", "ours s", "delta-rs s", "faster", "less CPU", "ours MB", "theirs MB", "memory")
    )
    for shape in shapes:
        plain = write_log(root, shape)
        for variant in arguments.variants:
            table = make_variant(plain, variant)
            if table is None:
                continue
            for task in arguments.tasks:
                sides = measure(SIDES, task, table, shape, arguments.repeat)
                load = round(os.getloadavg()[0], 1)
                rows.append({"shape": shape.name, "variant": variant, "task": task, "load": load, **sides})
                _print_row(rows[-1])
                # Written after each row, so that a run that is cut short keeps what it has measured.
                _write(rows, arguments)
            if table != plain:
                shutil.rmtree(table)
        shutil.rmtree(plain)
    _print_updates(rows)
    return rows


def _print_updates(rows: Sequence[dict[str, Any]]) -> None:
    """Print by what factor a fresh load takes longer than an update, for both sides."""
    seconds = {(row["shape"], row["variant"], row["task"]): [row[side]["seconds"] for side in SIDES] for row in rows}
    for (shape, variant, task), (ours, _) in seconds.items():
        if task == "u" and (shape, variant, "c") in seconds:
            fresh, theirs = (each / ours for each in seconds[shape, variant, "c"])
            print(f"{shape} {variant}: a fresh load takes {fresh:.1f}x our update here, {theirs:.0f}x with delta-rs")


def _growth(root: Path, shapes: Sequence[LogShape], arguments: argparse.Namespace) -> list[dict[str, Any]]:
    rows = []
    print(_line("actions", "task", "side", "seconds", "cpu s", "us/action", "MB"))
    for shape in shapes:
        table = write_log(root, shape)
        actions = shape.commits * shape.actions
        for task in "bc":
            for side in SIDES if actions <= PEER_HOLDS else SIDES[:1]:
                # The largest log is measured once: chance matters little for it, and it takes as long as all others.
                repeat = arguments.repeat if actions <= PEER_HOLDS else 1
                found = measure((side,), task, table, shape, repeat)[side]
                load = round(os.getloadavg()[0], 1)
                rows.append({"actions": actions, "task": task, "side": side, "load": load, **found})
                _write(rows, arguments)
                seconds, each = f"{found['seconds']:.3f}", f"{found['seconds'] / actions * 1e6:.2f}"
                cpu = f"{found['cpu_seconds']:.3f}"
                print(_line(actions, TASKS[task], side, seconds, cpu, each, found["peak_mb"]), flush=True)
        shutil.rmtree(table)
    return rows


def measure(sides: Sequence[str], task: str, table: Path, shape: LogShape, repeat: int) -> dict[str, dict[str, Any]]:
    """Medians of `repeat` fresh processes of each side, in turns; for processor time the least."""
    turns = [{side: _run_once(side, task, table) for side in sides} for _ in range(repeat)]
    expected = live_file_count(shape) if task in "bc" else None
    for side, run in ((side, turn[side]) for turn in turns for side in sides):
        if expected is not None and run["rows"] != expected:
            raise SystemExit(f"{side} found {run['rows']} files in {table}, there are {expected}")
    return {side: _summary([turn[side] for turn in turns]) for side in sides}


def _summary(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    seconds = [run["seconds"] for run in runs]
    return {
        "seconds": round(statistics.median(seconds), 4),
        "least": round(min(seconds), 4),
        "all_seconds": [round(each, 4) for each in seconds],
        "cpu_seconds": round(min(run["cpu_seconds"] for run in runs), 4),
        "process_seconds": round(min(run["process_seconds"] for run in runs), 4),
        "peak_mb": round(statistics.median(run["peak_mb"] for run in runs)),
        "before_mb": round(statistics.median(run["before_mb"] for run in runs)),
    }


def _run_once(side: str, task: str, table: Path) -> dict[str, Any]:
    command = [sys.executable, str(HERE / "log_tasks.py"), side, task, str(table)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def machine() -> dict[str, Any]:
    """The versions and the machine that the numbers depend on."""
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("pyarrow", "numpy", "deltalake")},
    }


def _print_row(row: dict[str, Any]) -> None:
    ours, theirs = (row[side] for side in SIDES)
    print(
        _line(
            row["shape"],
            row["variant"],
            TASKS[row["task"]],
            f"{ours['seconds']:.4f}",
            f"{theirs['seconds']:.4f}",
            f"{theirs['seconds'] / ours['seconds']:.1f}x",
            f"{theirs['cpu_seconds'] / ours['cpu_seconds']:.1f}x",
            ours["peak_mb"],
            theirs["peak_mb"],
            f"{ours['peak_mb'] / theirs['peak_mb']:.2f}",
        ),
        flush=True,
    )


def _line(*cells: Any) -> str:
    return "  ".join(f"{cell!s:>12}" for cell in cells)


if __name__ == "__main__":
    main()
