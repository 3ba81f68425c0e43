"""An audit, a note of VACUUM and a question to the page that strangers wrote end in errors of this library."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.errors import AuditFileError, InvalidInputError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.testing.conformance import recorded_cases
from deltaresolver.transaction.vacuum.removed_files import LAST_VACUUM, read_last_vacuum

BODIES = {
    "bytes that are not UTF-8": b'{"when_ms":1,"tool":"\xff\xfe"}',
    "nested": b'{"x":' * 100_000,
    "another type": b"[1]",
    "a long number": b'{"when_ms":' + b"9" * 5000 + b"}",
    "nothing": b"",
}


@pytest.mark.parametrize("name", BODIES)
def test_a_damaged_audit_document_of_a_stranger_is_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / "audit.json"
    file.write_bytes(b'{"format": 1, "head":\n' + BODIES[name] + b'\n, "tables": [\n]}\n')
    with pytest.raises(AuditFileError):
        StoredAudit(file)


@pytest.mark.parametrize("name", BODIES)
def test_a_damaged_note_of_vacuum_counts_as_none(name: str, tmp_path: Path) -> None:
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / LAST_VACUUM).write_bytes(BODIES[name])
    assert read_last_vacuum(LocalStore(tmp_path)) is None


def test_recorded_cases_with_a_line_that_is_too_long_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl.gz"
    with gzip.open(file, "wb") as packed:
        for _ in range(20):
            packed.write(b"[" * 1_000_000)
    with pytest.raises(InvalidInputError, match="a line may have"):
        list(recorded_cases.recorded_cases(file))


def test_recorded_cases_with_too_many_lines_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_cases, "MOST_CHARACTERS", 100_000)
    file = tmp_path / "cases.jsonl.gz"
    file.write_bytes(gzip.compress(b"\n" * 1_000_000))
    with pytest.raises(InvalidInputError, match="all of them"):
        list(recorded_cases.recorded_cases(file))
