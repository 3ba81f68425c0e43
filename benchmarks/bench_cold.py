"""Commands from cold: the clock starts before the process, so the time includes imports, as it does for users.

    python benchmarks/bench_cold.py              12 runs of each, written to results/cold.json
    python benchmarks/bench_cold.py --runs 3     fewer of them
    python benchmarks/bench_cold.py --large      and all files of a log of 180,000

They are compared with delta-rs, `import pyarrow`, a bare Python and `git --version`. Bytecode is compiled before, as
pip does it. Wall time is shown as the median and the least of all runs, processor time (user and system, children
included) as the least: on a busy machine, use the latter.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench_log import RESULTS, machine
from lake import LogShape, write_log

TARGET = RESULTS / "cold.json"
SMALL = LogShape(10, 4)
LARGE = LogShape(1800, 100)


def main() -> None:
    """Measure, print, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="bench-cold-"))
    try:
        commands = _small(str(write_log(root / "small", SMALL)))
        if arguments.large:
            commands |= _large(str(write_log(root / "large", LARGE)))
        found = _measure(commands, arguments.runs, root / "bytecode")
    finally:
        shutil.rmtree(root)
    if arguments.write:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(
            json.dumps({"machine": machine(), "runs": arguments.runs, "commands": found}, indent=1) + "\n"
        )


def _small(table: str) -> dict[str, list[str]]:
    own = [sys.executable, "-m", "deltaresolver"]
    setting = "delta.enableRowTracking=true"
    return {
        "git --version": ["git", "--version"],
        "python -c pass": [sys.executable, "-c", "pass"],
        "import pyarrow": [sys.executable, "-c", "import pyarrow"],
        "protocol, delta-rs": [
            sys.executable,
            "-c",
            f"import deltalake; deltalake.DeltaTable({table!r}, without_files=True).protocol()",
        ],
        "protocol": [sys.executable, "-c", f"import deltaresolver as dr; dr.Table({table!r}).protocol"],
        "--help": [*own, "--help"],
        "explain PATH": [*own, "explain", table],
        "resolve PATH": [*own, "resolve", table],
        "resolve PATH --set": [*own, "resolve", table, "--set", setting],
        "history PATH": [*own, "history", table],
        "impact PATH --set": [*own, "impact", table, "--set", setting],
        "plan PATH": [*own, "plan", table, "--client", "trino@400"],
        "features": [*own, "features"],
        "clients": [*own, "clients"],
    }


def _large(table: str) -> dict[str, list[str]]:
    theirs = f"import deltalake; deltalake.DeltaTable({table!r}).file_uris()"
    ours = f"import deltaresolver as dr; dr.Table({table!r}).snapshot().files()"
    return {
        "180,000 files, delta-rs": [sys.executable, "-c", theirs],
        "180,000 files": [sys.executable, "-c", ours],
    }


def _measure(commands: dict[str, list[str]], runs: int, bytecode: Path) -> dict[str, Any]:
    """Run the commands in turns, so that other load on the machine affects all of them."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    wall: dict[str, list[float]] = {name: [] for name in commands}
    cpu: dict[str, list[float]] = {name: [] for name in commands}
    for run in range(runs + 1):
        for name, command in commands.items():
            before, started = _cpu_seconds(), time.perf_counter()
            done = subprocess.run(command, env=environment, capture_output=True, check=False)
            took = time.perf_counter() - started
            if done.returncode not in {0, 1}:
                raise SystemExit(f"{name}: {done.stderr.decode()}")
            if run:  # the first one compiles
                wall[name].append(took)
                cpu[name].append(_cpu_seconds() - before)
    found = {
        name: {
            "median_ms": round(statistics.median(wall[name]) * 1000),
            "least_ms": round(min(wall[name]) * 1000),
            "cpu_ms": round(min(cpu[name]) * 1000),
        }
        for name in commands
    }
    print(f"{'':26}{'median':>8}{'least':>8}{'cpu':>8}  ms")
    for name, row in found.items():
        print(f"{name:26}{row['median_ms']:8}{row['least_ms']:8}{row['cpu_ms']:8}")
    return found


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
