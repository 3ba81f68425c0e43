"""How a table is clustered: the value that the feature for it and transactions hand to each other."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from deltaresolver.model.actions import Action
from deltaresolver.model.schema import FieldPath
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class Clustering(Value):
    """The columns that a table's files are clustered by, by physical names; none where nothing says so."""

    columns: tuple[FieldPath, ...] = ()
    is_kept: bool = False
    """The table says by which columns, even if by none."""


@attrs.frozen(slots=True)
class ClusteringChange(Value):
    """What is there and what to write for other columns."""

    before: Clustering
    actions: Sequence[Action]
