"""Local output files: check before hours of work whether they can be written, and write them whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def find_obstacle(place: Path) -> str | None:
    """Why no file or folder can be made or changed at `place`; None where nothing prevents it."""
    nearest = place.absolute()
    while not nearest.exists():
        nearest = nearest.parent
    if nearest != place.absolute() and not nearest.is_dir():
        return f"{nearest} is not a folder"
    if not os.access(nearest, os.W_OK):
        return f"{nearest} may not be written to"
    return None


def is_stream(place: str | os.PathLike[str]) -> bool:
    """Whether the path is a pipe or a device such as /dev/null, which can be written to but not read again."""
    return os.path.exists(place) and not os.path.isfile(place) and not os.path.isdir(place)  # noqa: PTH110, PTH112, PTH113


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file for writing; it replaces `path` at the end, or not at all if writing fails.

    A pipe or a device is written to directly, since it must not be replaced. A link stays, and the file it leads to
    is replaced.
    """
    target = Path(os.path.realpath(path))
    if is_stream(target):
        with target.open("wb") as file:
            yield file
        return
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            unfinished.unlink()
