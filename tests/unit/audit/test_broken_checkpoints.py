"""Checkpoints that readers stumble over, although the commits still tell protocol and metadata."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deltaresolver.audit.batch import AuditSettings, auditor_for
from deltaresolver.log.names import SIDECAR_FOLDER, checkpoint_path, commit_path
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.writing.checkpoint_writer import write_checkpoint
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_table import TableAudit
from deltaresolver.table import Table
from tests.logs import PROTOCOL, Json, LogBuilder, add, metadata

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
    write_checkpoint(table.snapshot(), table.log.store, part_size=2)
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


def test_a_top_level_that_is_no_checkpoint_is_a_torn_file(with_sidecars: Path) -> None:
    [top] = (path for path in (with_sidecars / "_delta_log").iterdir() if ".checkpoint." in path.name)
    top.write_bytes(top.read_bytes()[:-9])
    found = audit(with_sidecars)
    assert f"_delta_log/{top.name}" in found.health.torn_files
    assert "torn-file" in rules_of(found)


def test_a_checkpoint_older_than_the_log_retention_is_told(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path)
    log.commit(PROTOCOL, metadata(), add("a")).checkpoint(0, [PROTOCOL, metadata(), add("a")]).commit(add("b"))
    assert "old-checkpoint" not in rules_of(audit(tmp_path), Severity.INFO)
    later = LocalStore(tmp_path).location
    written = (tmp_path / checkpoint_path(0)).stat().st_mtime + 31 * DAY_MS / 1000
    os.utime(f"{later}/{commit_path(1)}", (written, written))
    assert "old-checkpoint" in rules_of(audit(tmp_path), Severity.INFO)
