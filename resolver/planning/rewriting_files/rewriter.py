"""What plans ask of somebody who can read and write rows: this room only knows the log.

Whoever carries a plan out brings one along, as `deltaresolver.spark.SparkRewriter`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.table import Table

MetadataChange = Callable[[Snapshot], Metadata]


class FileRewriter(Protocol):
    """Writes data files again. Each call is one commit that changes no row, and returns the table's version."""

    def purge(self, table: Table, operation: Operation) -> int:
        """Files with deletion vectors, without the rows that those delete."""

    def rewrite(self, table: Table, change: MetadataChange, operation: Operation) -> int:
        """Every file, as the metadata after `change` has its columns, and that metadata."""
