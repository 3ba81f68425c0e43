"""What a feature may do when the metadata of a table changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from deltaresolver.model.clustering import ClusteringChange
from deltaresolver.model.commit.table_state import MetadataChange, TableState
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, StructField


class AmendsMetadata(Protocol):
    """Adds to metadata, such as ids or properties that it makes up."""

    @abstractmethod
    def amend_metadata(self, change: MetadataChange) -> Metadata:
        """The metadata with what this feature adds (ids, generated property values)."""


class ChecksMetadata(Protocol):
    """Has rules about metadata."""

    @abstractmethod
    def check_metadata(self, change: MetadataChange) -> None:
        """Refuse metadata that breaks the feature's rules. Supported features."""


class RestoresMetadata(Protocol):
    """Keeps something in metadata that counts on when a table returns to an earlier version."""

    @abstractmethod
    def restore_metadata(self, restored: Metadata, latest: Metadata) -> Metadata:
        """The metadata that RESTORE commits to return to `restored`, with what must count on from the `latest`."""


class ClonesMetadata(Protocol):
    """Keeps something in metadata that is true of one table alone."""

    @abstractmethod
    def cloned_metadata(self, source: Metadata) -> Metadata:
        """The metadata of another table without what is true of that table alone. Called once for a CLONE, of all."""


class NotesTypeChanges(Protocol):
    """Allows columns to change their type while files hold the old one."""

    @abstractmethod
    def note_type_change(
        self, table: TableState, field: StructField, before: str, after: str, place: FieldPath
    ) -> Mapping[str, Any] | None:
        """The field's metadata once a leaf type at `place` in it has changed while files hold the old one."""


class ClustersTables(Protocol):
    """Lays out a table by columns."""

    @abstractmethod
    def cluster_by(self, table: TableState, columns: Sequence[FieldPath]) -> ClusteringChange | None:
        """What clusters the table by these columns (physical names); the features that it supports are asked first."""
