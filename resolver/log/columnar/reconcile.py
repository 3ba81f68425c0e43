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
from deltaresolver.log.columnar.arrow_numpy import flags_of, from_numbers
from deltaresolver.log.columnar.file_keys import FileKeys, exact_keys, key_struct
from deltaresolver.log.columnar.fingerprint import Fingerprints
from deltaresolver.log.columnar.seen_prints import SeenPrints, last_of_each

Mask = npt.NDArray[np.bool_]


class Reconciliation:
    """Takes the parts of a log, newest first, and says which rows of `action` each contributes to the result."""

    def __init__(self, action: str, expected_rows: int) -> None:
        self._action = action
        self._seen = SeenPrints(expected_rows)
        self._overridden: list[tuple[Fingerprints, pa.StringArray]] = []
        self._winners: list[tuple[Fingerprints, pa.StructArray]] = []
        self._live_prints: list[Fingerprints] = []

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
        newest &= wanted
        live: Rows = keys.rows[newest]
        prints = keys.prints[newest]
        if (live[1:] < live[:-1]).any():
            order = np.argsort(live)
            live, prints = live[order], prints[order]
        self._live_prints.append(prints)
        return live

    def settle_oldest(self, rows: ActionRows, keys: FileKeys) -> Rows:
        """As `settle`, for the last parts of the log when no two of their actions are on one file (`are_distinct`).

        They override nothing, so they need not be remembered.
        """
        newest = ~self._seen.holds(keys.prints)
        self._override(rows, keys, newest)
        live: Rows = keys.rows[newest & self._wanted(keys)]
        return np.sort(live) if rows.lines is not None else live

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
        for prints, array in zip(self._live_prints, live, strict=True):
            self.keep_winners(prints, array)
        asked = np.unique(np.concatenate([prints for prints, _ in self._overridden]))
        lost = SeenPrints(len(asked))
        lost.add(asked)
        winners = []
        for prints, array in self._winners:
            rows = np.flatnonzero(lost.holds(prints))
            if len(rows):
                winners.append(exact_keys(array, rows))
        overridden = pa.concat_arrays([names for _, names in self._overridden])
        return bool(winners) and bool(flags_of(pc.is_in(overridden, pa.concat_arrays(winners))).all())
