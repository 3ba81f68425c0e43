"""One commit's bytes as actions: a precise error for anything that is not a commit, never a guess."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from deltaresolver.errors import ActionMalformedError, CommitMalformedError, InvalidInputError
from deltaresolver.model.actions import Action, read_action
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_decoder = msgspec.json.Decoder()

_AT_MOST_ONCE = (Protocol, Metadata)


def decode_commit(data: bytes, path: str) -> list[Action]:
    """The actions of the commit stored at `path`, in order. Raises `CommitMalformedError`.

    Blank lines and a leading byte order mark are allowed; a second protocol or metaData is not, since
    the order of actions inside a commit means nothing.
    """
    actions: list[Action] = []
    seen: dict[type[Any], int] = {}
    for number, line in numbered_lines(data):
        for name, value in decode_line(line, path, number).items():
            if value is None:
                continue
            action = decode_action(name, value, path, number)
            kind = type(action)
            if kind in _AT_MOST_ONCE:
                if kind in seen:
                    raise _malformed(
                        path, number, f"it is the second {name} of the commit (first on line {seen[kind]})"
                    )
                seen[kind] = number
            actions.append(action)
    return actions


def numbered_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, counted from 1."""
    data = data.removeprefix(_BYTE_ORDER_MARK)
    for number, line in enumerate(data.split(b"\n"), start=1):
        stripped = line.strip()
        if stripped:
            yield number, stripped


def decode_line(line: bytes, path: str, number: int) -> dict[str, Any]:
    """The JSON object on one line: action name to action. Raises `CommitMalformedError`."""
    try:
        value = _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _malformed(path, number, f"it is not JSON ({error})", line) from error
    if not isinstance(value, dict):
        raise _malformed(path, number, f"it holds {type(value).__name__} instead of an object", line)
    return value


def decode_action(name: str, value: Any, path: str, number: int) -> Action:
    """One action of a line. Raises `CommitMalformedError` naming the place, with the reason as its cause."""
    try:
        return read_action(name, value)
    except (ActionMalformedError, InvalidInputError) as error:
        raise _malformed(path, number, error.message.rstrip(".")) from error


def _malformed(path: str, number: int, reason: str, line: bytes = b"") -> CommitMalformedError:
    details: dict[str, Any] = {"path": path, "line": number, "reason": reason}
    if line:
        details["start"] = line[:120].decode("utf-8", "replace")
    return CommitMalformedError(
        f"Line {number} of {path} cannot be used: {reason}.",
        fix=f"Restore {path} from a backup, or find the writer that left it like this.",
        details=details,
    )
