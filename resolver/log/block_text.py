"""The bytes of a block with its lines and quotes located, if it is of the plain kind that can be cut in bulk."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa

Places = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

WORD = 8
_NEWLINE, _QUOTE, _BACKSLASH, _SPACE = 10, 34, 92, 32


@attrs.frozen(slots=True, eq=False)
class BlockText:
    """`quotes` are those that begin or end a string; an escaped one does neither."""

    data: bytes
    text: Bytes
    words: Words
    """The eight bytes from every place on, as one number."""
    begins: Places
    ends: Places
    quotes: Places

    def holds(self, places: Places, expected: bytes) -> Mask:
        """Whether `expected` stands at each of `places`; a place outside the block holds nothing."""
        size = len(expected)
        same = (places >= 0) & (places <= len(self.text) - size)
        last = len(self.words) - 1
        if size < WORD:
            bits = np.uint64((1 << (8 * size)) - 1)
            found = self.words[np.clip(places, 0, last)] & bits
            return same & (found == np.uint64(int.from_bytes(expected, "little")))
        for start in [*range(0, size - WORD, WORD), size - WORD]:
            wanted = np.uint64(int.from_bytes(expected[start : start + WORD], "little"))
            same &= self.words[np.clip(places + start, 0, last)] == wanted
        return same


def locate(data: bytes) -> BlockText | None:
    """The block's lines and quotes, or None where it has any escape but that of a quote, or control characters.

    `data` must end with at least eight bytes of white space.
    """
    if b"\\\\" in data:
        return None
    text = np.frombuffer(data, np.uint8)
    newlines = np.flatnonzero(text == _NEWLINE)
    if np.count_nonzero(text < _SPACE) != len(newlines) or not _is_utf8(data):
        return None
    is_quote = text == _QUOTE
    is_backslash = text == _BACKSLASH
    escaped = is_backslash[:-1] & is_quote[1:]
    if np.count_nonzero(escaped) != np.count_nonzero(is_backslash):
        return None
    is_quote[1:] ^= escaped
    begins = np.empty_like(newlines)
    if len(newlines):
        begins[0] = 0
        begins[1:] = newlines[:-1] + 1
    filled = newlines > begins
    words = np.ndarray((len(text) - WORD + 1,), np.dtype("<u8"), buffer=text, strides=(1,))
    return BlockText(data, text, words, begins[filled], newlines[filled], np.flatnonzero(is_quote))


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    offsets = np.array([0, len(data)], np.int32)
    whole = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    try:
        whole.validate(full=True)
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return False
    return True
