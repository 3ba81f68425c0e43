"""Action reconciliation: of all actions on one logical file, the newest alone counts.

The log is taken newest part first, so that what a part leaves is settled the moment it is read and nothing else
of it needs to be kept. Files are told apart by fingerprints of their keys; `verify` then compares the keys
themselves wherever fingerprints met, so that a coincidence never decides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.action_rows import ActionRows, Rows
from deltaresolver.log.columnar.fast.arrow_numpy import flags_of, from_numbers
from deltaresolver.log.columnar.fast.fingerprint import Fingerprints
from deltaresolver.log.columnar.fast.seen_fingerprints import SeenPrints, last_of_each
from deltaresolver.log.columnar.file_keys import FileKeys, exact_keys, key_struct

Mask = npt.NDArray[np.bool_]
KeyedRows = tuple[Fingerprints, pa.StructArray]
"""Actions by their fingerprints and the fields of their keys."""


class Reconciliation:
    """Takes the parts of a log, newest first, and says which rows of `action` each contributes to the result."""

    def __init__(self, action: str, expected_rows: int) -> None:
        self._action = action
        self._seen = SeenPrints(expected_rows)
        self._overridden: list[tuple[Fingerprints, pa.StringArray]] = []
        self._winners: list[KeyedRows] = []
        self._live_prints: list[Fingerprints] = []
        self._base_prints: list[Fingerprints] = []

    def settle(self, rows: ActionRows, keys: FileKeys) -> Rows:
        """The rows of the wanted action's source that no later action overrides, ascending."""
        newest = last_of_each(keys.prints)
        newest &= ~self._seen.holds(keys.prints)
        self._seen.add(keys.prints[newest])
        self._override(rows, keys, newest)
        wanted = self._wanted(keys)
        others = newest & ~wanted
        if others.any():
            array = rows.remove if self._action == "add" else rows.add
            self.keep_winners(keys.prints[others], array.take(from_numbers(keys.rows[others])))
        live, prints = _ascending(keys, newest & wanted)
        self._live_prints.append(prints)
        return live

    def settle_oldest(self, rows: ActionRows, keys: FileKeys) -> Rows:
        """As `settle`, for the last parts of the log when no two of their actions are on one file (`are_distinct`).

        They override nothing, so they need not be remembered.
        """
        newest = ~self._seen.holds(keys.prints)
        self._override(rows, keys, newest)
        live, prints = _ascending(keys, newest & self._wanted(keys))
        self._base_prints.append(prints)
        return live

    def live_prints(self) -> Fingerprints:
        """The fingerprints of all live rows: of those from `settle_oldest`, then of the others, the oldest first."""
        return np.concatenate([np.empty(0, np.uint64), *self._base_prints, *reversed(self._live_prints)])

    def _wanted(self, keys: FileKeys) -> Mask:
        return keys.is_add if self._action == "add" else ~keys.is_add

    def _override(self, rows: ActionRows, keys: FileKeys, newest: Mask) -> None:
        if newest.all():
            return
        for array, chosen in ((rows.add, ~newest & keys.is_add), (rows.remove, ~newest & ~keys.is_add)):
            if chosen.any():
                self._overridden.append((keys.prints[chosen], exact_keys(array, keys.rows[chosen])))

    def keep_winners(self, prints: Fingerprints, array: pa.StructArray) -> None:
        """Remember who overrides, for `verify`: actions by their fingerprints and the fields of their keys."""
        self._winners.append((prints, key_struct(array)))

    def verify(self, live: Sequence[pa.StructArray]) -> bool:
        """Whether every overridden action was overridden by one with the very same key.

        `live` holds the rows that `settle` left, in the order of the calls.
        """
        if not self._overridden:
            return True
        self._seen = SeenPrints()  # what was seen is large and has done its work
        prints = np.concatenate([prints for prints, _ in self._overridden])
        keys = pa.concat_arrays([names for _, names in self._overridden])
        # Most are overridden by actions of the other kind, which are few: live rows are asked only for the rest.
        open_ones = np.flatnonzero(~are_among(keys, prints, self._winners))
        if not len(open_ones):
            return True
        rest = zip(self._live_prints, map(key_struct, live), strict=True)
        return bool(are_among(keys.take(from_numbers(open_ones)), prints[open_ones], list(rest)).all())


def _ascending(keys: FileKeys, chosen: Mask) -> tuple[Rows, Fingerprints]:
    """The chosen rows in order, and their fingerprints."""
    rows, prints = keys.rows[chosen], keys.prints[chosen]
    if (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows)
        return rows[order], prints[order]
    return rows, prints


def are_among(keys: pa.StringArray, prints: Fingerprints, winners: Sequence[KeyedRows]) -> Mask:
    """Which of the keys, whose fingerprints are `prints`, some of the winners have."""
    # Not `np.unique`: its first call imports numpy.ma, which takes longer than reading a small log.
    asked = prints[last_of_each(prints)]
    lost = SeenPrints(len(asked))
    lost.add(asked)
    names = []
    for found, array in winners:
        rows = np.flatnonzero(lost.holds(found))
        if len(rows):
            names.append(exact_keys(array, rows))
    return flags_of(pc.is_in(keys, pa.concat_arrays(names))) if names else np.zeros(len(keys), np.bool_)
