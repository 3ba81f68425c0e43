"""Rows of the log in the order it holds them: the one shape that commits and checkpoints are brought into."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa

Lines = npt.NDArray[np.int64]


@attrs.frozen(slots=True, eq=False)
class ActionRows:
    """File actions from consecutive rows of the log, with at least the fields of the key (`projection.KEY_FIELDS`).

    Without `lines` both arrays have every row, null where it is no add (or no remove). With `lines` they have
    only their own rows, without nulls, and `lines` tells the places of both in the log.
    """

    add: pa.StructArray
    remove: pa.StructArray
    lines: tuple[Lines, Lines] | None = None

    def of(self, action: str) -> pa.StructArray:
        """The array of "add" or of "remove"."""
        return self.add if action == "add" else self.remove
