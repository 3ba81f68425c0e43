"""Protocol and metadata from the tail: right wherever they are, and without reading more than needed."""

from __future__ import annotations

import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltaresolver.errors import (
    CheckpointUnusableError,
    CommitMalformedError,
    MetadataMissingError,
    ProtocolMissingError,
)
from deltaresolver.log.build_segment import build_segment
from deltaresolver.log.names import (
    checkpoint_path,
    checksum_path,
    commit_path,
    compaction_path,
    sidecar_path,
    v2_checkpoint_path,
)
from deltaresolver.log.tail import TableTail, read_tail
from deltaresolver.model.actions import DomainMetadata, SetTransaction
from deltaresolver.model.protocol import Protocol
from tests.logs import (
    PROTOCOL,
    CountingStore,
    Json,
    LogBuilder,
    add,
    domain,
    info,
    lines,
    metadata,
    parquet,
    remove,
    txn,
)

NEWER: Json = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 4}}


def tail_of(log: LogBuilder, version: int | None = None, *, everything: bool = False) -> TableTail:
    return read_tail(log.store, build_segment(log.store, version), transactions=everything, domains=everything)


def test_the_newest_protocol_and_metadata_decide() -> None:
    log = LogBuilder.started(add("a")).commit(NEWER).commit(metadata({"k": "v"})).commits(2)
    tail = tail_of(log)
    assert tail.protocol == Protocol.of(1, 4)
    assert tail.metadata.configuration == {"k": "v"}
    assert tail_of(log, 1).metadata.configuration == {}
    assert tail_of(log, 0).protocol == Protocol.of(1, 2)


def test_older_commits_are_not_read_once_both_are_found() -> None:
    log = LogBuilder.started().commits(3).commit(NEWER, metadata({"k": "v"})).commits(1)
    store = log.store
    assert isinstance(store, CountingStore)
    segment = build_segment(store)
    store.reads.clear()
    read_tail(store, segment)
    assert store.reads == [commit_path(5), commit_path(4)]


def test_the_checkpoint_supplies_what_the_commits_do_not() -> None:
    state = [NEWER, metadata({"k": "v"}), txn("app", 3), domain("d", "x"), add("a"), remove("b")]
    log = LogBuilder.started().commits(3).checkpoint(2, state)
    tail = tail_of(log, everything=True)
    assert tail.protocol == Protocol.of(1, 4)
    assert tail.metadata.configuration == {"k": "v"}
    assert tail.transactions == {"app": SetTransaction("app", 3)}
    assert tail.domains == {"d": DomainMetadata("d", "x")}


def test_row_groups_and_columns_of_files_are_not_read() -> None:
    draw = random.Random(0)
    files = [add(f"f{number}", stats=draw.randbytes(500).hex()) for number in range(2000)]
    data = parquet([*files, NEWER, metadata()], row_group_size=500)
    log = LogBuilder.started().commits(1).put(checkpoint_path(1), data)
    store = log.store
    read = 0

    def counted(path: str, start: int, length: int) -> bytes:
        nonlocal read
        found = CountingStore.read_range(store, path, start, length)  # type: ignore[arg-type]
        read += len(found) if path == checkpoint_path(1) else 0
        return found

    store.read_range = counted  # type: ignore[method-assign]
    assert tail_of(log).protocol == Protocol.of(1, 4)
    assert read < len(data) / 4


def test_v2_checkpoints_are_read_without_their_sidecars() -> None:
    top: list[Json] = [
        {"checkpointMetadata": {"version": 1}},
        {"sidecar": {"path": "gone.parquet", "sizeInBytes": 1, "modificationTime": 1}},
        NEWER,
        metadata(),
        txn("app", 1),
    ]
    for extension, data in (("json", lines(top)), ("parquet", parquet(top))):
        log = LogBuilder.started().commits(1).put(v2_checkpoint_path(1, "u", extension), data)
        tail = tail_of(log, everything=True)
        assert tail.protocol == Protocol.of(1, 4)
        assert tail.transactions == {"app": SetTransaction("app", 1)}


def test_a_newer_word_on_a_transaction_or_domain_wins_and_removed_domains_are_gone() -> None:
    log = LogBuilder.started(txn("a", 1), txn("b", 1), domain("d"), domain("e"))
    log.commit(txn("a", 2), domain("d", removed=True)).commit(domain("f", "1"), domain("f", "2"))
    tail = tail_of(log, everything=True)
    assert tail.transactions == {"a": SetTransaction("a", 2), "b": SetTransaction("b", 1)}
    assert tail.domains == {"e": DomainMetadata("e", "{}"), "f": DomainMetadata("f", "2")}
    assert tail_of(log).transactions is None


@pytest.mark.parametrize("content", [b"", lines([NEWER]), lines([PROTOCOL, metadata()]), b"{"])
def test_no_compaction_is_believed_before_its_commits(content: bytes) -> None:
    log = LogBuilder.started().commit(NEWER).commit(metadata({"k": "v"})).commits(1)
    tail = tail_of(log.put(compaction_path(0, 2), content))
    assert (tail.protocol, tail.metadata.configuration) == (Protocol.of(1, 4), {"k": "v"})


