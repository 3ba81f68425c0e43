"""The part of a Parquet footer that spells out its schema, found without making sense of the rest.

A footer is a struct in Thrift's compact protocol. Checkpoints of one writer begin with the same bytes, since the schema
comes before everything that differs from file to file.
"""

from __future__ import annotations

_MAGIC = b"PAR1"
_SCHEMA_FIELD, _LIST = 2, 9
_MAX_DEPTH = 16
_NO_BYTES, _ONE_BYTE, _VARINTS, _DOUBLE, _TEXT, _LISTS, _STRUCT = (1, 2), (3,), (4, 5, 6), (7,), (8,), (9, 10), (12,)
_LONG = 15
_ELEMENT_OF_A_BYTE = (1, 2)


class _UnusualError(Exception):
    """A footer that is not understood here, whatever it is to others."""


def footer_start(file: bytes) -> int | None:
    """Where the footer of a whole file begins; None where the file does not end as a Parquet file does."""
    if len(file) < 12 or file[-4:] != _MAGIC:
        return None
    start = len(file) - 8 - int.from_bytes(file[-8:-4], "little")
    return start if start >= 4 else None


def schema_end(file: bytes, start: int) -> int | None:
    """Where the schema ends in the footer that begins at `start`; None in a footer of unusual form."""
    try:
        return _schema_end(file, start)
    except (_UnusualError, IndexError):
        return None


def _schema_end(data: bytes, at: int) -> int:
    field = 0
    while True:
        field, kind, at = _field(data, at, field)
        if field > _SCHEMA_FIELD:
            raise _UnusualError
        at = _skip(data, at, kind, 0)
        if field == _SCHEMA_FIELD:
            if kind != _LIST:
                raise _UnusualError
            return at


def _field(data: bytes, at: int, before: int) -> tuple[int, int, int]:
    """The number and type of the field that begins here, and where its value is."""
    head = data[at]
    if not head >> 4:
        # The end of the struct, or a number that is spelt out: no writer does that here.
        raise _UnusualError
    return before + (head >> 4), head & 0xF, at + 1


def _skip(data: bytes, at: int, kind: int, depth: int) -> int:
    """Where the value of this type that begins here ends."""
    if depth > _MAX_DEPTH:
        raise _UnusualError
    if kind in _NO_BYTES:
        return at
    if kind in _ONE_BYTE:
        return at + 1
    if kind in _VARINTS:
        return _varint(data, at)[1]
    if kind in _DOUBLE:
        return at + 8
    if kind in _TEXT:
        length, at = _varint(data, at)
        return at + length
    if kind in _LISTS:
        return _skip_list(data, at, depth)
    if kind in _STRUCT:
        return _skip_struct(data, at, depth)
    raise _UnusualError


def _skip_list(data: bytes, at: int, depth: int) -> int:
    length, kind = data[at] >> 4, data[at] & 0xF
    at += 1
    if length == _LONG:
        length, at = _varint(data, at)
    if kind in _ELEMENT_OF_A_BYTE:
        return at + length
    for _ in range(length):
        at = _skip(data, at, kind, depth + 1)
        if at > len(data):
            raise _UnusualError
    return at


def _skip_struct(data: bytes, at: int, depth: int) -> int:
    field = 0
    while data[at]:
        field, kind, at = _field(data, at, field)
        at = _skip(data, at, kind, depth + 1)
    return at + 1


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise _UnusualError
