"""The results of an unfinished audit, on disk: it can continue where it stopped, and memory does not grow with tables.

audit.json          the settings of the audit; an audit with other settings must not continue in the same folder
locations.txt       every table, sorted, each once; batches are runs of its lines
parts/N.jsonl       the tables of batch N, one a line; complete or missing
parts/N.profiles    client profiles for demands that batch N was the first to have in its process
lock                the process that works on the audit
profiles/KEY        client profiles, one a file, which the processes share
"""

from __future__ import annotations

import heapq
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from deltaresolver.audit.document.document import RootAudit
from deltaresolver.audit.scan.batch import split_result
from deltaresolver.audit.scan.work_lock import WorkLock
from deltaresolver.errors import AuditResumeError

T = TypeVar("T")
_SORTED_AT_ONCE = 200_000
_LOCATIONS, _SETTINGS, _ROOTS, _BEGUN = "locations.txt", "audit.json", "roots.json", "begun.txt"


class WorkFolder:
    """A folder that belongs to one audit. Raises `AuditResumeError` where it belongs to another one, or is in use.

    Every file gets its name when it is complete. A damaged file counts as missing, and its content is worked out
    again.
    """

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self.path = path
        self._parts = path / "parts"
        self._parts.mkdir(parents=True, exist_ok=True)
        self._lock = WorkLock(path)
        self.profiles = path / "profiles"
        self.profiles.mkdir(exist_ok=True)
        begun_with = _read(path / _SETTINGS, json.loads)
        if begun_with is None:
            # Without readable settings nobody knows which audit the other files belong to.
            self._forget_search()
            (path / _BEGUN).unlink(missing_ok=True)
            _keep(path / _SETTINGS, json.dumps(settings, sort_keys=True).encode())
        elif begun_with != json.loads(json.dumps(settings)):
            self._lock.release()
            raise AuditResumeError(
                f"{path} holds an audit that was begun with other places, rules or clients.",
                fix="Give the options of the first run again, or remove the folder to start afresh.",
                details={"path": str(path), "begun_with": begun_with, "asked": settings},
            )
        if not self.has_locations:
            self._forget_search()
        self._drop_damaged()

    @property
    def has_locations(self) -> bool:
        """Whether the search for tables was finished."""
        roots = _read(self.path / _ROOTS, _decode_roots)
        if roots is None:
            return False
        count = 0
        try:
            for location in _locations_in(self.path / _LOCATIONS):
                if not isinstance(location, str):
                    return False
                count += 1
        except (OSError, ValueError, RecursionError):
            return False
        return count > 0 or any(root.tables == 0 for root in roots)

    def _forget_search(self) -> None:
        """Remove the tables found and all batches, which are lines of that list."""
        for path in (self.path / _LOCATIONS, self.path / _ROOTS, *self._parts.iterdir()):
            path.unlink(missing_ok=True)

    def _drop_damaged(self) -> None:
        for part in self._parts.iterdir():
            try:
                for line in part.read_bytes().splitlines():
                    msgspec.json.decode(line)
            except (ValueError, RecursionError):
                part.unlink()

    def keep_locations(self, locations: Iterable[str]) -> None:
        """Write the locations, sorted and without repetitions; not all of them are in memory at once."""
        source = iter(locations)
        runs: list[Path] = []
        while part := sorted(islice(source, _SORTED_AT_ONCE)):
            run = self.path / f"run{len(runs)}.txt"
            run.write_text("".join(f"{json.dumps(one)}\n" for one in part), encoding="utf-8")
            runs.append(run)
        merged = heapq.merge(*(_locations_in(run) for run in runs))
        unfinished = self.path / f"{_LOCATIONS}.part"
        with unfinished.open("w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(one)}\n" for one, _ in groupby(merged))
        unfinished.replace(self.path / _LOCATIONS)
        for run in runs:
            run.unlink()

    def keep_roots(self, roots: Iterable[RootAudit]) -> None:
        """Write the roots that were searched, with the errors met."""
        _keep(self.path / _ROOTS, msgspec.json.encode(tuple(roots)))

    def roots(self) -> tuple[RootAudit, ...]:
        """The roots that were searched."""
        return _read(self.path / _ROOTS, _decode_roots) or ()

    def begun_ms(self, now_ms: int) -> int:
        """When the audit was begun: `now_ms` the first time; every table is judged at the same moment."""
        begun = _read(self.path / _BEGUN, int)
        if begun is None:
            begun = now_ms
            _keep(self.path / _BEGUN, str(now_ms).encode())
        return begun

    def count(self) -> int:
        """The number of tables found."""
        with (self.path / _LOCATIONS).open("rb") as file:
            return sum(1 for _ in file)

    def open_batches(self, size: int) -> Iterator[tuple[int, list[str]]]:
        """The batches that are not done yet."""
        lines = _locations_in(self.path / _LOCATIONS)
        number = 0
        while batch := list(islice(lines, size)):
            if not self._part(number).exists():
                yield number, batch
            number += 1

    def keep_batch(self, number: int, result: bytes) -> None:
        """Write the result of a batch, whole or not at all."""
        tables, profiles = split_result(result)
        if profiles:
            _keep(self._parts / f"{number}.profiles", profiles)
        _keep(self._part(number), tables)

    def profile_lines(self) -> Iterator[bytes]:
        """Every profile kept; the same one may come several times."""
        for path in sorted(self._parts.glob("*.profiles")):
            yield from path.read_bytes().splitlines()

    def lines(self) -> Iterator[bytes]:
        """The line of every table, in order of location."""
        for number in sorted(int(part.stem) for part in self._parts.glob("*.jsonl")):
            yield from self.find_lines(number) or ()

    def find_lines(self, number: int) -> list[bytes] | None:
        """The lines of batch `number`; None if it is not done."""
        try:
            return self._part(number).read_bytes().splitlines()
        except FileNotFoundError:
            return None

    def remove(self) -> None:
        """Remove the folder, once the audit is done."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.release()

    def _part(self, number: int) -> Path:
        return self._parts / f"{number}.jsonl"


def _keep(path: Path, data: bytes) -> None:
    """Write the file whole or not at all, whenever the process or the machine stops."""
    unfinished = path.with_name(f"{path.name}.part")
    with unfinished.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _read(path: Path, decode: Callable[[bytes], T]) -> T | None:
    """The decoded content of the file; None where it is missing or damaged."""
    try:
        return decode(path.read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return None


def _decode_roots(data: bytes) -> tuple[RootAudit, ...]:
    return msgspec.json.decode(data, type=tuple[RootAudit, ...])


def _locations_in(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
