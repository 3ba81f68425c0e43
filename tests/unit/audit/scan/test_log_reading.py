"""Where an audit gets protocol and metadata from when no commit is left that holds them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltaresolver.audit.scan.log_reading import LogReading, read_log
from deltaresolver.log.names import checkpoint_path
from deltaresolver.log.storage.local_store import LocalStore
from tests.logs import PROTOCOL, Json, LogBuilder, add, info, metadata

KEPT = metadata({"delta.appendOnly": "true"})
CHECKSUM = f"_delta_log/{4:020}.crc"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A checkpoint at 3, one commit after it, and none before."""
    log = LogBuilder.local(tmp_path)
    log.commit(PROTOCOL, KEPT, add("a")).commits(3).commit(info(txnId="the-writer"), add("b"))
    log.checkpoint(3, [PROTOCOL, KEPT, add("a")])
    for version in range(4):
        (tmp_path / "_delta_log" / f"{version:020}.json").unlink()
    return tmp_path


def with_checksum(table: Path, transaction: str, kept: Json = KEPT) -> None:
    told = {"protocol": PROTOCOL["protocol"], "metadata": kept["metaData"], "txnId": transaction}
    (table / CHECKSUM).write_text(json.dumps(told), encoding="utf-8")


def read(table: Path) -> LogReading:
    return read_log(LocalStore(table), 1000)


def test_a_checksum_gives_what_the_checkpoint_gives(table: Path) -> None:
    without = read(table)
    with_checksum(table, "the-writer")
    found = read(table)
    assert found.error is None
    assert (found.protocol, found.metadata) == (without.protocol, without.metadata)


def test_with_a_checksum_no_checkpoint_is_opened(table: Path) -> None:
    checkpoint = table / checkpoint_path(3)
    data = checkpoint.read_bytes()
    checkpoint.write_bytes(b"\0" * (len(data) - 8) + data[-8:])
    assert read(table).error is not None
    with_checksum(table, "the-writer")
    assert read(table).error is None


def test_a_checksum_of_another_commit_is_not_believed(table: Path) -> None:
    with_checksum(table, "somebody-else", metadata({"delta.appendOnly": "false"}))
    found = read(table)
    assert found.metadata is not None
    assert found.metadata.configuration == {"delta.appendOnly": "true"}
