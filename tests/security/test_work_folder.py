"""An audit continues after any damage to its work folder, and two do not share one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.scan.runners import InProcess
from deltaresolver.audit.scan.work_lock import WorkLock
from deltaresolver.errors import AuditResumeError
from tests.security.tables import log_of

TABLES = 9


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for number in range(TABLES):
        log_of(tmp_path / f"lake/t{number}")
    return tmp_path / "lake"


def interrupted(lake: Path, work: Path) -> AuditRequest:
    """An audit of which two batches of three are done, in this process: starting another takes longer than all else."""
    request = AuditRequest(roots=(str(lake),), batch_size=3, budget=None)

    def stop(done: int, _: int) -> None:
        if done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit_lake(request, InProcess(), work, work.parent / "audit.json", stop)
    return request


KEPT = ("audit.json", "begun.txt", "roots.json", "locations.txt", "parts/0.jsonl", "parts/1.jsonl", "parts/0.profiles")
DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "torn": lambda data: data[: len(data) // 2],
    "almost whole": lambda data: data[:-3],
    "empty": lambda _: b"",
    "zeros": lambda data: bytes(len(data)),
    "no text": lambda _: b"\xff\xfe\xff",
    "nested": lambda _: b"[" * 100_000,
    "gone": lambda _: None,
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", KEPT)
def test_tables_in_damaged_work_files_are_audited_again(tmp_path: Path, lake: Path, name: str, damage: str) -> None:
    request = interrupted(lake, tmp_path / "work")
    file = tmp_path / "work" / name
    changed = DAMAGES[damage](file.read_bytes())
    if changed is None:
        file.unlink()
    elif not (name.startswith("parts/") and not changed):
        file.write_bytes(changed)
    audited = audit_lake(request, InProcess(), tmp_path / "work", tmp_path / "audit.json")
    assert sorted(table.location for table in audited.document.tables()) == [f"{lake}/t{n}" for n in range(TABLES)]
    (root,) = audited.document.head.roots
    assert root.tables == TABLES
    assert not (tmp_path / "work").exists()


def test_a_second_audit_names_who_makes_the_first(tmp_path: Path, lake: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from deltaresolver.audit.scan.work_lock import WorkLock\n"
        "lock = WorkLock(Path(sys.argv[1]))\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(work)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as one:
        assert one.stdout is not None
        assert one.stdout.readline() == b"held\n"
        with pytest.raises(AuditResumeError, match=f"process {one.pid} on") as raised:
            audit_lake(AuditRequest(roots=(str(lake),)), InProcess(), work, tmp_path / "audit.json")
        assert str(one.pid) in raised.value.details["holder"]
        one.kill()
    audited = audit_lake(AuditRequest(roots=(str(lake),)), InProcess(), work, tmp_path / "audit.json")
    assert len(list(audited.document.tables())) == TABLES


def test_a_lock_is_released(tmp_path: Path) -> None:
    first = WorkLock(tmp_path)
    first.release()
    WorkLock(tmp_path).release()
