"""Live files counted by kind, without an object for each: with rows marked deleted or not, with row ids or not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.fast.arrow_numpy import Mask, from_numbers, valid_rows
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.replay.few_kinds import FileKind


def count_kinds(table: pa.Table) -> list[FileKind]:
    """The kinds of files in a table shaped `arrow_schema.ADD_FILES`, statistics not needed; in the order of kinds.

    Raises `ActionMalformedError`.
    """
    marked, numbered = _present(table, "deletionVector"), _present(table, "baseRowId")
    sizes = table.column("size")
    found = []
    for is_marked in (False, True):
        for has_row_ids in (False, True):
            chosen = np.flatnonzero((marked == is_marked) & (numbered == has_row_ids))
            if not len(chosen):
                continue
            first = add_from_row(next(iterate_rows(table.slice(int(chosen[0]), 1))))
            size = pc.sum(sizes.take(from_numbers(chosen))).as_py() or 0
            found.append(FileKind(is_marked, has_row_ids, len(chosen), size, first))
    return found


def joined_kinds(parts: Sequence[list[FileKind]]) -> list[FileKind]:
    """The kinds of all parts of a table, oldest first, in the order of kinds."""
    if len(parts) == 1:
        return parts[0]
    found: dict[tuple[bool, bool], FileKind] = {}
    for kind in chain(*parts):
        key = kind.is_marked, kind.has_row_ids
        known = found.get(key)
        found[key] = (
            kind if known is None else FileKind(*key, known.files + kind.files, known.size + kind.size, known.first)
        )
    return [found[key] for key in sorted(found)]


def _present(table: pa.Table, column: str) -> Mask:
    """Whether each row has a value."""
    parts = [valid_rows(chunk) for chunk in table.column(column).chunks]
    return np.concatenate(parts) if parts else np.zeros(0, np.bool_)
