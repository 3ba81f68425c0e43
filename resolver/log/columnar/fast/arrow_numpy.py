"""Between Arrow and numpy by their buffers alone.

pyarrow's own conversions (`pa.array`, `pa.scalar`, `to_numpy`) import pandas where it is installed, which
costs more time and memory than reading most logs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Mask = npt.NDArray[np.bool_]
_TYPES = {np.dtype(np.int64): pa.int64(), np.dtype(np.int32): pa.int32()}


def from_numbers(values: npt.NDArray[np.int64] | npt.NDArray[np.int32], valid: Mask | None = None) -> pa.Array:
    """Whole numbers as an Arrow array, null where not `valid`."""
    bits = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(_TYPES[values.dtype], len(values), [bits, pa.py_buffer(np.ascontiguousarray(values))])


def from_flags(flags: Mask) -> pa.BooleanArray:
    """Truth values as an Arrow array."""
    bits = pa.py_buffer(np.packbits(flags, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(flags), [None, bits])


def whole_number(value: int) -> pa.Int64Scalar:
    """A number to compare or fill with."""
    return from_numbers(np.array([value], np.int64))[0]


def one_text(value: str) -> pa.StringScalar:
    """A string to compare or fill with."""
    return from_texts([value])[0]


def from_texts(texts: Sequence[str]) -> pa.StringArray:
    """A few strings as an Arrow array."""
    encoded = [text.encode() for text in texts]
    offsets = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


_NULLS: dict[pa.DataType, pa.Array] = {}


def nulls_of(length: int, kind: pa.DataType) -> pa.Array:
    """Nulls of any type. All such arrays of a type share one memory, as most columns of most logs are null."""
    known = _NULLS.get(kind)
    if known is None or len(known) < length:
        known = _NULLS[kind] = pa.nulls(max(length, 1024), kind)
    return known.slice(0, length)


def valid_rows(array: pa.Array) -> Mask:
    """Which rows are not null."""
    bits = array.buffers()[0]
    if bits is None or array.null_count == 0:
        return np.full(len(array), array.null_count == 0)
    return _unpack(bits, array.offset, len(array))


def flags_of(array: pa.BooleanArray) -> Mask:
    """The truth values of an array without nulls."""
    return _unpack(array.buffers()[1], array.offset, len(array))


def numbers_of(array: pa.Int32Array) -> npt.NDArray[np.int32]:
    """The numbers of an array without nulls."""
    return np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array)]


def numbers_or_zero(array: pa.Int64Array) -> npt.NDArray[np.int64]:
    """The numbers of an array, 0 where it is null."""
    buffer = array.buffers()[1]
    if buffer is None:
        return np.zeros(len(array), np.int64)
    numbers = np.frombuffer(buffer, np.int64)[array.offset : array.offset + len(array)]
    return np.where(valid_rows(array), numbers, 0) if array.null_count else numbers


def _unpack(bits: pa.Buffer, offset: int, length: int) -> Mask:
    unpacked = np.unpackbits(np.frombuffer(bits, np.uint8), count=offset + length, bitorder="little")
    return unpacked[offset:].view(np.bool_)
