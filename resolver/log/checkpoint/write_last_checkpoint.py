"""Write `_last_checkpoint`: where readers may start listing, and a checksum by which they see that it is whole."""

from __future__ import annotations

from typing import Any

import attrs
import msgspec

from deltaresolver.log.checkpoint.json_checksum import json_checksum
from deltaresolver.log.checkpoint.last_checkpoint import find_hinted_version
from deltaresolver.log.names import LAST_CHECKPOINT
from deltaresolver.log.storage.log_store import LogStore


@attrs.frozen(slots=True)
class LastCheckpoint:
    """What the hint says of the newest checkpoint."""

    table_version: int
    action_count: int
    total_bytes: int
    file_count: int
    """Live files in the checkpoint."""
    part_count: int | None = None
    """Only for a checkpoint in several parts."""

    def to_json(self) -> dict[str, Any]:
        """The hint as it is stored, the checksum included."""
        value: dict[str, Any] = {"version": self.table_version, "size": self.action_count}
        if self.part_count is not None:
            value["parts"] = self.part_count
        value["sizeInBytes"] = self.total_bytes
        value["numOfAddFiles"] = self.file_count
        return {**value, "checksum": json_checksum(value)}


def write_last_checkpoint(store: LogStore, hint: LastCheckpoint) -> bool:
    """Point readers to this checkpoint; left alone, with False, where they are pointed to a newer one."""
    hinted = find_hinted_version(store)
    if hinted is not None and hinted > hint.table_version:
        return False
    store.put(LAST_CHECKPOINT, msgspec.json.encode(hint.to_json()))
    return True
