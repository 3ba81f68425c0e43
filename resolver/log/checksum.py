"""The version checksum (`.crc`): protocol, metadata and totals of exactly one version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import msgspec

from deltaresolver.errors import DeltaResolverError, StoredFileMissingError
from deltaresolver.log.actions import DomainMetadata, SetTransaction, read_action
from deltaresolver.log.store import LogStore
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

_decoder = msgspec.json.Decoder(dict[str, Any])


@attrs.frozen(slots=True)
class Checksum:
    """What a valid checksum says. The two mappings are `None` when it does not speak of them."""

    protocol: Protocol
    metadata: Metadata
    transactions: Mapping[str, SetTransaction] | None
    domains: Mapping[str, DomainMetadata] | None
    in_commit_timestamp: int | None
    transaction_id: str | None
    file_count: int | None
    total_bytes: int | None


def find_checksum(store: LogStore, path: str) -> Checksum | None:
    """The checksum stored at `path`; `None` when it is missing, malformed or incomplete: it is only a shortcut."""
    try:
        return _from_json(_decoder.decode(store.read(path)))
    except (StoredFileMissingError, msgspec.DecodeError, UnicodeDecodeError, DeltaResolverError):
        return None


def _from_json(value: dict[str, Any]) -> Checksum | None:
    if not value.get("protocol") or not value.get("metadata"):
        return None
    if value.get("numProtocol", 1) != 1 or value.get("numMetadata", 1) != 1:
        return None
    protocol, metadata = read_action("protocol", value["protocol"]), read_action("metaData", value["metadata"])
    if not isinstance(protocol, Protocol) or not isinstance(metadata, Metadata):
        return None
    return Checksum(
        protocol=protocol,
        metadata=metadata,
        transactions=_transactions(value.get("setTransactions")),
        domains=_domains(value.get("domainMetadata")),
        in_commit_timestamp=_whole(value.get("inCommitTimestampOpt")),
        transaction_id=value["txnId"] if isinstance(value.get("txnId"), str) else None,
        file_count=_whole(value.get("numFiles")),
        total_bytes=_whole(value.get("tableSizeBytes")),
    )


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _transactions(value: Any) -> Mapping[str, SetTransaction] | None:
    if not isinstance(value, list):
        return None
    actions = [read_action("txn", item) for item in value]
    return {action.app_id: action for action in actions if isinstance(action, SetTransaction)}


def _domains(value: Any) -> Mapping[str, DomainMetadata] | None:
    if not isinstance(value, list):
        return None
    actions = [read_action("domainMetadata", item) for item in value]
    return {action.domain: action for action in actions if isinstance(action, DomainMetadata) and not action.removed}
