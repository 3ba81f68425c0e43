"""Giving row ids to files and taking them away do not go together; any other commit goes with either."""

from __future__ import annotations

import pytest

from deltaresolver.errors import RowTrackingError
from deltaresolver.features.behaviour.row_tracking_backfill import (
    BACKFILL,
    UNBACKFILL,
    ensure_backfills_do_not_meet,
)
from deltaresolver.model.actions import CommitInfo
from deltaresolver.model.behaviour import Winner
from deltaresolver.model.metadata import Metadata


def winner(operation: str | None) -> Winner:
    fields = {} if operation is None else {"operation": operation}
    return Winner(1, (CommitInfo(fields),), tuple, 0, Metadata(), has_files=False)


@pytest.mark.parametrize("operation", [None, "WRITE", "OPTIMIZE", UNBACKFILL])
def test_other_commits_may_land_while_ids_are_taken_away(operation: str | None) -> None:
    ensure_backfills_do_not_meet(winner(operation))


def test_ids_are_not_given_while_they_are_taken_away() -> None:
    with pytest.raises(RowTrackingError, match="Version 1 gives row ids") as caught:
        ensure_backfills_do_not_meet(winner(BACKFILL))
    assert caught.value.details == {"winner_version": 1}
