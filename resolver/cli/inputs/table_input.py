"""The newest state of a table. A module of its own: reading a log loads Arrow, which is slow."""

from __future__ import annotations

from collections.abc import Mapping

from deltaresolver.cli.inputs.json_input import Described
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.locations import open_store


def open_snapshot(location: str, storage: Mapping[str, str]) -> Snapshot:
    """The latest version of a table. Raises `LogError` and `InvalidInputError`.

    `storage` are options for an object store.
    """
    return DeltaLog(open_store(location, storage)).snapshot()


def read_table(location: str, storage: Mapping[str, str]) -> Described:
    """What the latest version of a table says of it. Raises `LogError` and `InvalidInputError`."""
    snapshot = open_snapshot(location, storage)
    return Described(snapshot.metadata, snapshot.protocol)
