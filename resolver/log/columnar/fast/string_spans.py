"""Pieces of a byte string as an Arrow array, without a Python object for each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.column_pool import column_pool
from deltaresolver.log.columnar.fast.arrow_numpy import from_numbers

_BACKSLASH = 92
_WORD_BITS = 64


def spans_of(data: bytes | npt.NDArray[np.uint8], begins: np.ndarray, ends: np.ndarray) -> pa.StringArray:
    """`data[begin:end]` for ascending spans that do not overlap; `data` must be valid UTF-8 there."""
    offsets = np.empty(2 * len(begins) + 1, dtype=np.int32)
    offsets[0:-1:2] = begins
    offsets[1::2] = ends
    offsets[-1] = ends[-1] if len(ends) else 0
    # Every other string is the gap between two spans; taking the even ones copies just what is wanted.
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    interleaved = pa.Array.from_buffers(pa.string(), 2 * len(begins), buffers)
    places = from_numbers(np.arange(0, 2 * len(begins), 2, dtype=np.int32))
    return pc.take(interleaved, places, boundscheck=False, memory_pool=column_pool())


def without_backslashes(strings: pa.StringArray) -> pa.StringArray:
    """The strings with every backslash left out: their unescaped form if all they escape is quotes.

    `strings` must not be a slice and must not have nulls.
    """
    _, offsets_buffer, data_buffer = strings.buffers()
    if data_buffer is None or not len(strings):
        return strings
    offsets = np.frombuffer(offsets_buffer, np.int32)[: len(strings) + 1]
    text = np.frombuffer(data_buffer, np.uint8)[: offsets[-1]]
    is_plain = text != _BACKSLASH
    if is_plain.all():
        # Not `strings` itself: taking spans leaves room in proportion to the gaps between them.
        buffers = [None, offsets_buffer, pa.py_buffer(text.tobytes())]
        return pa.Array.from_buffers(pa.string(), len(strings), buffers)
    bits = np.zeros((len(text) // _WORD_BITS + 1) * _WORD_BITS // 8, np.uint8)
    bits[: -(-len(text) // 8)] = np.packbits(is_plain, bitorder="little")
    shorter = _count_before(bits, offsets).astype(np.int32)
    # `bytes.translate` is as fast but holds Python's lock; to choose by flags in numpy takes half as long again.
    letters = pa.Array.from_buffers(pa.uint8(), len(text), [None, pa.py_buffer(text)])
    chosen = pa.Array.from_buffers(pa.bool_(), len(text), [None, pa.py_buffer(bits)])
    kept = pc.filter(letters, chosen, memory_pool=column_pool())
    return pa.Array.from_buffers(pa.string(), len(strings), [None, pa.py_buffer(shorter), kept.buffers()[1]])


def _count_before(bits: npt.NDArray[np.uint8], places: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """How many bits there are before each place, in whole words of bits, of which the last holds one past the end."""
    words = bits.view(np.dtype("<u8"))
    sums = np.zeros(len(words) + 1, np.int64)
    np.cumsum(np.bitwise_count(words), out=sums[1:])
    word, bit = places // _WORD_BITS, (places % _WORD_BITS).astype(np.uint64)
    before: npt.NDArray[np.int64] = sums[word]
    before += np.bitwise_count(words[word] & ((np.uint64(1) << bit) - np.uint64(1))).astype(np.int64)
    return before
