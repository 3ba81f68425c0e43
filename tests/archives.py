"""Unpacking the archives of recorded answers, on every Python the project supports."""

from __future__ import annotations

import tarfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a trusted archive with its file times, which are part of the data."""
    with tarfile.open(archive) as opened:
        if hasattr(tarfile, "data_filter"):
            opened.extractall(folder, filter="fully_trusted")
        else:  # the first releases of Python 3.11 take no filter
            opened.extractall(folder)
