"""A store that answers from a script, and ends the run where the script ends."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence

import attrs

from deltaresolver.errors import PutOutcomeUnknownError, StoredFileExistsError, StoredFileMissingError
from deltaresolver.log.names import commit_path, commit_version
from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.log.storage.memory_store import MemoryStore
from tests.simulation.store import START_MS

Log = tuple[bytes, ...]
"""The commits from version 0 on."""


@attrs.frozen(slots=True)
class Listing:
    """A call that asks which commits there are."""


@attrs.frozen(slots=True)
class Putting:
    """A call that writes a commit."""

    table_version: int
    data: bytes


Call = Listing | Putting


@attrs.frozen(slots=True)
class Listed:
    """The listing shows these commits."""

    log: Log


@attrs.frozen(slots=True)
class Done:
    """The put succeeded."""


@attrs.frozen(slots=True)
class Taken:
    """The version had been put already."""


@attrs.frozen(slots=True)
class Unanswered:
    """What became of the put was not said; afterwards there are these commits."""

    log: Log


Answer = Listed | Done | Taken | Unanswered


class ScriptEnded(BaseException):
    """The script has no answer to this call. No code under test may catch it."""

    def __init__(self, call: Call) -> None:
        self.call = call
        super().__init__(call)


class ScriptedStore(MemoryStore):
    """Answers listings and puts in turn from `answers`, and reads of commits from what it has shown so far."""

    def __init__(self, log: Log, answers: Sequence[Answer]) -> None:
        super().__init__("simulated")
        self.log = log
        """What was shown last."""
        self._answers = iter(answers)

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """The listing the script shows."""
        answer = self._next(Listing())
        assert isinstance(answer, Listed), "the writer does something else when it is run again"
        self.log = answer.log
        return store_of(self.log).list_from(path)

    def read(self, path: str) -> bytes:
        """A commit that was shown, or a file that is no commit and therefore missing."""
        try:
            return store_of(self.log).read(path)
        except StoredFileMissingError:
            assert commit_version(path) is None, f"{path} is looked for, which is not among the calls explored"
            raise

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """As `read`."""
        self.read(path)
        return store_of(self.log).read_range(path, start, length)

    def put_if_absent(self, path: str, data: bytes) -> None:
        """The put as the script has it end."""
        table_version = commit_version(path)
        assert table_version is not None, f"{path} is put, which is not among the calls explored"
        answer = self._next(Putting(table_version, without_read_version(data)))
        assert not isinstance(answer, Listed), "the writer does something else when it is run again"
        if isinstance(answer, Taken):
            raise StoredFileExistsError(f"{path} exists already.", fix="Try the next name.")
        if isinstance(answer, Unanswered):
            self.log = answer.log
            raise PutOutcomeUnknownError(f"No answer to the put of {path}.", fix="Try again.")

    def put(self, path: str, data: bytes) -> None:
        """No writer of these scopes replaces a file."""
        raise AssertionError(f"{path} is replaced, which is not among the calls explored")

    def delete(self, path: str) -> None:
        """No writer of these scopes deletes a file."""
        raise AssertionError(f"{path} is deleted, which is not among the calls explored")

    def _next(self, call: Call) -> Answer:
        for answer in self._answers:
            return answer
        raise ScriptEnded(call)


@functools.lru_cache(maxsize=4_096)
def store_of(log: Log) -> MemoryStore:
    """The files of a log."""
    store = MemoryStore("simulated", clock_ms=lambda: START_MS)
    for table_version, data in enumerate(log):
        store.put_if_absent(commit_path(table_version), data)
    return store


@functools.lru_cache(maxsize=65_536)
def without_read_version(data: bytes) -> bytes:
    """The commit without the version its writer had read, by which no other writer decides anything.

    So two histories that differ in nothing else are one.
    """
    lines = [json.loads(line) for line in data.splitlines()]
    for line in lines:
        line.get("commitInfo", {}).pop("readVersion", None)
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)
