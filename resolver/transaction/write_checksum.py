"""The post-commit hook that leaves a version checksum beside the commit: the next reader finds the table at once."""

from __future__ import annotations

import logging
from typing import Any

import attrs
import msgspec

from deltaresolver.errors import LogError
from deltaresolver.log.checksum import find_checksum
from deltaresolver.log.names import checksum_path
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.store import LogStore
from deltaresolver.model.actions import AddFile, RemoveFile
from deltaresolver.transaction.committed import Committed

logger = logging.getLogger("deltaresolver.transaction")


@attrs.frozen(slots=True)
class WriteChecksum:
    """Writes the checksum of the committed version. Without one readers only take longer, so failing is no error."""

    store: LogStore
    name: str = "Post commit checksum trigger"

    def run(self, committed: Committed) -> None:
        """Count on from the checksum before, or else count the files of the table."""
        totals = self._totals_from_before(committed) or _totals_of(committed)
        if totals is not None:
            content = msgspec.json.encode(_content(committed, *totals))
            self.store.put_if_absent(checksum_path(committed.table_version), content)

    def handle_error(self, error: Exception, table_version: int) -> None:
        """Reported already."""

    def _totals_from_before(self, committed: Committed) -> tuple[int, int] | None:
        """Files and bytes, from the version before; None where that is not known or actions do not tell."""
        if committed.table_version == 0:
            return _count(committed, 0, 0)
        if committed.may_repeat_files:
            return None
        before = find_checksum(self.store, checksum_path(committed.table_version - 1))
        if before is None or before.file_count is None or before.total_bytes is None:
            return None
        return _count(committed, before.file_count, before.total_bytes)


def _count(committed: Committed, files: int, total: int) -> tuple[int, int] | None:
    for action in committed.actions:
        if isinstance(action, AddFile):
            files, total = files + 1, total + action.size
        elif isinstance(action, RemoveFile):
            if action.size is None:
                return None
            files, total = files - 1, total - action.size
    return (files, total) if files >= 0 and total >= 0 else None


def _totals_of(committed: Committed) -> tuple[int, int] | None:
    try:
        snapshot: Snapshot = committed.snapshot
    except LogError:
        logger.warning("No checksum for version %s: the table cannot be read.", committed.table_version)
        return None
    if snapshot.table_version != committed.table_version:
        return None
    sizes = snapshot.files().column("size")
    return len(sizes), sum(size or 0 for size in sizes.to_pylist())


def _content(committed: Committed, files: int, total: int) -> dict[str, Any]:
    content: dict[str, Any] = {
        "txnId": committed.commit_info.transaction_id,
        "tableSizeBytes": total,
        "numFiles": files,
        "numMetadata": 1,
        "numProtocol": 1,
    }
    timestamp = committed.commit_info.in_commit_timestamp
    if timestamp is not None:
        content["inCommitTimestampOpt"] = timestamp
    return {**content, "metadata": committed.metadata.to_json(), "protocol": committed.protocol.to_json()}
