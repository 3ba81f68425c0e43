"""A commit that is dated far ahead of the clock is reported; one that follows another at once is not."""

from __future__ import annotations

import logging

import pytest

from deltaresolver.features.behaviour.in_commit_timestamp import _MUCH_AHEAD_MS
from tests.transactions import Scene, add


@pytest.mark.parametrize(("ahead_ms", "is_told"), [(0, False), (1_000, False), (_MUCH_AHEAD_MS + 60_000, True)])
def test_a_clock_that_was_ahead_is_reported(ahead_ms: int, caplog: pytest.LogCaptureFixture, *, is_told: bool) -> None:
    scene = Scene()
    scene.clock.now += ahead_ms
    scene.create({"delta.enableInCommitTimestamps": "true"})
    scene.clock.now -= ahead_ms
    with caplog.at_level(logging.WARNING):
        scene.append(add("f"))
    assert any("ahead of this machine's clock" in record.getMessage() for record in caplog.records) is is_told
