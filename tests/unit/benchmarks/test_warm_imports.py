"""A warm benchmark measures reading and no imports: what a call imports counts in the cold one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.lake import LogShape, write_log
from deltaresolver.defaults import built_in_catalog
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.table import Table

ROOT = Path(__file__).parents[3]
CODE = """
import json, sys
sys.path.insert(0, "benchmarks")
import log_tasks
from pathlib import Path
task = log_tasks._prepare_ours({task!r}, Path({table!r}))
before = set(sys.modules)
task()
print(json.dumps(sorted(set(sys.modules) - before)))
"""


@pytest.mark.parametrize("task", ["b", "c"])
@pytest.mark.parametrize("has_checkpoint", [False, True])
def test_nothing_is_imported_while_the_clock_runs(tmp_path: Path, task: str, *, has_checkpoint: bool) -> None:
    path = write_log(tmp_path, LogShape(12, 40))
    if has_checkpoint:
        table = Table(path)
        write_checkpoint(table.snapshot(7), table.log.store, built_in_catalog())
    code = CODE.format(task=task, table=str(path))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == []
