"""Writing a classic checkpoint of 900,000 live files, compared with delta-rs, in fresh processes in turns.

    python benchmarks/bench_checkpoint.py                  the full size, written to results/checkpoint.json
    python benchmarks/bench_checkpoint.py --shape 20x5000  a smaller log

Each side loads the table first, and only the writing is compared; the sum of both is shown too. Statistics are written
as text alone, and as text and struct (the default of delta-spark); delta-rs gets the same table properties. The log
has tombstones, like that of a table that has just removed files. The rows of every checkpoint are counted with pyarrow.
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
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from lake import LogShape, live_file_count, write_log
from results_folder import RESULTS

HERE = Path(__file__).parent
TARGET = RESULTS / "checkpoint.json"
SIDES = ("deltaresolver", "delta-rs")
VARIANTS = {
    "text": {"delta.checkpoint.writeStatsAsStruct": "false"},
    "text and struct": {"delta.checkpoint.writeStatsAsStruct": "true"},
}
KEEP = {"delta.deletedFileRetentionDuration": "interval 5000 weeks"}


def main() -> None:
    """Measure, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", help="folder for the log, by default the system's temporary one")
    parser.add_argument("--shape", default="200x5000")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    shape = LogShape(*map(int, arguments.shape.split("x")))
    root = Path(tempfile.mkdtemp(prefix="bench-checkpoint-", dir=arguments.root))
    try:
        table = write_log(root, shape)
        rows = [_compare(table, shape, variant, arguments.repeat) for variant in VARIANTS]
    finally:
        shutil.rmtree(root)
    if arguments.write:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(json.dumps({"machine": _machine(), "rows": rows}, indent=1) + "\n")


def _compare(table: Path, shape: LogShape, variant: str, repeat: int) -> dict[str, Any]:
    _set_properties(table, {**KEEP, **VARIANTS[variant]})
    runs: dict[str, list[dict[str, Any]]] = {side: [] for side in SIDES}
    for _ in range(repeat):
        for side in SIDES:
            runs[side].append(_run_once(side, table, live_file_count(shape)))
    row = {"files": live_file_count(shape), "stats": variant, **{side: _summary(runs[side]) for side in SIDES}}
    ours, theirs = (row[side] for side in SIDES)
    print(
        f"{row['files']} files, stats as {variant}: ours {ours['seconds']:.2f} s (cpu {ours['cpu_seconds']:.2f}, "
        f"with loading {ours['with_loading_seconds']:.2f}, {ours['peak_mb']} MB, file {ours['file_mb']} MB); "
        f"delta-rs {theirs['seconds']:.2f} s (cpu {theirs['cpu_seconds']:.2f}, with loading "
        f"{theirs['with_loading_seconds']:.2f}, {theirs['peak_mb']} MB, file {theirs['file_mb']} MB); "
        f"{theirs['seconds'] / ours['seconds']:.1f}x",
        flush=True,
    )
    return row


def _set_properties(table: Path, properties: dict[str, str]) -> None:
    first = table / "_delta_log" / f"{0:020d}.json"
    lines = first.read_text().splitlines()
    for number, line in enumerate(lines):
        if line.startswith('{"metaData"'):
            action = json.loads(line)
            action["metaData"]["configuration"] = properties
            lines[number] = json.dumps(action, separators=(",", ":"))
    first.write_text("\n".join(lines) + "\n")


def _run_once(side: str, table: Path, files: int) -> dict[str, Any]:
    command = [sys.executable, str(HERE / "checkpoint_tasks.py"), side, str(table)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    (checkpoint,) = (table / "_delta_log").glob("*.checkpoint*.parquet")
    column = pq.ParquetFile(checkpoint).read(columns=["add.path"]).column("add")
    if len(column) - column.null_count != files:
        raise SystemExit(f"{side} wrote {len(column) - column.null_count} files, there are {files}")
    found["file_mb"] = round(checkpoint.stat().st_size / 2**20)
    found["has_struct"] = "stats_parsed" in {field.name for field in pq.read_schema(checkpoint).field("add").type}
    checkpoint.unlink()
    (table / "_delta_log" / "_last_checkpoint").unlink()
    return found


def _summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The fastest run, and the median of the peaks."""
    timed = ("seconds", "cpu_seconds", "with_loading_seconds", "process_seconds")
    return {
        **{name: round(min(run[name] for run in runs), 3) for name in timed},
        "all_seconds": [round(run["seconds"], 3) for run in runs],
        **{name: round(statistics.median(run[name] for run in runs)) for name in ("loaded_peak_mb", "peak_mb")},
        **{name: runs[-1][name] for name in ("file_mb", "has_struct", "library")},
    }


def _machine() -> dict[str, Any]:
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("pyarrow", "numpy", "deltalake")},
    }


if __name__ == "__main__":
    main()
