"""Checkpoints, hints and checksums that readers fail on, although the commits hold protocol and metadata."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from deltaresolver.audit.scan.batch import AuditSettings, auditor_for
from deltaresolver.defaults import built_in_catalog
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.names import (
    LAST_CHECKPOINT,
    SIDECAR_FOLDER,
    checkpoint_path,
    checksum_path,
    commit_path,
    compaction_path,
)
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.upkeep.write_checksum import write_checksum
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_table import TableAudit
from deltaresolver.table import Table
from tests.logs import PROTOCOL, Json, LogBuilder, add, lines, metadata

CATALOG = built_in_catalog()

V2_PROTOCOL: Json = {
    "protocol": {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["v2Checkpoint"],
        "writerFeatures": ["v2Checkpoint"],
    }
}
DAY_MS = 86_400_000


def audit(table: Path) -> TableAudit:
    return auditor_for(AuditSettings(now_ms=1_800_000_000_000)).audit(str(table))


def rules_of(found: TableAudit, least: Severity = Severity.WARNING) -> set[str]:
    return {finding.rule for finding in found.findings if finding.severity >= least}


@pytest.fixture
def with_sidecars(tmp_path: Path) -> Path:
    """Four files in two sidecars, and one commit after the checkpoint."""
    log = LogBuilder.local(tmp_path)
    log.commit(V2_PROTOCOL, metadata({"delta.checkpointPolicy": "v2"}), *(add(name) for name in "abcd"))
    table = Table(tmp_path)
    write_checkpoint(table.snapshot(), table.log.store, CATALOG, part_size=2)
    log.commit(add("e"))
    return tmp_path


def test_a_whole_checkpoint_with_sidecars_is_fine(with_sidecars: Path) -> None:
    found = audit(with_sidecars)
    assert found.health.checkpoint_kind.startswith("v2")
    assert found.health.missing_sidecars == ()
    assert rules_of(found) == set()


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"")], ids=["gone", "empty"])
def test_a_missing_sidecar_is_named(with_sidecars: Path, damage: object) -> None:
    sidecar = max((with_sidecars / SIDECAR_FOLDER).iterdir())
    assert callable(damage)
    damage(sidecar)
    found = audit(with_sidecars)
    assert found.health.missing_sidecars == (f"{SIDECAR_FOLDER}/{sidecar.name}",)
    assert rules_of(found, Severity.ERROR) == {"missing-sidecar"}
    assert sidecar.name in found.findings[0].message


def test_a_top_level_that_is_not_a_checkpoint_is_a_torn_file(with_sidecars: Path) -> None:
    [top] = (path for path in (with_sidecars / "_delta_log").iterdir() if ".checkpoint." in path.name)
    top.write_bytes(top.read_bytes()[:-9])
    found = audit(with_sidecars)
    assert f"_delta_log/{top.name}" in found.health.torn_files
    assert "torn-file" in rules_of(found)


def test_a_checkpoint_older_than_the_log_retention_is_reported(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path)
    log.commit(PROTOCOL, metadata(), add("a")).checkpoint(0, [PROTOCOL, metadata(), add("a")]).commit(add("b"))
    assert "old-checkpoint" not in rules_of(audit(tmp_path), Severity.INFO)
    later = LocalStore(tmp_path).location
    written = (tmp_path / checkpoint_path(0)).stat().st_mtime + 31 * DAY_MS / 1000
    os.utime(f"{later}/{commit_path(1)}", (written, written))
    assert "old-checkpoint" in rules_of(audit(tmp_path), Severity.INFO)


@pytest.fixture
def checked(tmp_path: Path) -> Path:
    """Two commits, a classic checkpoint of the first, its hint, and a checksum of the second."""
    log = LogBuilder.local(tmp_path)
    log.commit(PROTOCOL, metadata(), add("a", size=7))
    table = Table(tmp_path)
    write_checkpoint(table.snapshot(), table.log.store, CATALOG)
    log.commit({"commitInfo": {"operation": "WRITE", "txnId": "t-1"}}, add("b", size=5))
    write_checksum(table.update(), table.log.store)
    return tmp_path


def deeply(table: Path) -> TableAudit:
    return auditor_for(AuditSettings(now_ms=1_800_000_000_000, deep=True)).audit(str(table))


def rewrite(path: Path, **changed: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))


def test_sound_shortcuts_are_left_alone(checked: Path) -> None:
    assert rules_of(audit(checked)) == set()
    assert rules_of(deeply(checked)) == set()


@pytest.mark.parametrize(
    ("hint", "severity", "told"),
    [
        ('{"version":7}', Severity.ERROR, "names version 7, of which there is no whole checkpoint (the newest is of"),
        ('{"vers', Severity.WARNING, "it is not a JSON object with a version"),
        ("", Severity.WARNING, "it is empty"),
        ('{"version":"0"}', Severity.WARNING, "it is not a JSON object with a version"),
    ],
)
def test_a_hint_that_misleads_is_reported(checked: Path, hint: str, severity: Severity, told: str) -> None:
    (checked / LAST_CHECKPOINT).write_text(hint)
    found = audit(checked)
    assert [(one.rule, one.severity) for one in found.findings] == [("wrong-last-checkpoint", severity)]
    assert told in found.findings[0].message
    assert found.is_readable


def test_a_checksum_that_some_readers_believe_is_graver_than_a_stale_one(checked: Path) -> None:
    checksum = checked / checksum_path(1)
    rewrite(checksum, protocol={"minReaderVersion": 2, "minWriterVersion": 5})
    # This library's own reader is one of those.
    assert str(Table(checked).protocol) == "2,5"
    assert rules_of(audit(checked), Severity.ERROR) == {"wrong-checksum"}
    assert "the protocol is 2,5 there and 1,2 in the log" in audit(checked).findings[0].message
    rewrite(checksum, txnId="another")
    assert (rules_of(audit(checked), Severity.ERROR), rules_of(audit(checked))) == (set(), {"wrong-checksum"})
    checksum.write_text("{")
    assert rules_of(audit(checked)) == {"wrong-checksum"}


def test_wrong_totals_and_damaged_pages_are_found_by_looking_deep(checked: Path) -> None:
    rewrite(checked / checksum_path(1), numFiles=3)
    assert rules_of(audit(checked)) == set()
    found = deeply(checked)
    assert rules_of(found) == {"wrong-checksum"}
    assert "it counts 3 files where the log has 2" in found.findings[0].message
    data = (checked / checkpoint_path(0)).read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    (checked / checkpoint_path(0)).write_bytes(data[:4] + b"\xff" * (footer - 4) + data[footer:])
    assert rules_of(audit(checked)) == set()
    assert deeply(checked).health.torn_files == (checkpoint_path(0),)


def test_a_line_damaged_in_the_middle_is_found_by_looking_deep(checked: Path) -> None:
    commit = checked / commit_path(1)
    first, second = commit.read_text().splitlines()
    commit.write_text(f'{first}\n{{"add":{{"pa\n{second}\n')
    assert rules_of(audit(checked)) == set()
    assert rules_of(deeply(checked), Severity.ERROR) == {"torn-file", "unreadable-table"}


def test_a_compaction_over_a_gap_is_named_and_no_help(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path)
    log.commit(PROTOCOL, metadata()).commits(3)
    log.put(compaction_path(1, 2), lines([add("file-1"), add("file-2")]))
    (tmp_path / commit_path(2)).unlink()
    found = audit(tmp_path)
    assert rules_of(found, Severity.ERROR) == {"log-gap", "unreadable-table"}
    [gap] = (one for one in found.findings if one.rule == "log-gap")
    assert compaction_path(1, 2) in gap.message
    assert "make a checkpoint" in gap.remedy
