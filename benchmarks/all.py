"""Measure everything that docs/performance.md shows with one command, which continues where it was stopped.

    python -m benchmarks.all                 every part in its full size: about 20 minutes on two cores
    python -m benchmarks.all --quick         smaller sizes, written to results/quick: about 8 minutes
    python -m benchmarks.all --budget 10     start only parts that would end within 10 minutes
    python -m benchmarks.all --only cold log these parts; --list shows all of them
    python -m benchmarks.page                write docs/performance.md from the results

Each result records the commit, the machine, and the share of the cores that other programs used before and after. If
that share is above 15 %, the command stops before it measures or, with --busy, continues and marks the result. A part
that was measured with these sizes at this commit on an idle machine is not measured again without --again.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.machine import MAX_BUSY, ROOT, busy_share, commit, machine
from benchmarks.parts import HERE, PARTS, Part
from benchmarks.results_folder import VARIABLE

PATIENCE = 4
"""A part is stopped when it takes this many times its recorded time."""


def main(given: Sequence[str] | None = None) -> int:
    """Run the parts that the arguments select. Returns 0 if all of them are measured, else 1."""
    arguments = _arguments(given)
    if arguments.list:
        for part in PARTS.values():
            print(f"{part.name:14} {part.whole.minutes:4.1f} min, quick {part.quick.minutes:.1f} min")
        return 0
    folder = arguments.results / "quick" if arguments.quick else arguments.results
    folder.mkdir(parents=True, exist_ok=True)
    ends = time.monotonic() + 60 * arguments.budget
    missing = []
    for name in arguments.only:
        part = PARTS[name]
        if not arguments.again and _is_measured(part, folder, quick=arguments.quick, may_be_busy=arguments.busy):
            print(f"{name}: measured at this commit")
        elif time.monotonic() + 60 * part.way(quick=arguments.quick).minutes > ends:
            print(f"{name}: left for the next call, it takes {part.way(quick=arguments.quick).minutes:g} minutes")
            missing.append(name)
        elif not _measure(part, folder, quick=arguments.quick, may_be_busy=arguments.busy):
            missing.append(name)
    if missing:
        print(f"not measured: {', '.join(missing)}; the same command goes on with these")
    return 1 if missing else 0


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.all", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument("--budget", type=float, default=60, metavar="MINUTES")
    parser.add_argument("--only", nargs="+", choices=[*PARTS], default=[*PARTS], metavar="PART")
    parser.add_argument("--again", action="store_true", help="also what was measured at this commit")
    parser.add_argument("--busy", action="store_true", help="measure on a busy machine too, and mark the results")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="FOLDER")
    parser.add_argument("--list", action="store_true", help="name all parts")
    return parser.parse_args(given)


def _is_measured(part: Part, folder: Path, *, quick: bool, may_be_busy: bool) -> bool:
    try:
        record = json.loads((folder / f"{part.name}.json").read_text(encoding="utf-8"))["record"]
    except (OSError, ValueError, KeyError):
        return False
    same = record.get("commit") == commit() and record.get("arguments") == [*part.way(quick=quick).arguments]
    return same and (may_be_busy or not record.get("busy", True))


def _measure(part: Part, folder: Path, *, quick: bool, may_be_busy: bool) -> bool:
    """Run one part and write the circumstances into its results; returns whether it was measured."""
    before, load = busy_share(), round(os.getloadavg()[0], 1)
    if before > MAX_BUSY and not may_be_busy:
        print(
            f"{part.name}: not begun, others use {before:.0%} of the cores (load average {load})\n"
            "  fix: Wait until the machine is idle, or pass --busy to measure all the same and have the results marked."
        )
        return False
    print(f"{part.name}: begun, about {part.way(quick=quick).minutes:g} minutes", flush=True)
    begun, started = time.monotonic(), datetime.now(UTC)
    if not _run(part, folder, quick=quick):
        return False
    minutes, after = (time.monotonic() - begun) / 60, busy_share()
    record: dict[str, Any] = {
        "commit": commit(),
        "date": started.date().isoformat(),
        "started": started.isoformat(timespec="seconds"),
        "quick": quick,
        "arguments": [*part.way(quick=quick).arguments],
        "minutes": round(minutes, 2),
        "busy": max(before, after) > MAX_BUSY,
        "others_before": before,
        "others_after": after,
        "load_at_start": load,
        "machine": machine(),
    }
    target = folder / f"{part.name}.json"
    found = json.loads(target.read_text(encoding="utf-8"))
    found.pop("record", None)
    target.write_text(json.dumps({"record": record, **found}, indent=1) + "\n", encoding="utf-8")
    print(f"{part.name}: {minutes:.1f} minutes{', busy' if record['busy'] else ''}", flush=True)
    return True


def _run(part: Part, folder: Path, *, quick: bool) -> bool:
    """Run the program, and stop it and its child processes if it takes far too long; its output goes to a file."""
    target, words = folder / f"{part.name}.json", folder / f"{part.name}.log"
    earlier = target.read_bytes() if target.exists() else None
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {VARIABLE: str(folder), "PYTHONPATH": path}
    with words.open("wb") as out:
        process = subprocess.Popen(
            part.command(sys.executable, quick=quick),
            cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            code: int | None = process.wait(60 * PATIENCE * part.way(quick=quick).minutes)
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as stopped:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            if isinstance(stopped, KeyboardInterrupt):
                _keep(target, earlier)
                raise
            code = None
    if code == 0:
        words.unlink()
        return True
    _keep(target, earlier)
    print(f"{part.name}: {'stopped, it took too long' if code is None else f'ended with {code}'}; see {words}")
    return False


def _keep(target: Path, earlier: bytes | None) -> None:
    """Restore the earlier results of a part that failed: an incomplete result would look complete."""
    if earlier is None:
        target.unlink(missing_ok=True)
    else:
        target.write_bytes(earlier)


if __name__ == "__main__":
    sys.exit(main())
