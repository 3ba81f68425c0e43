"""Tombstones for files of deletion vectors: without them, clients without the feature delete the files too soon."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from deltaresolver.model.actions import DeletionVector, RemoveFile

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_DIGIT = {character: digit for digit, character in enumerate(_Z85)}
_ENCODED_UUID = 20
"""Characters of a UUID in base 85."""


def missing_tombstones(removed: Iterable[RemoveFile], now_ms: int) -> tuple[RemoveFile, ...]:
    """A tombstone for each file of deletion vectors that removed files refer to, unless it has one already."""
    wanted: dict[str, None] = {}
    known: set[str] = set()
    for file in removed:
        if file.deletion_vector is None:
            known.add(file.path)
        else:
            path = vector_path(file.deletion_vector)
            if path is not None:
                wanted[path] = None
    return tuple(RemoveFile(path, now_ms, data_change=False) for path in wanted if path not in known)


def vector_path(vector: DeletionVector) -> str | None:
    """The file of a deletion vector, relative to the table as in tombstones; None if there is none in the table."""
    if vector.storage_type != "u":
        return None
    prefix, encoded = vector.path_or_inline[:-_ENCODED_UUID], vector.path_or_inline[-_ENCODED_UUID:]
    if len(encoded) != _ENCODED_UUID or not all(character in _DIGIT for character in encoded):
        return None
    name = f"deletion_vector_{_decoded_uuid(encoded)}.bin"
    return f"{prefix}/{name}" if prefix else name


def _decoded_uuid(encoded: str) -> uuid.UUID:
    data = b""
    for start in range(0, _ENCODED_UUID, 5):
        number = 0
        for character in encoded[start : start + 5]:
            number = number * len(_Z85) + _DIGIT[character]
        data += number.to_bytes(4, "big")
    return uuid.UUID(bytes=data)
