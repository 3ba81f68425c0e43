"""How far a stream has read: a table version and the number of a file in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from deltaresolver.errors import StreamOffsetInvalidError

NO_FILE = -1


@attrs.frozen(slots=True, order=True)
class StreamOffset:
    """Everything before is read, and of `table_version` the files up to number `index`.

    In the initial snapshot the files of a version are all that the table has then, later those of its commit.
    """

    table_version: int
    index: int
    is_initial: bool = attrs.field(order=False)
    table_id: str = attrs.field(order=False)

    def to_json(self) -> dict[str, Any]:
        """As Spark keeps it in the query's checkpoint."""
        return {
            "tableId": self.table_id,
            "tableVersion": self.table_version,
            "index": self.index,
            "isInitial": self.is_initial,
        }

    @classmethod
    def of_json(cls, found: Mapping[str, Any], table_id: str) -> StreamOffset:
        """The offset of a checkpoint. Raises `StreamOffsetInvalidError` for what is none, or of another table."""
        try:
            offset = cls(
                int(found["tableVersion"]), int(found["index"]), bool(found["isInitial"]), str(found["tableId"])
            )
        except (KeyError, TypeError, ValueError):
            raise StreamOffsetInvalidError(
                f"{dict(found)!r} is not an offset of a stream over a table.",
                fix="Start the query with a new checkpoint location.",
                details={"found": str(dict(found))},
            ) from None
        if offset.table_id != table_id:
            raise StreamOffsetInvalidError(
                f"The checkpoint is of table {offset.table_id}, and the table read is {table_id}.",
                fix="Start the query with a new checkpoint location.",
                details={"checkpoint": offset.table_id, "table": table_id},
                delta_condition="DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
            )
        return offset

    def after_version(self) -> StreamOffset:
        """The version is read to its end."""
        return attrs.evolve(self, table_version=self.table_version + 1, index=NO_FILE, is_initial=False)
