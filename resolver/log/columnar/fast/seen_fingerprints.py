"""A growing set of fingerprints that is asked and added to by the thousand."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deltaresolver.log.columnar.fast.fingerprint import Fingerprints

Mask = npt.NDArray[np.bool_]
_Places = npt.NDArray[np.int64]

_SMALLEST_TABLE, _LARGEST_TABLE = 10, 30
_SCATTER = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)
"""Where in a table a fingerprint has its place, which nobody can foresee: names can be chosen so that the fingerprints
of all begin alike."""


class SeenPrints:
    """An exact set: fingerprints that share a place in a table are chained from the newest to the oldest.

    Every step of a chain is taken for all that is asked at once, so the work does not grow with what is held.
    """

    def __init__(self, expected: int = 0) -> None:
        self._resize(expected)

    def _resize(self, expected: int) -> None:
        bits = min(max(expected.bit_length(), _SMALLEST_TABLE), _LARGEST_TABLE)
        self._shift = np.uint64(64 - bits)
        self._newest = np.zeros(1 << bits, np.int32)
        """The number of the print added last at each place; 0 where there is none."""
        self._prints = np.zeros((1 << bits) + 1, np.uint64)
        self._older = np.zeros((1 << bits) + 1, np.int32)
        self._count = 0

    def add(self, prints: Fingerprints) -> None:
        """Add fingerprints; one that is in the set already stays in it."""
        first = self._count + 1
        if first + len(prints) > len(self._prints):
            self._grow(len(prints))
        numbers = np.arange(first, first + len(prints), dtype=np.int32)
        self._prints[first : first + len(prints)] = prints
        self._count += len(prints)
        places = self._places_of(prints)
        while len(numbers):
            self._older[numbers] = self._newest[places]
            self._newest[places] = numbers
            # Where several of these share a place, one was written last; the others go in front of it, in turn.
            behind = np.flatnonzero(self._newest[places] != numbers)
            numbers, places = numbers[behind], places[behind]

    def _grow(self, more: int) -> None:
        known = self._prints[1 : self._count + 1]
        self._resize(2 * (len(known) + more))
        if len(known):
            self.add(known)

    def holds(self, prints: Fingerprints) -> Mask:
        """Which of these are in the set."""
        found = np.zeros(len(prints), np.bool_)
        numbers = self._newest[self._places_of(prints)]
        rows = np.flatnonzero(numbers)
        numbers = numbers[rows]
        while len(rows):
            same = self._prints[numbers] == prints[rows]
            found[rows[same]] = True
            numbers = np.where(same, np.int32(0), self._older[numbers])
            more = np.flatnonzero(numbers)
            rows, numbers = rows[more], numbers[more]
        return found

    def _places_of(self, prints: Fingerprints) -> _Places:
        with np.errstate(over="ignore"):
            places: _Places = ((prints * _SCATTER) >> self._shift).view(np.int64)
        return places


def are_distinct(parts: Sequence[Fingerprints]) -> bool:
    """Whether no fingerprint occurs twice in all the parts together."""
    ordered = np.sort(np.concatenate([np.empty(0, np.uint64), *parts]))
    return not bool((ordered[1:] == ordered[:-1]).any())


def last_of_each(prints: Fingerprints) -> Mask:
    """For every fingerprint whether it is the last of its value."""
    ordered = np.sort(prints)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.ones(len(prints), np.bool_)
    order = np.argsort(prints, kind="stable")
    ordered = prints[order]
    last = np.ones(len(prints), np.bool_)
    last[order[:-1][ordered[1:] == ordered[:-1]]] = False
    return last
