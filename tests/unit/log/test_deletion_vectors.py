"""Deletion vectors: what is written is read back, whatever holds it, and damage is never read as data."""

from __future__ import annotations

import struct
import uuid
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from deltaresolver.errors import DeletionVectorUnreadableError
from deltaresolver.log.deletion_vectors import decode_z85, read_deletion_vectors
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.actions import DeletionVector

pyroaring = pytest.importorskip("pyroaring")

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
ROWS = some.sets(some.integers(0, 2**40), max_size=50)
NAME = uuid.UUID(int=7)


def encode_z85(data: bytes) -> str:
    """The published rule, written the slow way."""
    text = ""
    for start in range(0, len(data), 4):
        number = int.from_bytes(data[start : start + 4].ljust(4, b"\0"), "big")
        text += "".join(ALPHABET[number // 85**place % 85] for place in (4, 3, 2, 1, 0))
    return text


def payload(rows: set[int]) -> bytes:
    """Rows as a vector's bytes."""
    return bytes(struct.pack("<i", 1681511377) + pyroaring.BitMap64(rows).serialize())


def inline(rows: set[int]) -> DeletionVector:
    """Rows in the log itself."""
    data = payload(rows)
    return DeletionVector("i", encode_z85(data), None, len(data), len(rows))


def framed(rows: set[int]) -> bytes:
    """Rows as a file of vectors holds them."""
    data = payload(rows)
    return struct.pack(">i", len(data)) + data + struct.pack(">I", zlib.crc32(data))


@given(some.binary(max_size=64).filter(lambda data: len(data) % 4 == 0))
def test_base_85_is_decoded(data: bytes) -> None:
    assert decode_z85(encode_z85(data)) == data


@given(ROWS)
def test_inline_rows_are_read_back(rows: set[int]) -> None:
    vector = inline(rows)
    assert read_deletion_vectors(MemoryStore(), [vector])[vector.unique_id].tolist() == sorted(rows)


@given(some.lists(ROWS, min_size=1, max_size=4))
def test_vectors_in_one_file_are_read_back(several: list[set[int]]) -> None:
    store, content, vectors = MemoryStore(), b"\x01", []
    for rows in several:
        path = "ab" + encode_z85(NAME.bytes)
        vectors.append(DeletionVector("u", path, len(content), len(payload(rows)), len(rows)))
        content += framed(rows)
    store.put(f"ab/deletion_vector_{NAME}.bin", content)
    found = read_deletion_vectors(store, vectors)
    assert [found[vector.unique_id].tolist() for vector in vectors] == [sorted(rows) for rows in several]


def test_a_vector_elsewhere_is_asked_for_by_its_path() -> None:
    content = framed({3, 5})
    vector = DeletionVector("p", "s3://lake/dv.bin", 1, len(payload({3, 5})), 2)

    def read(path: str, start: int, length: int) -> bytes:
        assert (path, start, length) == ("s3://lake/dv.bin", 1, len(content))
        return content

    assert read_deletion_vectors(MemoryStore(), [vector], read)[vector.unique_id].tolist() == [3, 5]


@pytest.mark.parametrize("place", range(len(framed({1, 2**33}))))
def test_no_damaged_byte_goes_unnoticed(tmp_path: Path, place: int) -> None:
    content = bytearray(b"\x01" + framed({1, 2**33}))
    content[place + 1] ^= 0x10
    (tmp_path / f"deletion_vector_{NAME}.bin").write_bytes(content)
    vector = DeletionVector("u", encode_z85(NAME.bytes), 1, len(payload({1, 2**33})), 2)
    with pytest.raises(DeletionVectorUnreadableError):
        read_deletion_vectors(LocalStore(tmp_path), [vector])


def test_a_missing_file_a_short_file_and_a_wrong_count_are_refused(tmp_path: Path) -> None:
    vector = DeletionVector("u", encode_z85(NAME.bytes), 1, len(payload({1})), 1)
    with pytest.raises(DeletionVectorUnreadableError, match="missing"):
        read_deletion_vectors(LocalStore(tmp_path), [vector])
    (tmp_path / f"deletion_vector_{NAME}.bin").write_bytes(b"\x01" + framed({1})[:-2])
    with pytest.raises(DeletionVectorUnreadableError, match="too early"):
        read_deletion_vectors(LocalStore(tmp_path), [vector])
    counted = DeletionVector("i", inline({1}).path_or_inline, None, len(payload({1})), 2)
    with pytest.raises(DeletionVectorUnreadableError, match="names 1 rows") as caught:
        read_deletion_vectors(MemoryStore(), [counted])
    assert caught.value.delta_condition == "DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH"


@pytest.mark.parametrize("text", ["abcd", "ab cd", "\u00e4bcde"])
def test_what_is_not_base_85_is_refused(text: str) -> None:
    with pytest.raises(DeletionVectorUnreadableError):
        decode_z85(text)
