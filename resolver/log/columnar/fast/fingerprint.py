"""A 64-bit fingerprint of every string in an Arrow array, without a Python object for each.

Equal strings have equal fingerprints; the reverse is only likely, so callers compare strings where it matters.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Fingerprints = npt.NDArray[np.uint64]

_WORD = 8
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def fingerprint(strings: pa.StringArray, seed: int = 0) -> Fingerprints:
    """One fingerprint per string; the one of a null is that of some string. Another seed, other fingerprints."""
    offsets, text = string_buffers(strings)
    begins, lengths = offsets[:-1], np.diff(offsets)
    if not len(lengths):
        return np.zeros(0, np.uint64)
    with np.errstate(over="ignore"):
        prints = (lengths.astype(np.uint64) + np.uint64(1 + (seed << 32))) * _MULTIPLIER
        long = np.flatnonzero(lengths >= _WORD)
        if len(long) == len(prints):
            _mix_words(prints, None, begins, lengths, text)
        else:
            if len(long):
                _mix_words(prints, long, begins[long], lengths[long], text)
            _mix_short(prints, begins, lengths, text)
    return prints


def string_buffers(strings: pa.StringArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Where every string begins and ends, and the bytes they are in."""
    _, offsets_buffer, data_buffer = strings.buffers()
    offsets = np.frombuffer(offsets_buffer, dtype=np.int32)[strings.offset : strings.offset + len(strings) + 1]
    text = np.empty(0, np.uint8) if data_buffer is None else np.frombuffer(data_buffer, dtype=np.uint8)
    return offsets.astype(np.int64), text


def _mix_words(
    prints: Fingerprints,
    rows: npt.NDArray[np.int64] | None,
    begins: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    text: npt.NDArray[np.uint8],
) -> None:
    """Mix in the strings of at least one word; the last word is the string's last eight bytes, overlapping."""
    words = np.ndarray((len(text) - _WORD + 1,), np.dtype("<u8"), buffer=text, strides=(1,))
    if rows is None and int(lengths.min(initial=_WORD)) == int(lengths.max(initial=_WORD)):
        _mix_alike(prints, begins, int(lengths[0]) if len(lengths) else _WORD, words)
        return
    mixed = prints if rows is None else prints[rows]
    last = begins + lengths - _WORD
    place = begins
    current: npt.NDArray[np.int64] | None = None
    while True:
        # The step past a string's end lands on its last word, so strings of like length need no regrouping.
        at = np.minimum(place, last)
        part = mixed if current is None else mixed[current]
        part = (part ^ words[at]) * _MULTIPLIER
        part ^= part >> _SHIFT
        if current is None:
            mixed = part
        else:
            mixed[current] = part
        more = np.flatnonzero(place < last)
        if not len(more):
            break
        if len(more) < len(place):
            current = more if current is None else current[more]
            place, last = place[more], last[more]
        place = place + _WORD
    if rows is None:
        prints[:] = mixed
    else:
        prints[rows] = mixed


def _mix_alike(prints: Fingerprints, begins: npt.NDArray[np.int64], length: int, words: npt.NDArray[np.uint64]) -> None:
    """As `_mix_words`, for strings of one length: most writers name all files of a table equally long."""
    shifted = np.empty_like(prints)
    for place in [*range(0, length - _WORD, _WORD), length - _WORD]:
        prints ^= words[begins + place]
        prints *= _MULTIPLIER
        np.right_shift(prints, _SHIFT, out=shifted)
        prints ^= shifted


def _mix_short(
    prints: Fingerprints,
    begins: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    text: npt.NDArray[np.uint8],
) -> None:
    for index in range(_WORD - 1):
        rows = np.flatnonzero((lengths < _WORD) & (lengths > index))
        if len(rows):
            part = (prints[rows] ^ text[begins[rows] + index].astype(np.uint64)) * _MULTIPLIER
            prints[rows] = part ^ (part >> _SHIFT)
