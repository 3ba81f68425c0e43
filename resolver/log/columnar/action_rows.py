"""File actions of some consecutive rows of the log: the one shape that commits and checkpoints are brought into."""

from __future__ import annotations

from typing import Protocol

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltaresolver.log.columnar.fast.arrow_numpy import from_numbers
from deltaresolver.value import Printable

Rows = npt.NDArray[np.int64]

_MIN_PIECE = 256
"""Rows that the pieces of an array must have on average, or copying it whole costs less than handling them."""


class FileActionRows(Protocol):
    """Rows of one file action that are built when it is known which of them count."""

    def take(self, rows: Rows) -> pa.StructArray:
        """These rows, which ascend, with all fields the projection asks for."""


@attrs.frozen(slots=True, eq=False)
class BuiltRows(Printable):
    """Rows that are an array already."""

    array: pa.StructArray

    def take(self, rows: Rows) -> pa.StructArray:
        """These rows; all of them cost nothing."""
        return self.array if len(rows) == len(self.array) else self.array.take(from_numbers(rows))


def take_pieces(source: FileActionRows, rows: Rows) -> list[pa.StructArray]:
    """These rows, which ascend, in pieces; built rows stay in place where the pieces are long."""
    if not isinstance(source, BuiltRows) or not len(rows):
        return [source.take(rows)]
    firsts = np.concatenate([[0], np.flatnonzero(np.diff(rows) != 1) + 1])
    if len(firsts) * _MIN_PIECE > len(rows) and len(firsts) > 1:
        return [source.take(rows)]
    lengths = np.diff(np.append(firsts, len(rows)))
    return [
        source.array.slice(start, length) for start, length in zip(rows[firsts].tolist(), lengths.tolist(), strict=True)
    ]


@attrs.frozen(slots=True, eq=False)
class ActionRows(Printable):
    """`add` and `remove` hold the fields of the key (`projection.KEY_FIELDS`) or more; `source` the rows asked for.

    Without `lines` both arrays have every row, null where it is not an add (or not a remove). With `lines` they have
    only their own rows, without nulls, and `lines` holds the places of both in the log.
    """

    add: pa.StructArray
    remove: pa.StructArray
    source: FileActionRows
    lines: tuple[Rows, Rows] | None = None


def built_rows(arrays: dict[str, pa.StructArray], action: str) -> ActionRows:
    """Rows of which every field has been read; `action` is the one asked for."""
    return ActionRows(arrays["add"], arrays["remove"], BuiltRows(arrays[action]))
