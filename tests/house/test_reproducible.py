"""Two builds of a commit give the same wheel, byte for byte, wherever they are made."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest


def digest_of_wheel(root: Path, folder: Path, umask: int, environment: Mapping[str, str]) -> str:
    """Build it, and say what it is."""
    (folder / "scratch").mkdir(parents=True)
    subprocess.run(
        [root / "script/wheel", folder / "out"],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "scratch"), **environment},
        umask=umask,
        capture_output=True,
        check=True,
    )
    (wheel,) = (folder / "out").iterdir()
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


@pytest.mark.slow
def test_two_builds_are_equal_byte_for_byte(root: Path, tmp_path: Path) -> None:
    one = digest_of_wheel(root, tmp_path / "here", 0o022, {"TZ": "UTC", "PYTHONHASHSEED": "1"})
    other = digest_of_wheel(root, tmp_path / "there", 0o077, {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "2"})
    assert one == other
