"""What a table's log tells beyond its protocol and metadata, for verdicts on clients."""

from __future__ import annotations

from collections.abc import Mapping

from deltaresolver.cli.json_input import Described
from deltaresolver.cli.table_input import open_snapshot
from deltaresolver.log import segment
from deltaresolver.log.listing import list_log
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.planning.table_facts import CheckpointKind, TableFacts

_KINDS = {
    segment.CheckpointKind.CLASSIC: CheckpointKind.CLASSIC,
    segment.CheckpointKind.MULTI_PART: CheckpointKind.CLASSIC,
    segment.CheckpointKind.V2_JSON: CheckpointKind.V2_JSON,
    segment.CheckpointKind.V2_PARQUET: CheckpointKind.V2_PARQUET,
}


def read_table_with_facts(location: str, storage: Mapping[str, str]) -> tuple[Described, TableFacts]:
    """What the latest version of a table says of it, and facts about its log. Raises as `open_snapshot`.

    What only the table's files would tell is left open.
    """
    snapshot = open_snapshot(location, storage)
    return Described(snapshot.metadata, snapshot.protocol), _facts_of(snapshot)


def _facts_of(snapshot: Snapshot) -> TableFacts:
    protocol, checkpoint = snapshot.protocol, snapshot.segment.checkpoint
    kind: CheckpointKind | None = CheckpointKind.NONE if checkpoint is None else _KINDS[checkpoint.kind]
    if kind is CheckpointKind.CLASSIC and "v2Checkpoint" in protocol.listed_features:
        kind = None  # a classic name may hold a checkpoint of the V2 form
    return TableFacts(
        checkpoint=kind,
        commits_cleaned=checkpoint is not None and not list_log(snapshot.store, 0, 0).commits,
        domains=frozenset(snapshot.domains) if "domainMetadata" in protocol.listed_features else None,
    )
