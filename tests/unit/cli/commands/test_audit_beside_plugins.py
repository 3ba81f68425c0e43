"""An audit beside packages whose plugins are wrong: each is reported once, as a note."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.logs import LogBuilder, add, metadata
from tests.unit.plugins.packages_on_disk import honest, install

PROTOCOL = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}


def test_a_package_that_is_set_aside_is_named_once(tmp_path: Path) -> None:
    packages, lake = tmp_path / "packages", tmp_path / "lake"
    packages.mkdir()
    for package in ("acme-first", "acme-second"):
        install(packages, package, honest("acmeFlag"))
    for number in range(3):
        LogBuilder.local(lake / f"t{number}").commit(PROTOCOL, metadata(), add("a"))
    done = subprocess.run(
        [sys.executable, "-m", "deltaresolver.cli", "audit", str(lake)],
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    notes = done.stderr.splitlines()
    assert len(notes) == 1, notes
    assert notes[0].startswith("note: The package acme-second is set aside.")
