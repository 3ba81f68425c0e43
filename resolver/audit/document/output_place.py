"""A local place that something is written to: whether that is possible, asked before hours of work, and the writing."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def find_obstacle(place: Path) -> str | None:
    """Why neither a file nor a folder can be made or changed at `place`; None where nothing stands in the way."""
    nearest = place.absolute()
    while not nearest.exists():
        nearest = nearest.parent
    if nearest != place.absolute() and not nearest.is_dir():
        return f"{nearest} is not a folder"
    if not os.access(nearest, os.W_OK):
        return f"{nearest} may not be written to"
    return None


def is_stream(place: str | os.PathLike[str]) -> bool:
    """Whether a device such as /dev/null or a pipe is there, which can be written to but not read again."""
    return os.path.exists(place) and not os.path.isfile(place) and not os.path.isdir(place)  # noqa: PTH110, PTH112, PTH113


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` at the end or, if the writing fails, not at all.

    A stream is written to as it is, since no file may take its place; where `path` is a link, it stays, and the file
    it leads to is written.
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
