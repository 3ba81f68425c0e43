"""A growing set of fingerprints that is asked and added to by the thousand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deltaresolver.log.fingerprint import Fingerprints

Mask = npt.NDArray[np.bool_]

_SMALLEST_TABLE, _LARGEST_TABLE = 12, 26
_PLACES_PER_PRINT = 8


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
        self._runs: list[Fingerprints] = []

    def add(self, prints: Fingerprints) -> None:
        """Add fingerprints that are not in the set yet."""
        self._table.add(prints)
        run = np.sort(prints)
        # Runs at least double in length from new to old, so there are few of them.
        while self._runs and len(self._runs[-1]) < 2 * len(run):
            run = np.sort(np.concatenate([self._runs.pop(), run]))
        self._runs.append(run)

    def holds(self, prints: Fingerprints) -> Mask:
        """Which of these are in the set."""
        held = self._table.may_hold(prints)
        places = np.flatnonzero(held)
        asked = prints[places]
        found = np.zeros(len(asked), np.bool_)
        for run in self._runs:
            if len(run):
                found |= run[np.minimum(np.searchsorted(run, asked), len(run) - 1)] == asked
        held[places] = found
        return held


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
