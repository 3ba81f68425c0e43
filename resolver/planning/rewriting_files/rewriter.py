"""The interface of an engine that reads and writes rows for plans: this package itself only reads and writes the log.

The caller who carries a plan out passes one, such as `deltaresolver.spark.SparkRewriter`.
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
    """Rewrites data files. Each call makes one commit that changes no row, and returns its table version."""

    def purge(self, table: Table, operation: Operation) -> int:
        """Rewrite the files with deletion vectors, without the deleted rows."""

    def rewrite(self, table: Table, change: MetadataChange, operation: Operation) -> int:
        """Rewrite every file for the columns of the metadata after `change`, and commit that metadata too."""
