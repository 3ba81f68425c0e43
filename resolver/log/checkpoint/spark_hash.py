"""Spark's hash of strings (Murmur3, 32 bit), for whole columns: it decides which part a file's actions go to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltaresolver.log.columnar.fast.arrow_numpy import valid_rows
from deltaresolver.log.columnar.fast.fingerprint import string_buffers

SEED = 42
"""What Spark starts from; a null changes nothing."""

Hashes = npt.NDArray[np.uint32]

_C1, _C2 = np.uint32(0xCC9E2D51), np.uint32(0x1B873593)
_WORD = 4
_MANY_WORDS = 1024
"""A text of more is hashed by itself, not side by side with others."""


def hash_texts(texts: pa.StringArray, seeds: Hashes) -> Hashes:
    """The hash of each text, begun with the seed of its row; the seed itself where the text is null."""
    offsets, text = string_buffers(texts)
    begins, lengths = offsets[:-1].astype(np.int64), np.diff(offsets).astype(np.int64)
    hashes = seeds.copy()
    rows = np.flatnonzero(valid_rows(texts))
    begins, lengths = begins[rows], lengths[rows]
    mixed = hashes[rows]
    words, last_bytes = lengths // _WORD, lengths % _WORD
    padded = np.concatenate([text, np.zeros(_WORD, np.uint8)])
    long = np.flatnonzero(words > _MANY_WORDS)
    for row in long.tolist():
        mixed[row] = _mix_all(int(mixed[row]), text[begins[row] : begins[row] + _WORD * words[row]])
    by_word = np.where(words > _MANY_WORDS, 0, words)
    for index in range(int(by_word.max(initial=0))):
        here = np.flatnonzero(by_word > index)
        mixed[here] = _mix(mixed[here], _word_at(padded, begins[here] + _WORD * index))
    for index in range(_WORD - 1):
        here = np.flatnonzero(last_bytes > index)
        # Spark mixes each left-over byte by itself, and takes it as signed.
        byte = padded[begins[here] + _WORD * words[here] + index].astype(np.int8).astype(np.int32).view(np.uint32)
        mixed[here] = _mix(mixed[here], byte)
    hashes[rows] = _finish(mixed ^ lengths.astype(np.uint32))
    return hashes


def _word_at(text: npt.NDArray[np.uint8], places: npt.NDArray[np.int64]) -> Hashes:
    word = text[places].astype(np.uint32)
    for index in range(1, _WORD):
        word |= text[places + index].astype(np.uint32) << np.uint32(8 * index)
    return word


def _mix(hashes: Hashes, word: Hashes) -> Hashes:
    scrambled = _rotated(word * _C1, 15) * _C2
    return _rotated(hashes ^ scrambled, 13) * np.uint32(5) + np.uint32(0xE6546B64)


def _mix_all(hashed: int, text: npt.NDArray[np.uint8]) -> int:
    """As `_mix` with each word of one text in turn, which takes a fraction of the time: a text may have millions."""
    for scrambled in (_rotated(text.view("<u4") * _C1, 15) * _C2).tolist():
        hashed ^= scrambled
        hashed = (((hashed << 13) | (hashed >> 19)) * 5 + 0xE6546B64) & 0xFFFFFFFF
    return hashed


def _rotated(value: Hashes, bits: int) -> Hashes:
    return (value << np.uint32(bits)) | (value >> np.uint32(32 - bits))


def _finish(value: Hashes) -> Hashes:
    value = (value ^ (value >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    value = (value ^ (value >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return value ^ (value >> np.uint32(16))


def partition_of(hashes: Hashes, count: int) -> npt.NDArray[np.int64]:
    """The partition that Spark gives each hash: its remainder, never negative."""
    return hashes.view(np.int32).astype(np.int64) % count
