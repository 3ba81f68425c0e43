"""An audit, a note of VACUUM and a question to the page that strangers wrote end in errors of this library."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.errors import AuditFileError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.transaction.vacuum.removed_files import LAST_VACUUM, read_last_vacuum

BODIES = {
    "bytes that are not UTF-8": b'{"whenMs":1,"tool":"\xff\xfe"}',
    "nested": b'{"x":' * 100_000,
    "another type": b"[1]",
    "a long number": b'{"whenMs":' + b"9" * 5000 + b"}",
    "nothing": b"",
}


@pytest.mark.parametrize("name", BODIES)
def test_an_audit_of_a_stranger(name: str, tmp_path: Path) -> None:
    file = tmp_path / "audit.json"
    file.write_bytes(b'{"format": 1, "head":\n' + BODIES[name] + b'\n, "tables": [\n]}\n')
    with pytest.raises(AuditFileError):
        StoredAudit(file)


@pytest.mark.parametrize("name", BODIES)
def test_a_note_of_vacuum(name: str, tmp_path: Path) -> None:
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / LAST_VACUUM).write_bytes(BODIES[name])
    assert read_last_vacuum(LocalStore(tmp_path)) is None
