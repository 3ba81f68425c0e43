"""The facts of a snapshot that a transaction starts from, read no earlier than somebody needs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import DomainMetadata
from deltaresolver.model.behaviour import TableState
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
