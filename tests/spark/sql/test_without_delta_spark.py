"""SQL and ds.enable in a JVM without delta-spark's JARs, which other tests of the same process may have brought.

Its extension reads statements first, and loses the values of parameters, by name and by place.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    "cases", [("enabled_cases.py", "everyday_cases.py"), ("statement_cases.py", "view_cases.py")], ids=" ".join
)
def test_the_cases_hold_in_a_process_of_their_own(root: Path, cases: Sequence[str]) -> None:
    files = [str(Path(__file__).with_name(each)) for each in cases]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout[-6_000:]
    assert " passed" in done.stdout
