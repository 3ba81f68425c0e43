"""The audit as rows of a Delta table: what our own reader and delta-rs read back, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from deltalake import DeltaTable

from benchmarks.lake_generator import KINDS, generate_lake
from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.document.document import AuditDocument
from deltaresolver.audit.document.document_file import StoredAudit, write_audit
from deltaresolver.audit.report import delta_table as audit_table
from deltaresolver.audit.report.table_rows import COLUMNS
from deltaresolver.audit.scan.runners import InProcess
from deltaresolver.errors import AuditTableError
from deltaresolver.table import Table

TABLES = len(KINDS) + 15


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> AuditDocument:
    """The audit of a table of every kind, and of some that are broken."""
    folder = tmp_path_factory.mktemp("lake")
    list(generate_lake(folder / "lake", TABLES, broken_every=5))
    request = AuditRequest(roots=(str(folder / "lake"),), clients=("trino@468",), budget=None)
    return audit_lake(request, InProcess(), folder / "work", folder / "audit.json").document


def later(document: AuditDocument, folder: Path) -> AuditDocument:
    """The same lake, audited a day later."""
    head = msgspec.structs.replace(document.head, when_ms=document.head.when_ms + 86_400_000)
    write_audit(head, document.tables(), folder / "later.json")
    return StoredAudit(folder / "later.json")


def test_delta_rs_reads_back_what_the_document_says(document: AuditDocument, tmp_path: Path) -> None:
    audit_table.write(document, str(tmp_path / "audits"), {})
    rows = {row["location"]: row for row in DeltaTable(tmp_path / "audits").to_pyarrow_table().to_pylist()}
    tables = list(document.tables())
    assert len(rows) == len(tables) == TABLES
    for table in tables:
        row = rows[table.location]
        grave = Counter(one.severity.value for one in table.findings)
        assert (row["errors"], row["warnings"], row["infos"]) == (grave["error"], grave["warning"], grave["info"])
        assert row["error_code"] == (None if table.error is None else table.error.code)
        assert row["features"] == [one.name for one in table.features]
        assert set(row["unused_features"]) <= set(row["features"])
        assert row["rules"] == sorted({one.rule for one in table.findings})
        assert row["blocked"] == [f"{one.release} {one.act}" for one in table.blocked]
        assert row["audited_at"].timestamp() * 1000 == document.head.when_ms
        if table.protocol is not None:
            assert row["writer_version"] == table.protocol.writer_version
    assert any(row["raised_by"] for row in rows.values())


def test_each_audit_is_a_version_and_a_repeated_one_is_none(document: AuditDocument, tmp_path: Path) -> None:
    target, second = str(tmp_path / "audits"), later(document, tmp_path)
    assert audit_table.append(document, target, {}) == 0
    assert audit_table.append(document, target, {}) is None
    assert audit_table.append(second, target, {}) == 1
    assert audit_table.append(second, target, {}) is None
    table = Table(target)
    assert [entry.table_version for entry in table.history()] == [1, 0]
    assert len(DeltaTable(target, version=0).to_pyarrow_table()) == TABLES
    assert len(DeltaTable(target).to_pyarrow_table()) == 2 * TABLES
    assert table.snapshot().files().num_rows == 2
    protocol = table.protocol
    assert (protocol.min_reader_version, protocol.min_writer_version) == (1, 2)


def test_statistics_let_one_audit_be_read_alone(document: AuditDocument, tmp_path: Path) -> None:
    target, second = str(tmp_path / "audits"), later(document, tmp_path)
    for each in (document, second):
        audit_table.append(each, target, {})
    wanted = audit_table.audit_id(second.head)
    adds = list(Table(target).snapshot().add_actions())
    bounds = [msgspec.json.decode(add.stats or "")["minValues"]["audit_id"] for add in adds]
    assert bounds.count(wanted) == 1
    assert sum(msgspec.json.decode(add.stats or "")["numRecords"] for add in adds) == 2 * TABLES


def test_many_rows_make_several_files(document: AuditDocument, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_table, "ROWS_PER_BATCH", 5)
    monkeypatch.setattr(audit_table, "ROWS_PER_FILE", 20)
    audit_table.append(document, str(tmp_path / "audits"), {})
    read = DeltaTable(tmp_path / "audits")
    assert len(read.file_uris()) == -(-TABLES // 20)
    assert set(read.to_pyarrow_table().column("location").to_pylist()) == {one.location for one in document.tables()}


def test_columns_that_an_older_table_lacks_are_added(document: AuditDocument, tmp_path: Path) -> None:
    target = str(tmp_path / "audits")
    Table.create(target, COLUMNS.remove(COLUMNS.get_field_index("blocked")))
    audit_table.append(document, target, {})
    assert "blocked" in DeltaTable(target).to_pyarrow_table().column_names


def test_a_place_that_cannot_take_an_audit_is_left_as_it_is(document: AuditDocument, tmp_path: Path) -> None:
    Table.create(tmp_path / "wrong", COLUMNS.set(5, COLUMNS.field(5).with_type(COLUMNS.field(0).type)))
    Table.create(tmp_path / "parted", COLUMNS, partition_columns=["audit_id"])
    Table.create(tmp_path / "checked", COLUMNS, properties={"delta.constraints.known": "name is not null"})
    for name in ("wrong", "parted", "checked"):
        with pytest.raises(AuditTableError, match="cannot take an audit"):
            audit_table.append(document, str(tmp_path / name), {})
        assert [one.name for one in (tmp_path / name).iterdir()] == ["_delta_log"]
    with pytest.raises(AuditTableError, match="is not a Delta table"):
        audit_table.append(document, str(tmp_path), {})
    assert not (tmp_path / "_delta_log").exists()