@pytest.mark.parametrize(
    ("first", "error"),
    [
        ([metadata()], ProtocolMissingError),
        ([PROTOCOL], MetadataMissingError),
        ([add("a")], ProtocolMissingError),
        ([], ProtocolMissingError),
    ],
)
def test_a_missing_protocol_or_metadata_is_an_error(first: list[Json], error: type[Exception]) -> None:
    log = LogBuilder().commit(*first).commits(2)
    with pytest.raises(error) as caught:
        tail_of(log)
    assert getattr(caught.value, "delta_condition", None) == "DELTA_STATE_RECOVER_ERROR"
    assert getattr(caught.value, "fix", "").startswith("Restore the log files")


@pytest.mark.parametrize(("state", "error"), [([PROTOCOL], MetadataMissingError), ([metadata()], ProtocolMissingError)])
def test_what_the_checkpoint_lacks_is_not_looked_for_before_it(state: list[Json], error: type[Exception]) -> None:
    log = LogBuilder.started().commits(3).checkpoint(2, state)
    with pytest.raises(error, match="checkpoint 2"):
        tail_of(log)


def test_damage_on_the_line_that_matters_is_an_error() -> None:
    log = LogBuilder.started().raw_commit(lines([add("a")]) + b'{"metaData":{"id":"x","sch')
    with pytest.raises(CommitMalformedError, match="Line 2"):
        tail_of(log)


def test_an_unreadable_checkpoint_is_an_error_of_its_own() -> None:
    log = LogBuilder.started().commits(1).put(checkpoint_path(1), b"PAR1 not really PAR1")
    with pytest.raises(CheckpointUnusableError, match="version 1"):
        tail_of(log)


def test_text_in_a_checkpoint_that_is_not_utf8_makes_it_unusable() -> None:
    offsets, letters = (pa.py_buffer(each) for each in (b"\0\0\0\0\2\0\0\0", b"\xffx"))
    app = pa.StructArray.from_arrays([pa.Array.from_buffers(pa.string(), 1, [None, offsets, letters])], ["appId"])
    target = io.BytesIO()
    pq.write_table(pa.table({"txn": app}), target, write_statistics=False)
    log = LogBuilder.started().commits(1).put(checkpoint_path(1), target.getvalue())
    with pytest.raises(CheckpointUnusableError, match="utf-8"):
        tail_of(log, everything=True)


def checksum(protocol: Json, meta: Json, **more: object) -> bytes:
    value = {"protocol": protocol["protocol"], "metadata": meta["metaData"], "numFiles": 0, **more}
    return json.dumps(value).encode()


def test_a_valid_checksum_answers_without_older_commits() -> None:
    log = LogBuilder.started().commits(2).commit(info(txnId="abc-1"))
    log.put(checksum_path(3), checksum(NEWER, metadata({"k": "v"}), txnId="abc-1", numProtocol=1, numMetadata=1))
    tail = tail_of(log)
    assert (tail.protocol, tail.metadata.configuration) == (Protocol.of(1, 4), {"k": "v"})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"numFiles":1}',
        checksum(NEWER, metadata(), txnId="of-another-commit"),
        checksum(NEWER, metadata()),
        checksum(NEWER, metadata(), txnId="abc-1", numProtocol=2),
        checksum({"protocol": {"minReaderVersion": "x"}}, metadata(), txnId="abc-1"),
        checksum(NEWER, {"metaData": {"id": 7}}, txnId="abc-1"),
        checksum(NEWER, {"metaData": None}, txnId="abc-1"),
    ],
)
def test_any_other_checksum_is_passed_over(data: bytes) -> None:
    log = LogBuilder.started().commit(info(txnId="abc-1")).put(checksum_path(1), data)
    assert tail_of(log).protocol == Protocol.of(1, 2)


def test_a_checksum_of_another_version_is_passed_over() -> None:
    log = LogBuilder.started().commit(info(txnId="abc-1")).commit(info(txnId="abc-2"))
    log.put(checksum_path(1), checksum(NEWER, metadata(), txnId="abc-1"))
    assert tail_of(log).protocol == Protocol.of(1, 2)
    assert tail_of(log, 1).protocol == Protocol.of(1, 4)


def test_transactions_come_from_the_log_even_with_a_checksum() -> None:
    log = LogBuilder.started(txn("a", 1)).commit(info(txnId="abc-1"))
    log.put(
        checksum_path(1), checksum(NEWER, metadata(), txnId="abc-1", setTransactions=[{"appId": "b", "version": 9}])
    )
    assert tail_of(log, everything=True).transactions == {"a": SetTransaction("a", 1)}


def test_sidecar_names_are_not_mistaken_for_checkpoints() -> None:
    log = LogBuilder.started().commits(1).put(sidecar_path(1, 1, 1, "u"), parquet([add("a")]))
    assert build_segment(log.store).checkpoint is None
