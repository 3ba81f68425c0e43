"""Commits that prepare a table for a feature: before it is switched on, or before it is dropped."""

from __future__ import annotations

import attrs

from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.actions import Action
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class PreparatoryCommit(Value):
    """One commit on the way. With `supports` it only makes the protocol support that feature, and nothing else.

    An `obstacle` is raised in its place once its metadata has passed all checks.
    """

    operation: Operation | None = None
    metadata: Metadata | None = None
    actions: tuple[Action, ...] = ()
    supports: str | None = None
    reads_all: bool = False
    """It was made after looking at every file of the table: files that others add meanwhile conflict."""
    obstacle: DeltaResolverError | None = attrs.field(default=None, eq=False)
