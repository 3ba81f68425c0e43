"""Search the commits of one log for the facts that an audit needs, a few at a time so that few bytes are kept.

Most commits are small, and to search many at once costs a fraction of searching each.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeVar

import attrs
import msgspec

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.commits import numbered_lines
from deltaresolver.log.find_actions import find_actions, key_of
from deltaresolver.log.segment import CommitFile
from deltaresolver.model.actions import Action, CommitInfo
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

T = TypeVar("T")

_PROTOCOL, _METADATA = key_of("protocol"), key_of("metaData")
_DELETION_VECTOR = b'"deletionVector":{'
_CHANGE_FILE = b'{"cdc":'
_NUMBERS_WITH_CHANGE_FILES = (4, 5, 6)
MAX_HELD = 1 << 18
_SEARCHED_AT_ONCE = 1 << 15
"""Bytes searched together: more would need new memory each time, which costs more than the search."""
_BETWEEN = b"\n"
"""A separator that is in none of the search texts, so that no match crosses the border of two commits."""
_decode_line = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@attrs.frozen(slots=True)
class StateCommit:
    """A commit that set the protocol, the metadata, or both."""

    file: CommitFile
    info: CommitInfo
    protocol: Protocol | None
    metadata: Metadata | None


@attrs.define(slots=True, eq=False)
class CommitSearch:
    """Call `look` for commits in ascending order, then `finish`; unusable commits are recorded, not raised."""

    state_commits: list[StateCommit] = attrs.field(factory=list)
    """The commits with a protocol or metadata, in ascending order."""
    cut_off: list[str] = attrs.field(factory=list)
    saw_deletion_vector: bool = False
    """Only for commits whose protocol is known; the same is true of `saw_change_file`."""
    saw_change_file: bool = False
    looked_at: set[str] = attrs.field(factory=set)
    held: dict[str, bytes] = attrs.field(factory=dict)
    """The bytes of the newest commits that are small, so that counting files does not read them again."""
    whole: bool = False
    """Whether every line must be JSON, not only the last one and those that are parsed."""
    _held_bytes: int = 0
    _waiting: list[tuple[CommitFile, bytes]] = attrs.field(factory=list)
    _waiting_bytes: int = 0
    _malformed: list[tuple[int, CommitMalformedError]] = attrs.field(factory=list)
    _torn: list[tuple[int, str]] = attrs.field(factory=list)
    _may_hold_vectors: bool = False
    _may_hold_change_files: bool = False

    def look(self, file: CommitFile, data: bytes) -> None:
        """Take one commit; it is searched now or, together with others, at the latest by `finish`."""
        size = len(data)
        self.looked_at.add(file.path)
        self.held[file.path] = data
        self._held_bytes += size
        while self._held_bytes > MAX_HELD:
            self._held_bytes -= len(self.held.pop(next(iter(self.held))))
        if self._waiting_bytes + size > _SEARCHED_AT_ONCE:
            self.finish()  # so that a large one is searched alone, without a copy
        self._waiting.append((file, data))
        self._waiting_bytes += size

    def finish(self) -> None:
        """Search the commits that were taken and not searched yet."""
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        for file, data in waiting:
            if is_cut_off(data) or (self.whole and has_bad_line(data)):
                self._note_torn(file)
        joined = _BETWEEN.join([data for _, data in waiting])
        starts = [0, *accumulate(len(data) + len(_BETWEEN) for _, data in waiting)]
        with_state = sorted({*_hits(joined, _PROTOCOL, starts), *_hits(joined, _METADATA, starts)})
        # The protocol at the time of a commit decides which actions it may hold.
        for place, following in pairwise((-1, *with_state, len(waiting))):
            if place >= 0:
                self._look_for_state(*waiting[place])
            self._look_for_files(joined, starts[max(place, 0)], starts[following])

    def _look_for_files(self, joined: bytes, start: int, end: int) -> None:
        """Search commits that were made under one protocol for files of certain kinds."""
        # From the end: the same answer, and usually sooner.
        if self._may_hold_vectors and not self.saw_deletion_vector:
            self.saw_deletion_vector = joined.rfind(_DELETION_VECTOR, start, end) >= 0
        if self._may_hold_change_files and not self.saw_change_file:
            self.saw_change_file = joined.rfind(_CHANGE_FILE, start, end) >= 0

    def problem_from(self, first_version: int) -> CommitMalformedError | None:
        """The unusable commit at or after this version that keeps the state from being read; None without one."""
        malformed = [error for version, error in self._malformed if version >= first_version]
        if malformed:
            return malformed[-1]
        return next((_cut_off(path) for version, path in self._torn if version >= first_version), None)

    def _note_torn(self, file: CommitFile) -> None:
        self.cut_off.append(file.path)
        self._torn.append((file.first_version, file.path))

    def _look_for_state(self, file: CommitFile, data: bytes) -> None:
        try:
            found = find_actions(data, ("protocol", "metaData"), file.path)
            info = find_actions(data, ("commitInfo",), file.path) if found else {}
        except CommitMalformedError as error:
            self._malformed.append((file.first_version, error))
            if file.path not in self.cut_off:
                self._note_torn(file)
            return
        if not found:
            return
        protocol = first_of(found.get("protocol"), Protocol)
        metadata = first_of(found.get("metaData"), Metadata)
        told = first_of(info.get("commitInfo"), CommitInfo) or CommitInfo()
        self.state_commits.append(StateCommit(file, told, protocol, metadata))
        if protocol is not None:
            listed = protocol.listed_features
            self._may_hold_vectors = "deletionVectors" in listed
            numbered = protocol.min_writer_version in _NUMBERS_WITH_CHANGE_FILES
            self._may_hold_change_files = numbered or "changeDataFeed" in listed


def _hits(joined: bytes, key: bytes, starts: Sequence[int]) -> list[int]:
    """The numbers of the commits that `key` is in; `starts` is where each of them begins, and the end."""
    found: list[int] = []
    place = joined.rfind(key)
    while place >= 0:
        number = bisect_right(starts, place) - 1
        found.append(number)
        place = joined.rfind(key, 0, starts[number])
    return found


def first_of(actions: Sequence[Action] | None, kind: type[T]) -> T | None:
    """The first of `actions` that is a `kind`."""
    return next((action for action in actions or () if isinstance(action, kind)), None)


def is_cut_off(data: bytes) -> bool:
    """Whether the last line is not a JSON object, as a writer without atomic puts leaves it when it dies."""
    end = len(data) - 1 if data.endswith(b"}\n") else len(data.rstrip())
    try:
        _decode_line(data[data.rfind(b"\n", 0, end) + 1 : end])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return True
    return False


def has_bad_line(data: bytes) -> bool:
    """Whether some line is not a JSON object."""
    try:
        for _, line in numbered_lines(data):
            _decode_line(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return True
    return False


def _cut_off(path: str) -> CommitMalformedError:
    return CommitMalformedError(
        f"{path} cannot be used: it is cut off, or a line is damaged.",
        fix=f"Restore {path} from a backup, or find the writer that left it like this.",
        details={"path": path},
    )
