"""Table: the handle users hold. From a path to snapshots, history and the reasons behind the protocol."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime

import attrs

from deltaresolver.defaults import default_catalog
from deltaresolver.log.history import HistoryEntry
from deltaresolver.log.locations import open_store
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution import resolve
from deltaresolver.resolution.resolution import Resolution


class Table:
    """A Delta table at a location: a local path, or `s3://`, `gs://`, `abfss://` with storage options.

    Nothing is read before it is asked for. `protocol` and `metadata` are those of the latest version the
    handle has seen; `update()` looks for a newer one. Raises `LocationInvalidError` and `StorageOptionError`
    here, and the errors of `DeltaLog.snapshot` when something is read.
    """

    def __init__(
        self,
        location: str | os.PathLike[str],
        options: Mapping[str, str] | None = None,
        *,
        catalog: FeatureCatalog | None = None,
    ) -> None:
        self.log = DeltaLog(open_store(location, options))
        self._catalog = catalog
        self._latest: Snapshot | None = None

    def __repr__(self) -> str:
        return f"Table({self.log.store.location!r})"

    @property
    def catalog(self) -> FeatureCatalog:
        """The features this handle knows."""
        return self._catalog if self._catalog is not None else default_catalog()

    def snapshot(self, version: int | None = None, timestamp: int | str | datetime | None = None) -> Snapshot:
        """The latest state, or the one at a table version or moment; see `DeltaLog.snapshot`."""
        if version is None and timestamp is None:
            return self.update()
        return self.log.snapshot(version, timestamp)

    def update(self) -> Snapshot:
        """The latest state, looking for new commits."""
        self._latest = self.log.update()
        return self._latest

    @property
    def _seen(self) -> Snapshot:
        return self._latest if self._latest is not None else self.update()

    @property
    def protocol(self) -> Protocol:
        """The protocol of the latest version seen."""
        return self._seen.protocol

    @property
    def metadata(self) -> Metadata:
        """The metadata of the latest version seen."""
        return self._seen.metadata

    def history(self, limit: int | None = None) -> list[HistoryEntry]:
        """The last `limit` commits, newest first."""
        return self.log.history(limit)

    def resolve(self, changes: Mapping[str, str | None] | None = None) -> Resolution:
        """What the protocol would be after setting these properties (None unsets one), and why; nothing is written.

        Without changes it explains the protocol the table has. Raises as `resolve_upgrade`.
        """
        metadata = self.metadata
        configuration = dict(metadata.configuration)
        for key, value in (changes or {}).items():
            if value is None:
                configuration.pop(key, None)
            else:
                configuration[key] = value
        return resolve.resolve_upgrade(attrs.evolve(metadata, configuration=configuration), self.protocol, self.catalog)
