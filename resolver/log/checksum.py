"""The version checksum (`.crc`): protocol, metadata and totals of exactly one version."""

from __future__ import annotations

from typing import Any

import attrs
import msgspec

from deltaresolver.errors import DeltaResolverError, StoredFileMissingError
from deltaresolver.log.segment import LogSegment
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.value import Value

_decoder = msgspec.json.Decoder(dict[str, Any])


@attrs.frozen(slots=True)
class Checksum(Value):
    """What a well-formed checksum says, as far as readers use it."""

    protocol: Protocol
    metadata: Metadata
    in_commit_timestamp: int | None
    transaction_id: str | None
    file_count: int | None
    total_bytes: int | None


def find_checksum(store: LogStore, path: str) -> Checksum | None:
    """The checksum stored at `path`; `None` when it is missing, malformed or incomplete: it is only a shortcut."""
    try:
        return _from_json(_decoder.decode(store.read(path)))
    except (StoredFileMissingError, msgspec.DecodeError, RecursionError, UnicodeDecodeError, DeltaResolverError):
        return None


def find_valid_checksum(store: LogStore, segment: LogSegment) -> Checksum | None:
    """The checksum of the segment's version, if it provably belongs to the commit that is there now.

    A log that was rolled back by hand and written on by a client without checksums keeps old ones lying
    around. The writer's transaction id, present in both files, tells them apart.
    """
    if segment.checksum_path is None or segment.last_commit is None:
        return None
    checksum = find_checksum(store, segment.checksum_path)
    if checksum is None or not checksum.transaction_id:
        return None
    commit = store.read(segment.last_commit.path)
    return checksum if checksum.transaction_id.encode() in commit else None


def _from_json(value: dict[str, Any]) -> Checksum | None:
    if not value.get("protocol") or not value.get("metadata"):
        return None
    if value.get("numProtocol", 1) != 1 or value.get("numMetadata", 1) != 1:
        return None
    return Checksum(
        protocol=Protocol.from_json(value["protocol"]),
        metadata=Metadata.from_json(value["metadata"]),
        in_commit_timestamp=_whole(value.get("inCommitTimestampOpt")),
        transaction_id=value["txnId"] if isinstance(value.get("txnId"), str) else None,
        file_count=_whole(value.get("numFiles")),
        total_bytes=_whole(value.get("tableSizeBytes")),
    )


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
