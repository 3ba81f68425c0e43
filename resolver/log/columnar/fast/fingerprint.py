"""A 64-bit fingerprint of every string in an Arrow array, without a Python object for each.

Equal strings have equal fingerprints; the reverse is only likely, so callers compare strings where it matters. Whoever
chooses the strings can have two of them meet under every small seed. Nobody can under one of `unforeseen_seed`,
whose fingerprints take an object for each string.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Fingerprints = npt.NDArray[np.uint64]

_WORD = 8
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_LONGEST = 4096
"""Bytes of a string whose words are mixed side by side with those of others; each longer one is hashed by itself."""
_UNFORESEEN = 1 << 62
"""Seeds from here on are random numbers, and the fingerprints under them are keyed hashes."""


def unforeseen_seed() -> int:
    """A seed that nobody knows beforehand, under which no strings can be made to meet."""
    return _UNFORESEEN | int.from_bytes(os.urandom(8), "little")


def fingerprint(strings: pa.StringArray, seed: int = 0) -> Fingerprints:
    """One fingerprint per string; the one of a null is that of some string. Another seed, other fingerprints."""
    offsets, text = string_buffers(strings)
    begins, lengths = offsets[:-1], np.diff(offsets)
    if not len(lengths):
        return np.zeros(0, np.uint64)
    if seed >= _UNFORESEEN:
        return _hashed(np.arange(len(lengths)), begins, lengths, text, seed)
    huge = np.flatnonzero(lengths > _LONGEST)
    hashed = _hashed(huge, begins, lengths, text, seed) if len(huge) else None
    # Mixed as if they were empty, and then replaced.
    lengths[huge] = 0
    with np.errstate(over="ignore"):
        prints = (lengths.astype(np.uint64) + np.uint64(1 + (seed << 32))) * _MULTIPLIER
        long = np.flatnonzero(lengths >= _WORD)
        if len(long) == len(prints):
            _mix_words(prints, None, begins, lengths, text)
        else:
            if len(long):
                _mix_words(prints, long, begins[long], lengths[long], text)
            _mix_short(prints, begins, lengths, text)
    if hashed is not None:
        prints[huge] = hashed
    return prints


def _hashed(
    rows: npt.NDArray[np.int64],
    begins: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    text: npt.NDArray[np.uint8],
    seed: int,
) -> Fingerprints:
    """The keyed hashes of these rows' strings."""
    from hashlib import blake2b  # noqa: PLC0415 - what a log needs that is not out of the ordinary loads without it

    def hashes() -> Iterator[bytes]:
        key = seed.to_bytes(16, "little")
        for begin, length in zip(begins[rows].tolist(), lengths[rows].tolist(), strict=True):
            yield blake2b(text[begin : begin + length].tobytes(), digest_size=8, key=key).digest()

    return np.frombuffer(bytearray(b"".join(hashes())), np.uint64)


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
