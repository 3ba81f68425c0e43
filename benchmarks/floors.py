"""Floors: the least that any implementation of a work must do. The distance to the floor shows what could be gained.

A floor does nothing with the data it reads. It is measured on the same tables as the work, in the same process.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import msgspec

ROUNDS = 5


@attrs.frozen
class Floor:
    """A description, and a function that does it for the folder above the work's table."""

    says: str
    do: Callable[[Path], object]
    waits: bool = False
    """Whether wall time is measured, since it waits for a disk."""


def milliseconds(work: Callable[[], object], *, waits: bool) -> float:
    """The least milliseconds of several rounds: wall time if `waits`, else processor time."""
    clock = time.perf_counter if waits else time.process_time
    taken = []
    for _ in range(ROUNDS):
        began = clock()
        work()
        taken.append(clock() - began)
    return round(1000 * min(taken), 3)


def _logs(folder: Path) -> list[Path]:
    return [log for log in folder.rglob("_delta_log") if log.is_dir()]


def _list(folder: Path) -> object:
    return [sorted(os.listdir(log)) for log in _logs(folder)]  # noqa: PTH208 - paths would be made of all names


def _read(folder: Path) -> list[bytes]:
    return [_content(entry.path) for log in _logs(folder) for entry in os.scandir(log) if entry.is_file()]


def _content(path: str) -> bytes:
    """The bytes of a file, by calls of the operating system alone: Python's paths and files double the cost."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, os.fstat(descriptor).st_size)
    finally:
        os.close(descriptor)


def _decode(folder: Path) -> object:
    """Parse each line as JSON and discard the result."""
    decoder = msgspec.json.Decoder(msgspec.Raw)
    return [decoder.decode_lines(content) for content in _read(folder) if content[:1] == b"{"]


def _store_twice(folder: Path) -> object:
    target = folder / "floor"
    with target.open("wb") as file:
        file.write(b"x" * 400)
        file.flush()
        os.fsync(file.fileno())
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
        target.unlink()
    return None


def of_a_process(*command: str, environment: Mapping[str, str] | None = None) -> float:
    """Milliseconds of processor time of a process from start to end, the least of several runs."""
    taken = []
    for _ in range(ROUNDS):
        before = os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        after = os.times()
        taken.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return round(1000 * min(taken), 1)


FLOORS: Mapping[str, Floor] = {
    "files": Floor("reading the log and finding the ends of its JSON", _decode),
    "filtered files": Floor("reading the log and finding the ends of its JSON", _decode),
    "partitions": Floor("reading the log and finding the ends of its JSON", _decode),
    "commits": Floor("listing the log and reading its commits", _read),
    "history": Floor("listing the log", _list),
    "commits below": Floor("writing 400 bytes, syncs of the file and its folder", _store_twice, waits=True),
    "tables": Floor("listing the logs and reading their files", _read),
}
"""The floors, by the name of the axis in `growth_axes`. Other works read nothing, so they have no floor."""
