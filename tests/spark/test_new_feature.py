"""The package that `deltaresolver new-feature` writes passes the Spark test that it brings along."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.running import run

pytestmark = pytest.mark.spark


def test_the_spark_test_of_a_new_feature_passes(tmp_path: Path) -> None:
    assert run("new-feature", "rowSigning", "--for-readers", "--directory", "here", folder=tmp_path).code == 0
    folder = tmp_path / "here"
    metadata = folder / "here-0.1.0.dist-info"  # as pip leaves it
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: here\nVersion: 0.1.0\n")
    entry = "[deltaresolver.features]\nrowSigning = deltaresolver_row_signing\n"
    (metadata / "entry_points.txt").write_text(entry)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    command = [sys.executable, "-m", "pytest", "-q", "-m", "spark", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
