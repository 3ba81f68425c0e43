"""The name of a file alone neither stops a command nor takes memory by the numbers in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.security.budget import run
from tests.security.tables import log_of

LAST = "9" * 20
NAMES = {
    "commit far away": (f"{LAST}.json", "DR413"),
    "commit a hundred million on": (f"{10**8:020d}.json", "DR413"),
    "commit at the end of 64 bits": (f"{2**63 - 1:020d}.json", "DR413"),
    "commit beyond 64 bits": (f"{2**63:020d}.json", "DR413"),
    "part of very many": (f"{0:020d}.checkpoint.0000000001.9999999999.parquet", None),
    "part of more than 64 bits": (f"{0:020d}.checkpoint.0000000001.{'9' * 100}.parquet", None),
    "part of none": (f"{0:020d}.checkpoint.0000000000.0000000000.parquet", None),
    "part that is not among them": (f"{0:020d}.checkpoint.0000000009.0000000001.parquet", None),
    "compaction of everything": (f"{0:020d}.{LAST}.compacted.json", None),
    "compaction backwards": (f"{LAST}.{0:020d}.compacted.json", None),
    "checksum far away": (f"{LAST}.crc", None),
    "checkpoint far away": (f"{LAST}.checkpoint.parquet", None),
    "UUID of a checkpoint far away": (f"{LAST}.checkpoint.{'a' * 100}.json", None),
    "more digits than a version has": (f"{'9' * 200}.json", None),
    "digits of another script": ("٠" * 20 + ".json", None),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", ["history", "explain", "resolve"])
def test_a_command_ends_within_its_budget(tmp_path: Path, name: str, command: str) -> None:
    file, code = NAMES[name]
    (log_of(tmp_path) / file).write_bytes(b"x")
    ended = run(command, tmp_path)
    if code is not None:
        assert ended.code != 0
        assert code in ended.err


def test_an_audit_of_all_of_them_ends_within_its_budget(tmp_path: Path) -> None:
    for number, (file, _) in enumerate(NAMES.values()):
        (log_of(tmp_path / f"t{number}") / file).write_bytes(b"x")
    ended = run("audit", tmp_path, "--workers", "1")
    assert re.search(rf"^tables +{len(NAMES)}$", ended.out, re.MULTILINE)
    assert re.search(r"^cannot be read +4$", ended.out, re.MULTILINE)


def test_missing_commits_are_counted_without_being_listed(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    (log / f"{LAST}.json").write_bytes(b"{}")
    ended = run("history", tmp_path, "--json")
    assert "99,999" in ended.err + ended.out or "9" * 20 in ended.err + ended.out
