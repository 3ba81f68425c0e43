"""Action reconciliation: of all actions on one logical file, the newest alone counts.

Fingerprints sort out the files that are spoken of once, nearly all of them in most logs. Only where
fingerprints meet are the keys themselves compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deltaresolver.log.action_rows import ActionRows
from deltaresolver.log.file_keys import FileKeys, exact_keys

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def newest_rows(parts: Sequence[ActionRows], keys: Sequence[FileKeys], action: str) -> list[Rows]:
    """For every part the rows that hold an `action` ("add" or "remove") no later row of any part overrides.

    `parts` are in the order of the log, oldest first, and `keys` are theirs.
    """
    if not parts:
        return []
    bounds = np.cumsum([0] + [len(key.rows) for key in keys])
    prints = np.concatenate([key.prints for key in keys])
    superseded = np.zeros(len(prints), np.bool_)
    repeated = _repeated(prints)
    if len(repeated):
        names = _exact(parts, keys, bounds, repeated)
        superseded[_all_but_last(repeated, names)] = True
    live = []
    for index, key in enumerate(keys):
        wanted = key.is_add if action == "add" else ~key.is_add
        live.append(key.rows[wanted & ~superseded[bounds[index] : bounds[index + 1]]])
    return live


def _repeated(prints: npt.NDArray[np.uint64]) -> Rows:
    """The places, ascending, whose fingerprint occurs more than once."""
    # Sorting values is several times faster than sorting places, and enough when nothing repeats.
    ordered = np.sort(prints)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return np.empty(0, np.int64)
    return np.flatnonzero(np.isin(prints, twice))


def _exact(parts: Sequence[ActionRows], keys: Sequence[FileKeys], bounds: Rows, places: Rows) -> list[str]:
    """The exact keys at `places`, which count over the file actions of all parts."""
    names: list[str] = []
    cuts = np.searchsorted(places, bounds)
    for index, (part, key) in enumerate(zip(parts, keys, strict=True)):
        chosen = places[cuts[index] : cuts[index + 1]] - bounds[index]
        if not len(chosen):
            continue
        found = np.empty(len(chosen), object)
        for array, mask in ((part.add, key.is_add[chosen]), (part.remove, ~key.is_add[chosen])):
            if mask.any():
                found[mask] = exact_keys(array, key.rows[chosen[mask]])
        names.extend(found)
    return names


def _all_but_last(places: Rows, names: Sequence[str]) -> Rows:
    last = dict(zip(names, places.tolist(), strict=True))
    newest = np.fromiter(last.values(), np.int64, len(last))
    return np.setdiff1d(places, newest, assume_unique=True)
