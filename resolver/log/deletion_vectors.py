"""Deletion vectors: which rows of a data file are deleted, by their position in it.

A vector lies in the log itself (`i`), in a file beside the data (`u`) or at an absolute path (`p`). Every length,
checksum and count that is written down is verified: a vector read wrongly would bring deleted rows back.
"""

from __future__ import annotations

import struct
import uuid
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np
import numpy.typing as npt

from deltaresolver.errors import DeletionVectorUnreadableError, StoredFileMissingError
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import DeletionVector

Rows = npt.NDArray[np.int64]
"""Positions of deleted rows, ascending."""

ReadAbsolute = Callable[[str, int, int], bytes]
"""`length` bytes from `start` of a file at an absolute, URI-encoded path."""

MAX_ROWS = 1 << 28
"""Of one file that may be deleted: in memory they take 2 GiB."""
_LAST_ROW = 2**63 - 1
_MAGIC = 1681511377
_UUID_CHARACTERS = 20
_FRAME = 8
"""A vector in a file has its length before it and a checksum after it, four bytes each."""

_ALPHABET = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_DIGITS = np.full(256, 255, np.uint8)
_DIGITS[np.frombuffer(_ALPHABET, np.uint8)] = np.arange(85)


def read_deletion_vectors(
    store: LogStore, vectors: Iterable[DeletionVector], read_absolute: ReadAbsolute | None = None
) -> dict[str, Rows]:
    """The deleted rows by the vectors' unique ids. `read_absolute` serves vectors outside the table.

    Raises `DeletionVectorUnreadableError`; for a file that is not there with its `StoredFileMissingError` as cause.
    """
    wanted = {vector.unique_id: vector for vector in vectors}
    sources = {key: relative_path(vector) for key, vector in wanted.items() if vector.storage_type == "u"}
    shared = {path for path, uses in Counter(sources.values()).items() if uses > 1}
    whole: Mapping[str, bytes] = {path: _reading(path, partial(store.read, path)) for path in shared}

    def stored(path: str, start: int, length: int) -> bytes:
        if path in whole:
            return whole[path][start : start + length]
        return _reading(path, lambda: store.read_range(path, start, length))

    return {
        key: _checked(_payload(vector, sources.get(key), stored, read_absolute), vector)
        for key, vector in wanted.items()
    }


def _payload(
    vector: DeletionVector,
    relative: str | None,
    stored: Callable[[str, int, int], bytes],
    read_absolute: ReadAbsolute | None,
) -> bytes:
    if vector.size_in_bytes < 0 or vector.cardinality < 0 or (vector.offset or 0) < 0:
        raise _unreadable(vector, "its size, its offset or its number of rows is negative")
    if vector.storage_type == "i":
        data = decode_z85(vector.path_or_inline)
        if len(data) < vector.size_in_bytes:
            raise _unreadable(vector, f"{len(data)} bytes are inline, and {vector.size_in_bytes} are recorded")
        return data[: vector.size_in_bytes]
    start, length = vector.offset if vector.offset is not None else 1, vector.size_in_bytes + _FRAME
    if relative is not None:
        return _unframed(stored(relative, start, length), vector)
    if vector.storage_type == "p" and read_absolute is not None:
        path = vector.path_or_inline
        return _unframed(_reading(path, lambda: read_absolute(path, start, length)), vector)
    raise _unreadable(vector, f"its storage type {vector.storage_type!r} is not i, u or p that can be reached")


def _reading(path: str, read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except StoredFileMissingError as error:
        raise DeletionVectorUnreadableError(
            f"The deletion vectors' file {path} is missing.",
            fix="Restore the file from a backup, or restore the table to an earlier version.",
            details={"path": path},
        ) from error


def _unframed(frame: bytes, vector: DeletionVector) -> bytes:
    if len(frame) < vector.size_in_bytes + _FRAME:
        raise _unreadable(vector, f"its file ends {vector.size_in_bytes + _FRAME - len(frame)} bytes too early")
    (size,) = struct.unpack_from(">i", frame)
    if size != vector.size_in_bytes:
        raise _unreadable(
            vector,
            f"its file records {size} bytes, but the log {vector.size_in_bytes}",
            "DELTA_DELETION_VECTOR_SIZE_MISMATCH",
        )
    data = frame[4 : 4 + size]
    (checksum,) = struct.unpack_from(">I", frame, 4 + size)
    if zlib.crc32(data) != checksum:
        raise _unreadable(
            vector,
            f"its checksum is {zlib.crc32(data)}, and its file says {checksum}",
            "DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH",
        )
    return data


def _checked(data: bytes, vector: DeletionVector) -> Rows:
    """The rows, which are counted before memory is taken for them: a few bytes may stand for billions."""
    from pyroaring import BitMap64  # noqa: PLC0415 - an optional dependency

    if len(data) < 4 or struct.unpack_from("<i", data)[0] != _MAGIC:
        raise _unreadable(vector, "it does not begin with the number that marks a portable roaring bitmap")
    try:
        bitmap = BitMap64.deserialize(data[4:])
        count = len(bitmap)
        last = bitmap.max() if count else 0
    except (ValueError, MemoryError, OverflowError) as error:
        raise _unreadable(vector, f"it is not a roaring bitmap ({error})") from error
    if count != vector.cardinality:
        raise _unreadable(
            vector,
            f"it names {count} rows, but the log records {vector.cardinality}",
            "DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH",
        )
    if count > MAX_ROWS or last > _LAST_ROW:
        raise _unreadable(vector, f"it names {count} rows up to row {last}, which is more than a data file has")
    # The same memory: none of them needs the bit for the sign.
    return np.frombuffer(bitmap.to_array(), np.uint64).view(np.int64)


def relative_path(vector: DeletionVector) -> str:
    """`prefix/deletion_vector_UUID.bin`, from the prefix and the UUID in base 85."""
    text = vector.path_or_inline
    prefix, encoded = text[:-_UUID_CHARACTERS], text[-_UUID_CHARACTERS:]
    data = decode_z85(encoded)
    if len(data) != 16:
        raise _unreadable(vector, f"{text!r} does not end in a UUID")
    name = f"deletion_vector_{uuid.UUID(bytes=data)}.bin"
    return f"{prefix}/{name}" if prefix else name


def decode_z85(text: str) -> bytes:
    """The bytes of a Z85 text. Raises `DeletionVectorUnreadableError`."""
    codes = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    digits = _DIGITS[codes]
    if len(codes) % 5 or (digits == 255).any():
        raise DeletionVectorUnreadableError(
            f"{text[:40]!r} is not base 85 as deletion vectors are written.",
            fix="Restore the table to a version before this deletion vector.",
            details={"text": text[:200]},
        )
    words = digits.reshape(-1, 5).astype(np.uint64) @ np.array([85**4, 85**3, 85**2, 85, 1], np.uint64)
    return words.astype(">u4").tobytes()


def _unreadable(vector: DeletionVector, problem: str, condition: str | None = None) -> DeletionVectorUnreadableError:
    return DeletionVectorUnreadableError(
        f"The deletion vector {vector.unique_id[:60]!r} cannot be read: {problem}.",
        fix="Restore the deletion vector's file from a backup, or restore the table to an earlier version.",
        details={"deletionVector": vector.unique_id[:200], "problem": problem},
        delta_condition=condition,
    )
