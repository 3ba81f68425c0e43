"""A few kills of drivers that stream by MERGE and by the sink; `python -m tests.killed_streams` makes many."""

from __future__ import annotations

import pytest

from tests.killed_streams import trial

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_a_killed_stream_continues_without_loss_or_repeat() -> None:
    places, wrong = trial(0, kills=2, streams=("merge0", "sink0"))
    assert wrong is None, places
    assert len(places) == 4
