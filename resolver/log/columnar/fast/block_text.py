"""The bytes of a block with its lines and quotes located, if it is of the plain kind that can be cut in bulk."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltaresolver.value import Printable

Places = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

WORD = 8
_STRIDE = 1 << 19
"""Bytes looked at in one step: few enough for the processor's caches, many enough that handing Python's lock from
thread to thread costs little beside the work."""
_MAX_DIGITS = 18
_MINUS, _ZERO = ord("-"), ord("0")
_ALL, _UPPER, _THREES, _SIXES = (np.uint64(0x0101010101010101 * byte) for byte in (0xFF, 0xF0, 0x30, 0x06))
_NEWLINE, _QUOTE, _BACKSLASH, _SPACE = 10, 34, 92, 32


@attrs.frozen(slots=True, eq=False)
class BlockText(Printable):
    """A quote that is not escaped begins or ends a string; `plain_quotes` counts those."""

    text: Bytes
    words: Words
    """The eight bytes from every place on, as one number."""
    begins: Places
    ends: Places
    plain_quotes: int

    def piece(self, begin: int, end: int) -> bytes:
        """A copy of the text between two places."""
        return self.text[begin:end].tobytes()

    def holds(self, places: Places, expected: bytes) -> Mask:
        """Whether `expected` stands at each of `places`; a place outside the block holds nothing."""
        size = len(expected)
        if size >= WORD and len(places) and places.min() >= 0 and places.max() <= len(self.text) - size:
            return self._hold_words(places, expected)
        same: Mask = (places >= 0) & (places <= len(self.text) - size)
        if size < WORD:
            # The eight bytes that end with `expected`: reading on behind it might leave the block.
            same &= places >= WORD - size
            found = self._words_at(places + (size - WORD)) >> np.uint64(8 * (WORD - size))
            same &= found == np.uint64(int.from_bytes(expected, "little"))
            return same
        for start in [*range(0, size - WORD, WORD), size - WORD]:
            wanted = np.uint64(int.from_bytes(expected[start : start + WORD], "little"))
            same &= self._words_at(places + start) == wanted
        return same

    def _hold_words(self, places: Places, expected: bytes) -> Mask:
        """As `holds`, where all of it lies inside the block."""
        starts = [*range(0, len(expected) - WORD, WORD), len(expected) - WORD]
        wanted = [np.uint64(int.from_bytes(expected[start : start + WORD], "little")) for start in starts]
        same: Mask = self.words[places + starts[0]] == wanted[0]
        for start, word in zip(starts[1:], wanted[1:], strict=True):
            same &= self.words[places + start] == word
        return same

    def hold_whole_numbers(self, begins: Places, ends: Places) -> Mask:
        """Whether JSON whole numbers that fit 64 bits stand between; a few that just fit are refused."""
        begins = begins + (self.text[_within(begins, len(self.text))] == _MINUS)
        widths = ends - begins
        leading_zero = (self.text[_within(begins, len(self.text))] == _ZERO) & (widths > 1)
        fine: Mask = (widths > 0) & (widths <= _MAX_DIGITS) & (ends >= WORD) & ~leading_zero
        left = np.where(fine, widths, 0)
        while left.any():
            digits = np.minimum(left, WORD)
            mask = _ALL << (8 * (WORD - digits)).astype(np.uint64)
            found = self._words_at(ends - WORD) & mask
            # A byte is a digit if its upper half is 3, and still is with 6 added.
            threes = _THREES & mask
            fine &= (found & _UPPER) == threes
            fine &= ((found + _SIXES) & _UPPER & mask) == threes
            ends, left = ends - WORD, left - digits
        return fine

    def _words_at(self, places: Places) -> Words:
        return self.words[_within(places, len(self.words))]


def _within(places: Places, size: int) -> Places:
    """The places, moved to where there is something; `np.clip` does the same at several times the cost per call."""
    moved: Places = np.maximum(places, 0)
    return np.minimum(moved, size - 1, out=moved)


def locate(data: bytes | memoryview) -> BlockText | None:
    """The block's lines, or None where it has any escape but that of a quote, or control characters."""
    text = np.frombuffer(data, np.uint8)
    if len(text) < WORD or text[-1] != _NEWLINE:
        return None
    newlines: list[Places] = []
    plain_quotes, is_ascii = 0, True
    flags = _masks.flags
    for start, piece, is_quote, is_backslash in _strides(text):
        new = min(start, 1)
        size = len(piece)
        # As numbers with a sign, bytes that are not ASCII are below all others.
        np.less(piece.view(np.int8), _SPACE, out=flags[:size])
        (odd,) = flags[new:size].nonzero()
        found = piece[new:][odd]
        if (found != _NEWLINE).any():
            if (found[found < _SPACE] != _NEWLINE).any():
                return None
            is_ascii = False
            odd = odd[found == _NEWLINE]
        # Whatever else a backslash escapes, another one included, it leaves one that no quote follows.
        if np.greater(is_backslash[:-1], is_quote[1:], out=flags[: size - 1]).any():
            return None
        plain_quotes += int(np.count_nonzero(is_quote[new:]) - np.count_nonzero(is_backslash[:-1]))
        newlines.append(odd + start)
    if not is_ascii and not is_utf8(text):
        return None
    ends = np.concatenate(newlines)
    begins = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])
    filled = ends > begins
    words = np.ndarray((len(text) - WORD + 1,), np.dtype("<u8"), buffer=text, strides=(1,))
    return BlockText(text, words, begins[filled], ends[filled], plain_quotes)


def find_quotes(block: BlockText) -> Places:
    """Where the quotes are that are not escaped."""
    quotes: list[Places] = []
    for start, _, is_quote, is_backslash in _strides(block.text):
        is_quote[1:] &= ~is_backslash[:-1]
        quotes.append(is_quote[min(start, 1) :].nonzero()[0] + start)
    return np.concatenate(quotes)


class _Masks(threading.local):
    """Memory that each thread uses again for every stride: fresh pages cost more than the work."""

    def __init__(self) -> None:
        self.flags, self.is_quote, self.is_backslash = (np.empty(_STRIDE + 1, np.bool_) for _ in range(3))


_masks = _Masks()


def _strides(text: Bytes) -> Iterator[tuple[int, Bytes, Mask, Mask]]:
    """The text in strides: where each starts, its bytes, its quotes and backslashes.

    All but the first have the byte before their start in front. The masks hold until the next stride.
    """
    is_quote, is_backslash = _masks.is_quote, _masks.is_backslash
    for start in range(0, len(text), _STRIDE):
        piece = text[max(start - 1, 0) : start + _STRIDE]
        np.equal(piece, _QUOTE, out=is_quote[: len(piece)])
        np.equal(piece, _BACKSLASH, out=is_backslash[: len(piece)])
        yield start, piece, is_quote[: len(piece)], is_backslash[: len(piece)]


def is_utf8(data: bytes | Bytes) -> bool:
    """Whether the bytes are well-formed text."""
    text = np.frombuffer(data, np.uint8)
    offsets = np.array([0, len(text)], np.int32)
    whole = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(offsets), pa.py_buffer(text)])
    try:
        whole.validate(full=True)
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return False
    return True
