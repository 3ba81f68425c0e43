"""The circumstances of a measurement: the commit, the machine, and the load by other programs."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MAX_BUSY = 0.15
"""The share of all cores that other programs may use before results are marked."""


def busy_share(seconds: float = 2.0) -> float:
    """The share of all cores that others use while this process sleeps; unlike the load average, without delay."""
    before = _ticks()
    time.sleep(seconds)
    worked, idle = (after - earlier for after, earlier in zip(_ticks(), before, strict=True))
    return round(worked / max(worked + idle, 1), 3)


def _ticks() -> tuple[int, int]:
    """The busy and the idle time of all cores so far."""
    try:
        fields = [int(one) for one in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    except OSError:  # another system: use the load average of a minute
        share = int(1000 * min(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
        now = int(time.monotonic())
        return share * now, (1000 - share) * now
    idle = fields[3] + fields[4]
    return sum(fields) - idle, idle


def commit() -> str:
    """The short hash of the commit, with a + where tracked files differ from it, results not counted."""
    name = _git("rev-parse", "--short=7", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!benchmarks/results", ":!docs")
    return f"{name}{'+' if changed else ''}" if name else "unknown"


def machine() -> dict[str, Any]:
    """Cores, memory, processor, Python."""
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "processor": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
