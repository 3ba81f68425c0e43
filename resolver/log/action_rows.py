"""Rows of the log in the order it holds them: the one shape that commits and checkpoints are brought into."""

from __future__ import annotations

import attrs
import pyarrow as pa


@attrs.frozen(slots=True, eq=False)
class ActionRows:
    """Consecutive rows of the log. Where a row is no add (or no remove), that array is null.

    Both hold at least the fields of the key (`projection.KEY_FIELDS`).
    """

    add: pa.StructArray
    remove: pa.StructArray

    def __len__(self) -> int:
        return len(self.add)

    def of(self, action: str) -> pa.StructArray:
        """The array of "add" or of "remove"."""
        return self.add if action == "add" else self.remove
