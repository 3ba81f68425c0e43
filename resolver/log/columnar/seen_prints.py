"""A growing set of fingerprints that is asked and added to by the thousand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deltaresolver.log.columnar.fingerprint import Fingerprints

Mask = npt.NDArray[np.bool_]

_SMALLEST_TABLE, _LARGEST_TABLE = 12, 26
_PLACES_PER_PRINT = 8
_RUNS_PER_LEVEL = 8


class PrintTable:
    """Says of most fingerprints that they are not among those given; of the others that they may be."""

    def __init__(self, prints: Fingerprints, expected: int = 0) -> None:
        bits = (max(expected, len(prints)) * _PLACES_PER_PRINT).bit_length()
        bits = min(max(bits, _SMALLEST_TABLE), _LARGEST_TABLE)
        self._shift = np.uint64(64 - bits)
        self._marked = np.zeros(1 << bits, np.bool_)
        self.add(prints)

    def add(self, prints: Fingerprints) -> None:
        """Mark these."""
        self._marked[prints >> self._shift] = True

    def may_hold(self, prints: Fingerprints) -> Mask:
        """False only for those that were never added."""
        marked: Mask = self._marked[prints >> self._shift]
        return marked


class SeenPrints:
    """An exact set: a table answers for nearly all that are not in it, sorted runs for the rest."""

    def __init__(self, expected: int) -> None:
        self._table = PrintTable(np.empty(0, np.uint64), expected)
        self._levels: list[list[Fingerprints]] = []
        """Runs by size: when a level is full, it becomes one run of the next."""

    def add(self, prints: Fingerprints) -> None:
        """Add fingerprints that are not in the set yet."""
        if not len(prints):
            return
        self._table.add(prints)
        run = np.sort(prints)
        for level in self._levels:
            level.append(run)
            if len(level) < _RUNS_PER_LEVEL:
                return
            run = np.sort(np.concatenate(level))
            level.clear()
        self._levels.append([run])

    def holds(self, prints: Fingerprints) -> Mask:
        """Which of these are in the set."""
        held = self._table.may_hold(prints)
        places = np.flatnonzero(held)
        asked = prints[places]
        found = np.zeros(len(asked), np.bool_)
        for level in self._levels:
            for run in level:
                found |= run[np.minimum(np.searchsorted(run, asked), len(run) - 1)] == asked
        held[places] = found
        return held


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
