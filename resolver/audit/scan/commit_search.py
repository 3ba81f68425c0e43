"""What the commits of one log tell an audit, gathered commit by commit so that few bytes are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import attrs
import msgspec

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.byte_search import contains
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
_line_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])


@attrs.frozen(slots=True)
class StateCommit:
    """A commit that set the protocol, the metadata, or both."""

    file: CommitFile
    info: CommitInfo
    protocol: Protocol | None
    metadata: Metadata | None


@attrs.define(slots=True, eq=False)
class CommitSearch:
    """Look at commits in ascending order; what cannot be used is remembered, not raised."""

    state_commits: list[StateCommit] = attrs.field(factory=list)
    """Ascending."""
    cut_off: list[str] = attrs.field(factory=list)
    saw_deletion_vector: bool = False
    """As far as the protocol is known that the commit was made under; so is the next one."""
    saw_change_file: bool = False
    looked_at: set[str] = attrs.field(factory=set)
    held: dict[str, bytes] = attrs.field(factory=dict)
    """The newest commits, as far as they are small: where files are counted they are not read again."""
    whole: bool = False
    """Whether every line must be JSON, and not only the last one and those that matter."""
    _held_bytes: int = 0
    _malformed: list[tuple[int, CommitMalformedError]] = attrs.field(factory=list)
    _torn: list[tuple[int, str]] = attrs.field(factory=list)
    _may_hold_vectors: bool = False
    _may_hold_change_files: bool = False

    def look(self, file: CommitFile, data: bytes) -> None:
        """Search one commit."""
        self.looked_at.add(file.path)
        self._hold(file.path, data)
        if is_cut_off(data) or (self.whole and has_bad_line(data)):
            self._note_torn(file)
        # From the end: the same answer, and for these two keys in half the time.
        if data.rfind(_PROTOCOL) >= 0 or data.rfind(_METADATA) >= 0:
            self._look_for_state(file, data)
        if self._may_hold_vectors and not self.saw_deletion_vector:
            self.saw_deletion_vector = contains(data, _DELETION_VECTOR)
        if self._may_hold_change_files and not self.saw_change_file:
            self.saw_change_file = contains(data, _CHANGE_FILE)

    def _hold(self, path: str, data: bytes) -> None:
        self.held[path] = data
        self._held_bytes += len(data)
        while self._held_bytes > MAX_HELD:
            self._held_bytes -= len(self.held.pop(next(iter(self.held))))

    def problem_from(self, first_version: int) -> CommitMalformedError | None:
        """Why the state cannot be read, if that is due to an unusable commit from this version on."""
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


def first_of(actions: Sequence[Action] | None, kind: type[T]) -> T | None:
    """The first of `actions` that is a `kind`."""
    return next((action for action in actions or () if isinstance(action, kind)), None)


def is_cut_off(data: bytes) -> bool:
    """Whether the last line is not a JSON object, as a writer without atomic puts leaves it when it dies."""
    end = len(data) - 1 if data.endswith(b"}\n") else len(data.rstrip())
    last = data[data.rfind(b"\n", 0, end) + 1 : end]
    try:
        _line_decoder.decode(last)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return True
    return False


def has_bad_line(data: bytes) -> bool:
    """Whether some line is not a JSON object."""
    try:
        for _, line in numbered_lines(data):
            _line_decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return True
    return False


def _cut_off(path: str) -> CommitMalformedError:
    return CommitMalformedError(
        f"{path} cannot be used: it is cut off, or a line is damaged.",
        fix=f"Restore {path} from a backup, or find the writer that left it like this.",
        details={"path": path},
    )
