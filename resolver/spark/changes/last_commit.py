"""What the last statement on a DeltaTable committed, for those who want more than `delta.tables` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from deltaresolver.transaction.commit.committed import Committed


@attrs.define(slots=True, eq=False)
class LastCommit:
    """Shared by a DeltaTable, its aliases and its builders. None where the last statement changed nothing."""

    committed: Committed | None = None
