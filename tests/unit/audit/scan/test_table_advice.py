"""Advice in an audit starts from what the audit has read, and from the same state as a plan that reads for itself."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchmarks.lake_generator import KINDS, generate_lake
from deltaresolver.audit.scan.batch import AuditSettings, auditor_for
from deltaresolver.audit.scan.log_reading import read_log
from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.table_reading import state_of_snapshot, state_of_table
from deltaresolver.table import Table
from tests.logs import LogBuilder, add, metadata
from tests.nasty import UNREADABLE_PROPERTIES

STUCK = {"delta.feature.deletionVectors": "supported"}
PROTOCOL = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}


def compared(state: PlanState) -> object:
    return state.key, state.totals, state.table_version


@pytest.mark.slow
def test_a_plan_starts_from_the_same_state_as_when_it_reads_the_table_itself(tmp_path: Path) -> None:
    auditor = auditor_for(AuditSettings(time.time_ns() // 1_000_000, ("trino@468",)))
    seen = 0
    for made in generate_lake(tmp_path, 2 * len(KINDS), broken_every=5):
        reading = read_log(LocalStore(made.location), 1000)
        reading.location = made.location
        if reading.protocol is None or reading.metadata is None:
            continue
        advice = auditor._advice(reading)
        try:
            alone = state_of_table(Table(made.location))
        except DeltaResolverError:
            continue
        found = state_of_snapshot(auditor.catalog, advice._snapshot(), commits_cleaned=advice.facts.commits_cleaned)
        assert compared(found) == compared(alone), made.location
        seen += 1
    assert seen >= len(KINDS)


def test_no_command_that_takes_something_away_raises_the_protocol(tmp_path: Path) -> None:
    LogBuilder.local(tmp_path).commit(PROTOCOL, metadata(STUCK), add("a"))
    auditor = auditor_for(AuditSettings(time.time_ns() // 1_000_000, ("trino@468",)))
    found = auditor.audit(str(tmp_path))
    command = next(one.command for one in found.findings if one.rule == "protocol-in-properties")
    assert command == f"deltaresolver alter {tmp_path} --unset delta.feature.deletionVectors"
    table = Table(str(tmp_path))
    table.alter(unset=list(STUCK))
    assert table.protocol.to_json() == PROTOCOL["protocol"]


@pytest.mark.parametrize(("key", "bad", "good"), UNREADABLE_PROPERTIES)
def test_a_table_with_unreadable_properties_gets_the_command_that_mends_it(
    tmp_path: Path, key: str, bad: str, good: str
) -> None:
    del good
    LogBuilder.local(tmp_path).commit(PROTOCOL, metadata({key: bad, "delta.logRetentionDuration": "x"}), add("a"))
    auditor = auditor_for(AuditSettings(time.time_ns() // 1_000_000, ("trino@468",)))
    found = auditor.audit(str(tmp_path))
    assert found.error is not None
    assert found.error.code == "DR105"
    assert found.next_step is not None
    assert found.next_step.command == f"deltaresolver alter {tmp_path} --unset {key}"
    Table(tmp_path).alter(unset=[key])
    assert auditor.audit(str(tmp_path)).error is None


def test_what_was_tried_on_one_table_is_not_tried_on_tables_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    alter = Table.alter

    def noted(table: Table, *arguments: Any, **options: Any) -> Any:
        tried.append(table.log.store.location)
        return alter(table, *arguments, **options)

    monkeypatch.setattr(Table, "alter", noted)
    auditor = auditor_for(AuditSettings(time.time_ns() // 1_000_000, ("trino@471",)))
    for number in range(4):
        place = tmp_path / f"t{number}"
        more = {"other": "1"} if number == 3 else {}
        LogBuilder.local(place).commit(PROTOCOL, metadata({**STUCK, **more}, table_id=str(number)), add(f"{number}"))
        found = auditor.audit(str(place))
        assert [one.command for one in found.findings if one.command] == [
            f"deltaresolver alter {place} --unset delta.feature.deletionVectors"
        ]
    assert tried == [str(tmp_path / "t0"), str(tmp_path / "t3")]


def test_a_checkpoint_is_opened_once_for_all_that_is_asked_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = {
        "protocol": {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": ["deletionVectors"],
            "writerFeatures": ["deletionVectors", "domainMetadata"],
        }
    }
    log = LogBuilder.local(tmp_path)
    log.commit(listed, metadata(), add("a")).commits(3).checkpoint(3, [listed, metadata(), add("a")])
    for version in range(3):
        (tmp_path / "_delta_log" / f"{version:020}.json").unlink()
    opened = []
    made = pq.ParquetFile.__init__

    def noted(file: pq.ParquetFile, *arguments: Any, **options: Any) -> None:
        opened.append(file)
        made(file, *arguments, **options)

    monkeypatch.setattr(pq.ParquetFile, "__init__", noted)
    auditor = auditor_for(AuditSettings(time.time_ns() // 1_000_000, ("trino@413",)))
    found = auditor.audit(str(tmp_path))
    assert found.error is None
    assert any(one.command for one in found.blocked)
    assert len(opened) == 1
