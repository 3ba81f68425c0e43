"""Bytes of an object store, of which a server may send more than was asked for, or than anybody can hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from deltaresolver.errors import StorageAnswerError, StorageUnavailableError
from deltaresolver.log.storage.local_read import MAX_WHOLE_BYTES


def ensure_readable_at_once(size: int, place: str) -> None:
    """Raises `StorageUnavailableError` for a file that is longer than what is read at once of a local one."""
    if size > MAX_WHOLE_BYTES:
        raise StorageUnavailableError(
            f"Could not read {place}: it is longer than the {MAX_WHOLE_BYTES:,} bytes that are read at once.",
            fix="Find out who wrote a file of this size there.",
            details={"path": place, "bytes": size},
        )


def first_bytes(pieces: Iterable[Any], most: int, place: str) -> bytes:
    """The pieces as one. Raises `StorageAnswerError` once they are more than the `most` that were asked for."""
    found: list[bytes] = []
    length = 0
    for piece in pieces:
        found.append(bytes(piece))
        length += len(found[-1])
        if length > most:
            raise StorageAnswerError(
                f"What answers for {place} is not an object store: of {most:,} bytes that were asked for it sent more.",
                fix="Check the endpoint: a proxy, a sign-in page or a web server answers in its place.",
                details={"path": place, "asked": most},
            )
    return found[0] if len(found) == 1 else b"".join(found)
