"""The facts of a snapshot that a transaction starts from, read no earlier than somebody needs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from deltaresolver.log.checkpoint.read import read_small_actions
from deltaresolver.log.segment import CheckpointKind
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import DomainMetadata
from deltaresolver.model.behaviour import RemainingTable, TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolve import resolve_new_table


class Domains(Mapping[str, DomainMetadata]):
    """The domain metadata of a snapshot with later commits' on top. Reads the log when first looked at."""

    def __init__(self, snapshot: Snapshot | None, later: Mapping[str, DomainMetadata] | None = None) -> None:
        self._snapshot = snapshot
        self._later = dict(later or {})

    @cached_property
    def _all(self) -> Mapping[str, DomainMetadata]:
        before = {} if self._snapshot is None else self._snapshot.domains
        return {name: domain for name, domain in {**before, **self._later}.items() if not domain.removed}

    def after(self, written: Mapping[str, DomainMetadata]) -> Domains:
        """The domains after a commit that wrote these."""
        return Domains(self._snapshot, {**self._later, **written})

    def __getitem__(self, domain: str) -> DomainMetadata:
        return self._all[domain]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def state_of(snapshot: Snapshot | None, catalog: FeatureCatalog, session: Mapping[str, str]) -> TableState:
    """The state a transaction reads; without a snapshot, that of a table still to be created."""
    if snapshot is None:
        metadata = Metadata().sealed()
        protocol = resolve_new_table(metadata, catalog, session=session).protocol
        return TableState(-1, protocol, metadata, prepare(catalog).supported(protocol), Domains(None))
    return TableState(
        snapshot.table_version,
        snapshot.protocol,
        snapshot.metadata.sealed(),
        prepare(catalog).supported(snapshot.protocol),
        Domains(snapshot),
        lambda: snapshot.timestamp_ms,
        snapshot.add_actions,
    )


def contents_of(snapshot: Snapshot, catalog: FeatureCatalog, now_ms: int, session: Mapping[str, str]) -> RemainingTable:
    """All that is in a version, for features that come or go."""
    return RemainingTable(
        snapshot.metadata.sealed(),
        lambda: {name: domain for name, domain in snapshot.domains.items() if not domain.removed},
        snapshot.add_actions,
        snapshot.remove_actions,
        lambda: reads_v2_checkpoint(snapshot),
        prepare(catalog).supported(snapshot.protocol),
        now_ms,
        session,
    )


def reads_v2_checkpoint(snapshot: Snapshot) -> bool:
    """Whether the version is read from a V2 checkpoint, whatever its name."""
    checkpoint = snapshot.segment.checkpoint
    if checkpoint is None:
        return False
    if checkpoint.kind in (CheckpointKind.V2_JSON, CheckpointKind.V2_PARQUET):
        return True
    return checkpoint.kind is CheckpointKind.CLASSIC and bool(
        read_small_actions(snapshot.store, checkpoint, ("checkpointMetadata",))
    )
