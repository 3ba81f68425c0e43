"""A clock that jumped ahead is reported, and what it did to a table can be undone."""

from __future__ import annotations

import logging
from pathlib import Path

import attrs
import pytest

from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.model.actions import AddFile
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations

YEAR_MS = 365 * 86_400_000
ENABLED = "delta.enableInCommitTimestamps"


def append(table: Table, name: str, ahead_ms: int = 0) -> int:
    starter = attrs.evolve(table.starter, clock=lambda: milliseconds_now() + ahead_ms)
    starter.start().commit([AddFile(name, {}, 1, 1, data_change=True)], operations.write("Append"))
    return DeltaLog(LocalStore(table.log.store.location)).snapshot().timestamp_ms


def test_every_commit_after_the_jump_warns(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    table = Table.create(tmp_path / "t", "id BIGINT", properties={ENABLED: "true"})
    with caplog.at_level(logging.WARNING, "deltaresolver.transaction"):
        append(table, "a")
        append(table, "b", ahead_ms=60_000)
        append(table, "c")
        assert not caplog.records
        poisoned = append(table, "d", ahead_ms=100 * YEAR_MS)
        assert not caplog.records
        assert append(table, "e") == poisoned + 1
    (record,) = caplog.records
    assert "ahead of this machine's clock" in record.getMessage()
    assert "set delta.enableInCommitTimestamps to false and to true again" in record.getMessage()


def test_the_commands_in_the_warning_recover_the_table(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    table = Table.create(tmp_path / "t", "id BIGINT", properties={ENABLED: "true"})
    append(table, "a", ahead_ms=100 * YEAR_MS)
    table.alter({ENABLED: "false"})
    table.alter({ENABLED: "true"})
    caplog.clear()
    now = milliseconds_now()
    moment = append(table, "b")
    assert abs(moment - now) < 600_000
    assert not caplog.records
    assert table.snapshot(timestamp=moment).table_version == 4


def test_a_moment_that_no_calendar_has_is_reported_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    table = Table.create(tmp_path / "t", "id BIGINT", properties={ENABLED: "true"})
    append(table, "a", ahead_ms=1 << 60)
    append(table, "b")
    assert " ms, a millisecond after" in caplog.text
