"""What every conflict check needs to know besides the draft and the winner."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from deltaresolver.expressions.conditions import PartitionJudge
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.resolution.capability import Capability
from deltaresolver.transaction.behaviours import Behaviours
from deltaresolver.transaction.conflicts.read_scope import ReadScope
from deltaresolver.transaction.settings import TransactionSettings


@attrs.frozen(slots=True, eq=False)
class ConflictRules:
    """The fixed part of all conflict checks of one commit."""

    catalog: FeatureCatalog
    behaviours: Behaviours
    client: Capability
    settings: TransactionSettings
    isolation: IsolationLevel
    scope: ReadScope
    judge: PartitionJudge
    is_precise: bool
    """Statistics of added files count too."""
    snapshot_at: Callable[[int | None], Snapshot]
    """The table at a version, or the newest, for what only the whole table can tell."""
