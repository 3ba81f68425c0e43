"""Action reconciliation: of all actions on one logical file, the newest alone counts.

Fingerprints sort out the files that are spoken of once, nearly all of them in most logs. Only where
fingerprints meet are the keys themselves compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltaresolver.log.action_rows import ActionRows
from deltaresolver.log.arrow_numpy import from_numbers, numbers_of
from deltaresolver.log.file_keys import FileKeys, exact_keys

Rows = npt.NDArray[np.int64]

_TABLE_BITS = 22


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
    """The places, ascending, whose fingerprint occurs more than once, and perhaps a few others."""
    # Sorting values is several times faster than sorting places, and all there is to do when nothing repeats.
    ordered = np.sort(prints)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return np.empty(0, np.int64)
    # A table of the leading bits finds the places in one pass; what it lets through by chance is harmless.
    shift = np.uint64(64 - _TABLE_BITS)
    marked = np.zeros(1 << _TABLE_BITS, np.bool_)
    marked[twice >> shift] = True
    return np.flatnonzero(marked[prints >> shift])


def _exact(parts: Sequence[ActionRows], keys: Sequence[FileKeys], bounds: Rows, places: Rows) -> pa.StringArray:
    """The exact keys at `places`, which count over the file actions of all parts."""
    cuts = np.searchsorted(places, bounds)
    pieces = []
    for index, (part, key) in enumerate(zip(parts, keys, strict=True)):
        chosen = places[cuts[index] : cuts[index + 1]] - bounds[index]
        if len(chosen):
            pieces.append(_exact_of_part(part, key, chosen))
    return pa.concat_arrays(pieces)


def _exact_of_part(part: ActionRows, key: FileKeys, chosen: Rows) -> pa.StringArray:
    is_add = key.is_add[chosen]
    rows = key.rows[chosen]
    if is_add.all():
        return exact_keys(part.add, rows)
    if not is_add.any():
        return exact_keys(part.remove, rows)
    both = pa.concat_arrays([exact_keys(part.add, rows[is_add]), exact_keys(part.remove, rows[~is_add])])
    places = np.where(is_add, np.cumsum(is_add) - 1, is_add.sum() + np.cumsum(~is_add) - 1)
    return both.take(from_numbers(places))


def _all_but_last(places: Rows, names: pa.StringArray) -> Rows:
    codes = numbers_of(names.dictionary_encode().indices)
    last = np.zeros(len(places), np.int64)
    # Of several assignments to one place the last one stays.
    last[codes] = np.arange(len(places))
    return places[last[codes] != np.arange(len(places))]
