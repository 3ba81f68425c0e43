"""Version checksums: what they hold, and when the one before is enough to compute it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import checksum_path, commit_path
from deltaresolver.log.upkeep.checksum_totals import SIZE_BINS
from deltaresolver.log.upkeep.write_checksum import write_checksum
from tests.logs import CountingStore, Json, LogBuilder, add, domain, info, metadata, remove, txn

ENGINE = "Apache-Spark/4.0.0 Delta-Lake/4.0.0"
VECTOR = {"storageType": "u", "pathOrInlineDv": "ab", "offset": 1, "sizeInBytes": 3, "cardinality": 12}
PROTOCOL: Json = {
    "protocol": {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["deletionVectors", "inCommitTimestamp"],
    }
}


def commit_info(number: int, **more: Any) -> Json:
    return info(**{"txnId": f"txn-{number}", "engineInfo": ENGINE, "inCommitTimestamp": 100 + number, **more})


def started() -> LogBuilder:
    builder = LogBuilder()
    return builder.commit(
        commit_info(0),
        PROTOCOL,
        metadata({"delta.enableInCommitTimestamps": "true"}),
        add("a", size=10_000),
        add("b", size=5_000_000_000, deletionVector=VECTOR),
        txn("app", 1),
        domain("d"),
    )


def checksum(builder: LogBuilder, table_version: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(builder.store.read(checksum_path(table_version)))
    return found


def write(builder: LogBuilder) -> str | None:
    return write_checksum(DeltaLog(builder.store).snapshot(), builder.store)


def test_a_checksum_sums_its_version_up() -> None:
    builder = started()
    assert write(builder) == checksum_path(0)
    found = checksum(builder, 0)
    histogram = found.pop("fileSizeHistogram")
    assert histogram["sortedBinBoundaries"] == list(SIZE_BINS)
    filled = {
        (boundary, files, size) for boundary, files, size in zip(*histogram.values(), strict=True) if files or size
    }
    assert filled == {(8192, 1, 10_000), (4 << 30, 1, 5_000_000_000)}
    assert found.pop("deletedRecordCountsHistogramOpt") == {"deletedRecordCounts": [1, 0, 1, 0, 0, 0, 0, 0, 0, 0]}
    assert found.pop("metadata")["id"] == "t"
    assert found == {
        "txnId": "txn-0",
        "numMetadata": 1,
        "numProtocol": 1,
        "inCommitTimestampOpt": 100,
        "protocol": PROTOCOL["protocol"],
        "setTransactions": [{"appId": "app", "version": 1}],
        "domainMetadata": [{"domain": "d", "configuration": "{}", "removed": False}],
        "tableSizeBytes": 5_000_010_000,
        "numFiles": 2,
        "numDeletedRecordsOpt": 12,
        "numDeletionVectorsOpt": 1,
    }


def test_a_checksum_is_never_overwritten() -> None:
    builder = started().put(checksum_path(0), b"somebody else's")
    assert write(builder) is None
    assert builder.store.read(checksum_path(0)) == b"somebody else's"


def test_the_one_before_and_the_commit_are_enough() -> None:
    builder = started()
    write(builder)
    builder.commit(commit_info(1), remove("a", size=10_000), add("c", size=7), txn("app", 2))
    (builder.put("_delta_log/extra", b""))
    store = builder.store
    assert isinstance(store, CountingStore)
    snapshot = DeltaLog(store).snapshot()
    write_checksum(snapshot, store)
    assert "_live" not in snapshot.__dict__
    found = checksum(builder, 1)
    builder.delete(checksum_path(0)).delete(checksum_path(1))
    write(builder)
    assert checksum(builder, 1) == found
    assert (found["numFiles"], found["tableSizeBytes"]) == (2, 5_000_000_007)


@pytest.mark.parametrize(
    "actions",
    [
        [info(txnId="t", engineInfo="somebody/1"), add("a", size=10_000)],
        [info(txnId="t", engineInfo=ENGINE, operation="COMPUTE STATS"), add("a", size=10_000)],
        [info(txnId="t", engineInfo=ENGINE), add("a", size=10_000, dataChange=False)],
        [info(txnId="t", engineInfo=ENGINE), remove("a")],
        [add("a", size=10_000)],
    ],
    ids=[
        "another engine",
        "an operation that adds again",
        "no data change",
        "a remove without a size",
        "no commitInfo",
    ],
)
def test_numbers_that_the_commit_may_lack_are_counted(actions: list[Json]) -> None:
    builder = started()
    write(builder)
    builder.commit(*actions)
    write(builder)
    found = checksum(builder, 1)
    files = DeltaLog(builder.store).snapshot().files().to_pylist()
    assert (found["numFiles"], found["tableSizeBytes"]) == (len(files), sum(file["size"] for file in files))


def test_a_checksum_left_over_from_another_commit_is_not_built_on() -> None:
    builder = started()
    write(builder)
    stale = checksum(builder, 0)
    stale["numFiles"] = 99
    builder.put(checksum_path(0), json.dumps({**stale, "txnId": "of another life"}).encode())
    builder.commit(commit_info(1), add("c", size=7))
    write(builder)
    assert checksum(builder, 1)["numFiles"] == 3


def test_a_version_whose_commit_is_gone_has_a_checksum_all_the_same() -> None:
    builder = started().commits(1)
    builder.checkpoint(1, [PROTOCOL, metadata(), add("a")]).delete(commit_path(0)).delete(commit_path(1))
    assert write(builder) == checksum_path(1)
    assert checksum(builder, 1)["numFiles"] == 1
