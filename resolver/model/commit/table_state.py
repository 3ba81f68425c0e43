"""A table as a transaction read it, a change of its metadata, and all that is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import attrs

from deltaresolver.model.actions import AddFile, DomainMetadata, RemoveFile
from deltaresolver.model.frozen import EMPTY, read_only
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.value import Value

NO_FEATURES: frozenset[str] = frozenset()
NO_SESSION: Mapping[str, str] = EMPTY


@attrs.frozen(slots=True)
class TableState(Value):
    """The table as a transaction read it, without its files. `table_version` is -1 before the first commit."""

    table_version: int
    protocol: Protocol
    metadata: Metadata
    supported: frozenset[str] = NO_FEATURES
    """Every feature the protocol supports."""
    domains: Mapping[str, DomainMetadata] = attrs.field(default=EMPTY, converter=read_only, hash=False)
    """Domain metadata in force, conflicts won by others included; reading it may read the log."""
    find_timestamp_ms: Callable[[], int | None] = attrs.field(default=lambda: None, eq=False, repr=False)
    """When this version was committed; None before the first commit. Asked for only where it counts."""
    find_files: Callable[[], Iterable[AddFile]] = attrs.field(default=tuple, eq=False, repr=False)
    """The live files of this version. Asking reads the log."""

    @property
    def is_new(self) -> bool:
        """Whether the table does not exist yet."""
        return self.table_version < 0


@attrs.frozen(slots=True)
class MetadataChange(Value):
    """A change of metadata on its way into a commit. `supported` are the features after the change."""

    before: TableState
    metadata: Metadata
    protocol: Protocol
    supported: frozenset[str]
    new_id: Callable[[], str]
    """Makes an id nobody else has."""
    is_new_table: bool = False
    """The table is created or wholly replaced by this change."""
    keeps_column_ids: bool = False
    """A replaced table whose columns of the same name stay the same columns."""
    session: Mapping[str, str] = attrs.field(default=NO_SESSION, converter=read_only, hash=False)


@attrs.frozen(slots=True)
class RemainingTable(Value):
    """A whole table, for a feature that is about to come or to go. Whatever is called reads the log."""

    metadata: Metadata
    domains: Callable[[], Mapping[str, DomainMetadata]]
    files: Callable[[], Iterable[AddFile]]
    tombstones: Callable[[], Iterable[RemoveFile]] = tuple
    """The files removed not long ago."""
    needs_v2_checkpoint: Callable[[], bool] = bool
    """Whether this version is read from a V2 checkpoint."""
    supported: frozenset[str] = NO_FEATURES
    now_ms: int = 0
    session: Mapping[str, str] = attrs.field(default=NO_SESSION, converter=read_only, hash=False)
