"""Deletion vectors as bytes: 64-bit Roaring bitmaps in their portable form, framed as Delta's files hold them."""

from __future__ import annotations

import struct
import uuid
import zlib
from collections.abc import Sequence

import attrs
import numpy as np

from deltaresolver.log.deletion_vectors import Rows
from deltaresolver.model.actions import DeletionVector

_MAGIC = 1681511377
_NO_RUNS = 12346
_ARRAY_LIMIT = 4096
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


@attrs.frozen(slots=True)
class VectorFile:
    """One file of deletion vectors, and the descriptor of each in the order they were given."""

    path: str
    data: bytes
    vectors: tuple[DeletionVector, ...]


def encode_rows(rows: Rows) -> bytes:
    """The bitmap of these positions, which ascend and differ."""
    high = rows >> 32
    parts = [struct.pack("<iQ", _MAGIC, len(np.unique(high)))]
    for key in np.unique(high):
        parts.append(struct.pack("<I", int(key)))
        parts.append(_bitmap(np.asarray(rows[high == key] & 0xFFFFFFFF, np.uint32)))
    return b"".join(parts)


def _bitmap(values: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> bytes:
    keys, starts, counts = np.unique(values >> 16, return_index=True, return_counts=True)
    containers = [
        _container(np.asarray(values[start : start + count] & 0xFFFF, np.uint16))
        for start, count in zip(starts, counts, strict=True)
    ]
    header = struct.pack("<II", _NO_RUNS, len(keys))
    described = np.column_stack([keys, counts - 1]).astype("<u2").tobytes()
    first = len(header) + len(described) + 4 * len(keys)
    lengths = np.array([0, *(len(each) for each in containers[:-1])], np.int64)
    offsets = (first + np.cumsum(lengths)).astype("<u4").tobytes()
    return b"".join([header, described, offsets, *containers])


def _container(values: np.ndarray[tuple[int], np.dtype[np.uint16]]) -> bytes:
    if len(values) <= _ARRAY_LIMIT:
        return values.astype("<u2").tobytes()
    bits = np.zeros(1 << 16, np.uint8)
    bits[values] = 1
    return np.packbits(bits, bitorder="little").tobytes()


def vector_file(sets: Sequence[Rows], identity: uuid.UUID) -> VectorFile:
    """A file with one vector for each set of positions, named after `identity`."""
    data = bytearray(b"\x01")
    vectors = []
    for rows in sets:
        payload = encode_rows(rows)
        offset = len(data)
        data += struct.pack(">i", len(payload)) + payload + struct.pack(">I", zlib.crc32(payload))
        vectors.append(
            DeletionVector(
                storage_type="u",
                path_or_inline=_base85(identity.bytes),
                offset=offset,
                size_in_bytes=len(payload),
                cardinality=len(rows),
            )
        )
    return VectorFile(f"deletion_vector_{identity}.bin", bytes(data), tuple(vectors))


def _base85(data: bytes) -> str:
    digits = []
    for (word,) in struct.iter_unpack(">I", data):
        digits += [_ALPHABET[word // 85**power % 85] for power in (4, 3, 2, 1, 0)]
    return "".join(digits)
