"""Metadata and protocol from JSON text: one object, or the lines of a commit file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Any

import attrs
import msgspec

from deltaresolver.errors import MalformedJsonError, MetadataMalformedError
from deltaresolver.model.facts.keys import ROW_TRACKING
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.value import Value

METADATA_KEYS = frozenset(
    (
        "id",
        "name",
        "description",
        "format",
        "schemaString",
        "partitionColumns",
        "configuration",
        "createdTime",
    )
)
"""What a metaData action may hold; enough to recognise one that comes bare."""

ACTIONS = frozenset(
    (
        "add",
        "cdc",
        "checkpointMetadata",
        "commitInfo",
        "domainMetadata",
        "metaData",
        "protocol",
        "remove",
        "sidecar",
        "txn",
    )
)

EXAMPLE = f'{{"configuration": {{"{ROW_TRACKING}": "true"}}}}'


@attrs.frozen(slots=True)
class Described(Value):
    """What some JSON says of a table; `notes` are remarks on what was left out of it."""

    metadata: Metadata
    protocol: Protocol | None = None
    notes: tuple[str, ...] = ()


def described_by(data: bytes, source: str) -> Described:
    """The metadata, and the protocol if there is one; of several the last, as in a log.

    Takes a metaData object bare or as an action, and the lines of a commit file. Raises `MalformedJsonError`,
    `MetadataMalformedError`, `ProtocolMalformedError`.
    """
    values = list(_values(_text(data, source), source))
    only = values[0] if len(values) == 1 else None
    if only is not None and ACTIONS.isdisjoint(only):
        return Described(Metadata.from_json(only), notes=tuple(_remarks(only, source)))
    metadata = _last(values, "metaData")
    protocol = _last(values, "protocol")
    if metadata is None:
        present = {key for value in values for key, action in value.items() if action is not None}
        found = ", ".join(sorted(ACTIONS & present)) or "no action at all"
        raise MetadataMalformedError(
            f"There is no metaData action in {source}, but {found}.",
            fix="Give the commit that holds it, often 00000000000000000000.json, or the table's path instead.",
            details={"source": source, "found": found},
        )
    return Described(Metadata.from_json(metadata), None if protocol is None else Protocol.from_json(protocol))


def _text(data: bytes, source: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedJsonError(
            f"{source} is not UTF-8: byte 0x{data[error.start]:02x} at position {error.start}.",
            fix="Convert it first, for example with iconv -f ENCODING -t UTF-8.",
            details={"source": source, "position": error.start},
        ) from error
    if not text.strip():
        raise MalformedJsonError(
            f"{source} is empty.",
            fix=f"Give a table path, or pipe metadata as JSON, for example {EXAMPLE}.",
            details={"source": source},
        )
    return text


def _values(text: str, source: str) -> Iterator[dict[str, Any]]:
    lines = text.splitlines()
    try:
        yield _object(msgspec.json.decode(text), source)
    except msgspec.DecodeError as error:
        if not _is_commit_file(lines):
            raise _malformed(source, error) from error
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _object_in_line(line, f"line {number} of {source}")
    except RecursionError as error:
        raise _malformed(source, error) from error


def _is_commit_file(lines: Iterable[str]) -> bool:
    """Whether the first line is an object of its own, so that mistakes are better named line by line."""
    first = next(line for line in lines if line.strip())
    try:
        return isinstance(msgspec.json.decode(first), dict)
    except (msgspec.DecodeError, RecursionError):
        return False


def _object_in_line(line: str, source: str) -> dict[str, Any]:
    try:
        return _object(msgspec.json.decode(line), source)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _malformed(source, error) from error


def _malformed(source: str, error: Exception) -> MalformedJsonError:
    reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
    return MalformedJsonError(
        f"{source} is not JSON: {reason}.".replace("..", "."),
        fix=f"Give one JSON object, such as {EXAMPLE}, or the lines of a commit file.",
        details={"source": source, "reason": reason},
    )


def _object(value: object, source: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise MetadataMalformedError(
        f"{source} holds a JSON {_json_type(value)}, not an object.",
        fix=f"Give one JSON object, such as {EXAMPLE}.",
        details={"source": source, "found": _json_type(value)},
    )


def _json_type(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", int: "number", float: "number", list: "array"}.get(type(value), type(value).__name__)


def _last(values: Iterable[dict[str, Any]], action: str) -> Any:
    found = None
    for value in values:
        if value.get(action) is not None:
            found = value[action]
    return found


def _remarks(value: dict[str, Any], source: str) -> Iterator[str]:
    """Keys no metaData has. Raises when there is nothing else: that would resolve an empty table in silence."""
    unknown = sorted(value.keys() - METADATA_KEYS)
    if unknown and METADATA_KEYS.isdisjoint(value):
        near = difflib.get_close_matches(unknown[0], METADATA_KEYS, n=1, cutoff=0.4)
        raise MetadataMalformedError(
            f"{source} is not a metaData object: it holds {', '.join(unknown[:5])}"
            f"{f' (did you mean {near[0]}?)' if near else ''}.",
            fix=f"Give at least one of {', '.join(sorted(METADATA_KEYS))}, for example {EXAMPLE}.",
            details={"source": source, "found": unknown[:50]},
        )
    if unknown:
        yield f"no metaData has {', '.join(unknown[:5])}; left out"
