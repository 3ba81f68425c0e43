"""The folder that programs write their results to: `results` beside them, or the one that `benchmarks.all` sets."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "BENCHMARK_RESULTS"
RESULTS = Path(os.environ.get(VARIABLE) or Path(__file__).parent / "results")
