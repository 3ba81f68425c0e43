"""What a commit came to in numbers: delta-spark's CommitStats, for hooks and for logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import msgspec

from deltaresolver.model.actions import AddFile, ChangeFile, DomainMetadata, RemoveFile, SetTransaction

if TYPE_CHECKING:
    from deltaresolver.transaction.commit.committed import Committed

EVENT = "delta.commit.stats"


@attrs.frozen(slots=True)
class CommitStats:
    """The numbers, under names that delta-spark's events have in camel case."""

    commit_version: int
    read_version: int
    operation: str
    isolation_level: str | None
    is_blind_append: bool | None
    attempts: int
    conflicts_checked: int
    num_add: int
    num_remove: int
    num_cdc_files: int
    num_set_transaction: int
    num_domain_metadata: int
    bytes_new: int
    cdc_bytes_new: int
    num_distinct_partitions_in_add: int
    num_partition_columns_in_table: int
    new_metadata: bool
    new_protocol: bool
    txn_id: str | None

    def to_json(self) -> dict[str, Any]:
        """As the event has it."""
        return {_camel(name): value for name, value in attrs.asdict(self).items()}


def stats_of(committed: Committed) -> CommitStats:
    """Counted from the actions that were written."""
    adds = [action for action in committed.actions if isinstance(action, AddFile)]
    changes = [action for action in committed.actions if isinstance(action, ChangeFile)]
    kinds = [type(action).__name__ for action in committed.actions]
    info = committed.commit_info.fields
    return CommitStats(
        commit_version=committed.table_version,
        read_version=info.get("readVersion", -1),
        operation=info["operation"],
        isolation_level=info.get("isolationLevel"),
        is_blind_append=info.get("isBlindAppend"),
        attempts=committed.attempts,
        conflicts_checked=committed.conflicts_checked,
        num_add=len(adds),
        num_remove=kinds.count(RemoveFile.__name__),
        num_cdc_files=len(changes),
        num_set_transaction=kinds.count(SetTransaction.__name__),
        num_domain_metadata=kinds.count(DomainMetadata.__name__),
        bytes_new=sum(file.size for file in adds),
        cdc_bytes_new=sum(file.size for file in changes),
        num_distinct_partitions_in_add=len({tuple(sorted(file.partition_values.items(), key=str)) for file in adds}),
        num_partition_columns_in_table=len(committed.metadata.partition_columns),
        new_metadata="Metadata" in kinds,
        new_protocol="Protocol" in kinds,
        txn_id=info.get("txnId"),
    )


def stats_event(committed: Committed) -> tuple[str, dict[str, Any]]:
    """The event as a line, and for handlers that keep records."""
    stats = stats_of(committed).to_json()
    return f"{EVENT}: {msgspec.json.encode(stats).decode()}", {"event": EVENT, "stats": stats}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
