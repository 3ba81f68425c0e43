"""Checkpoints: what they hold, how their files lie, and when none is written."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pyarrow.parquet as pq
import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import CheckpointRefusedError, CommitsUnpublishedError, LogUpkeepUnsupportedError
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import checkpoint_part_paths, checkpoint_path, commit_path, parse_log_path
from deltaresolver.log.segment import CheckpointKind, CommitFile
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.log.upkeep.settings import CheckpointPolicy
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.support import REFUSED, Support
from tests.features import writer_feature
from tests.logs import LogBuilder, add, domain, info, lines, metadata, remove, txn

CATALOG = built_in_catalog()

NOW_MS = 1_700_000_000_000
WEEK_MS = 7 * 24 * 3_600_000
SCHEMA = json.dumps(
    {
        "type": "struct",
        "fields": [
            {"name": name, "type": kind, "nullable": True, "metadata": {}}
            for name, kind in (("id", "integer"), ("name", "string"), ("flag", "boolean"), ("day", "date"))
        ],
    }
)
STATS = '{"numRecords":2,"minValues":{"id":1,"name":"a"},"maxValues":{"id":5,"name":"z"},"nullCount":{"id":0,"flag":1}}'


def protocol(*features: str, reader: int = 3, writer: int = 7) -> dict[str, Any]:
    return {
        "protocol": {
            "minReaderVersion": reader,
            "minWriterVersion": writer,
            "readerFeatures": list(features),
            "writerFeatures": list(features),
        }
    }


def table(
    *actions: dict[str, Any], configuration: dict[str, str] | None = None, features: tuple[str, ...] = ()
) -> LogBuilder:
    head = metadata(configuration, SCHEMA)
    head["metaData"]["partitionColumns"] = ["day"]
    builder = LogBuilder(MemoryStore())
    return builder.commit(protocol(*features), head, info(), *actions)


def snapshot_of(builder: LogBuilder) -> Snapshot:
    return DeltaLog(builder.store, clock=lambda: NOW_MS).snapshot()


def checkpoint_rows(builder: LogBuilder, path: str) -> list[dict[str, Any]]:
    rows = pq.read_table(BytesIO(builder.store.read(path))).to_pylist(maps_as_pydicts="strict")
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def only(rows: list[dict[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in rows if name in row]


def test_a_checkpoint_holds_the_state_and_nothing_else() -> None:
    builder = table(add("gone"), add("kept", partitionValues={"day": "2024-01-02"}, stats=STATS, tags={"a": "b"}))
    builder.commit(remove("gone", NOW_MS, tags={"x": "y"}), remove("long gone", NOW_MS - WEEK_MS), txn("app", 3))
    builder.commit(txn("app", 4, lastUpdated=5), domain("d", "{}"), domain("e", removed=True), {"odd": {"a": 1}})
    builder.commit({"cdc": {"path": "c", "partitionValues": {}, "size": 1, "dataChange": False}})
    files = write_checkpoint(snapshot_of(builder), builder.store, CATALOG)
    assert (files.kind, files.paths) == (CheckpointKind.CLASSIC, (checkpoint_path(3),))
    rows = checkpoint_rows(builder, files.paths[0])
    assert all(len(row) == 1 for row in rows)
    assert sorted({name for row in rows for name in row}) == [
        "add",
        "domainMetadata",
        "metaData",
        "protocol",
        "remove",
        "txn",
    ]
    assert len(only(rows, "protocol")) == len(only(rows, "metaData")) == 1
    assert only(rows, "txn") == [{"appId": "app", "version": 4, "lastUpdated": 5}]
    assert only(rows, "domainMetadata") == [{"domain": "d", "configuration": "{}", "removed": False}]
    (removed,) = only(rows, "remove")
    assert (removed["path"], removed["dataChange"]) == ("gone", False)
    assert {"stats", "tags"}.isdisjoint(removed)
    (kept,) = only(rows, "add")
    assert (kept["path"], kept["dataChange"], kept["stats"], kept["tags"]) == ("kept", False, STATS, {"a": "b"})
    assert kept["partitionValues"] == {"day": "2024-01-02"}
    assert kept["partitionValues_parsed"]["day"].isoformat() == "2024-01-02"
    assert kept["stats_parsed"]["maxValues"] == {"id": 5, "name": "z"}
    assert kept["stats_parsed"]["nullCount"] == {"id": 0, "name": None, "flag": 1}


@pytest.mark.parametrize(
    ("properties", "there", "missing"),
    [
        ({}, {"stats", "stats_parsed", "partitionValues_parsed"}, set()),
        ({"delta.checkpoint.writeStatsAsStruct": "false"}, {"stats"}, {"stats_parsed", "partitionValues_parsed"}),
        ({"delta.checkpoint.writeStatsAsJson": "false"}, {"stats_parsed", "partitionValues_parsed"}, {"stats"}),
    ],
)
def test_statistics_are_written_as_the_table_asks(
    properties: dict[str, str], there: set[str], missing: set[str]
) -> None:
    builder = table(add("a", stats=STATS), configuration=properties)
    (path,) = write_checkpoint(snapshot_of(builder), builder.store, CATALOG).paths
    names = {field.name for field in pq.read_schema(BytesIO(builder.store.read(path))).field("add").type}
    assert there <= names
    assert names.isdisjoint(missing)


def test_statistics_in_struct_form_alone_are_read_back_as_text() -> None:
    builder = table(add("a", stats=STATS), configuration={"delta.checkpoint.writeStatsAsJson": "false"})
    write_checkpoint(snapshot_of(builder), builder.store, CATALOG)
    builder.forget(0).commit(add("b"))
    (text,) = [row["stats"] for row in snapshot_of(builder).files().to_pylist() if row["path"] == "a"]
    assert json.loads(text) == json.loads(STATS)


@pytest.mark.parametrize(
    ("properties", "columns"),
    [
        ({}, ["id", "name", "flag"]),
        ({"delta.dataSkippingNumIndexedCols": "1"}, ["id"]),
        ({"delta.dataSkippingNumIndexedCols": "-1"}, ["id", "name", "flag"]),
        ({"delta.dataSkippingStatsColumns": "NAME, flag"}, ["name", "flag"]),
    ],
)
def test_typed_statistics_reach_over_the_indexed_columns(properties: dict[str, str], columns: list[str]) -> None:
    builder = table(add("a", stats=STATS), configuration=properties)
    (path,) = write_checkpoint(snapshot_of(builder), builder.store, CATALOG).paths
    stats = pq.read_schema(BytesIO(builder.store.read(path))).field("add").type.field("stats_parsed").type
    assert [field.name for field in stats.field("nullCount").type] == columns
    assert stats.get_field_index("tightBounds") < 0


def test_where_bounds_may_be_wide_the_typed_statistics_say_so() -> None:
    builder = table(add("a", stats='{"numRecords":2,"tightBounds":false}'), features=("deletionVectors",))
    (path,) = write_checkpoint(snapshot_of(builder), builder.store, CATALOG).paths
    (kept,) = only(checkpoint_rows(builder, path), "add")
    assert kept["stats_parsed"]["tightBounds"] is False


def test_parts_together_hold_what_one_file_would() -> None:
    adds = [add(f"file {number}") for number in range(9)]
    whole, parted = table(*adds), table(*adds)
    (path,) = write_checkpoint(snapshot_of(whole), whole.store, CATALOG).paths
    files = write_checkpoint(snapshot_of(parted), parted.store, CATALOG, part_size=3)
    assert files.paths == checkpoint_part_paths(0, 3)
    together = [row for each in files.paths for row in checkpoint_rows(parted, each)]
    assert sorted(map(str, together)) == sorted(map(str, checkpoint_rows(whole, path)))
    assert json.loads(parted.store.read("_delta_log/_last_checkpoint"))["parts"] == 3


@pytest.mark.parametrize("top_level", ["json", "parquet"])
def test_sidecars_hold_the_files_and_the_top_level_the_rest(top_level: str) -> None:
    builder = table(*(add(f"file {number}") for number in range(5)), domain("d"), features=("v2Checkpoint",))
    files = write_checkpoint(
        snapshot_of(builder), builder.store, CATALOG, policy=CheckpointPolicy.V2, part_size=2, top_level=top_level
    )
    name = parse_log_path(files.paths[0])
    assert name is not None
    assert (name.table_version, name.extension) == (0, top_level)
    sidecars = [file.path for file in builder.store.list_from("_delta_log/_sidecars/")]
    assert len(sidecars) == 3
    rows = [row for path in sidecars for row in checkpoint_rows(builder, path)]
    assert sorted(row["add"]["path"] for row in rows) == [f"file {number}" for number in range(5)]
    if top_level == "json":
        top = [json.loads(line) for line in builder.store.read(files.paths[0]).splitlines()]
    else:
        top = checkpoint_rows(builder, files.paths[0])
    assert [next(iter(row)) for row in top] == [
        "checkpointMetadata",
        "protocol",
        "metaData",
        "domainMetadata",
        *["sidecar"] * 3,
    ]
    assert [f"_delta_log/_sidecars/{each['path']}" for each in only(top, "sidecar")] == sidecars
    assert snapshot_of(builder).segment.checkpoint == files.__class__(
        0, files.kind, files.paths, files.sizes, next(iter(builder.store.list_from(files.paths[0]))).modified_ms
    )


def test_a_table_without_files_has_a_checkpoint_without_sidecars() -> None:
    builder = table(features=("v2Checkpoint",), configuration={"delta.checkpointPolicy": "v2"})
    write_checkpoint(snapshot_of(builder), builder.store, CATALOG)
    assert list(builder.store.list_from("_delta_log/_sidecars/")) == []
    assert snapshot_of(builder).files().num_rows == 0


def test_the_sidecars_are_written_before_what_names_them() -> None:
    written: list[str] = []

    class Recording(MemoryStore):
        def put_if_absent(self, path: str, data: bytes) -> None:
            written.append(path)
            super().put_if_absent(path, data)

    builder = LogBuilder(Recording()).commit(protocol("v2Checkpoint"), metadata(), add("a"), add("b"))
    write_checkpoint(snapshot_of(builder), builder.store, CATALOG, policy=CheckpointPolicy.V2, part_size=1)
    assert [path.count("/") for path in written[1:]] == [2, 2, 1]


def test_a_sound_checkpoint_stays_as_it_is() -> None:
    builder = table(add("a"))
    (path,) = write_checkpoint(snapshot_of(builder), builder.store, CATALOG).paths
    before = next(iter(builder.store.list_from(path)))
    snapshot = snapshot_of(builder)
    write_checkpoint(snapshot, builder.store, CATALOG)
    assert next(iter(builder.store.list_from(path))) == before


@pytest.mark.parametrize("damage", [b"", b"PAR1 nonsense PAR1", None])
@pytest.mark.parametrize("part_size", [None, 1])
def test_a_damaged_checkpoint_is_replaced(damage: bytes | None, part_size: int | None) -> None:
    builder = table(add("a"), add("b"))
    paths = write_checkpoint(snapshot_of(builder), builder.store, CATALOG, part_size=part_size).paths
    good = builder.store.read(paths[0])
    builder.store.put(paths[0], good[: len(good) // 2] if damage is None else damage)
    write_checkpoint(snapshot_of(builder), builder.store, CATALOG, part_size=part_size)
    assert builder.store.read(paths[0]) == good


@pytest.mark.parametrize(
    ("features", "arguments", "reason"),
    [
        ((), {"policy": CheckpointPolicy.V2}, "need the feature v2Checkpoint"),
        (("v2Checkpoint",), {"policy": CheckpointPolicy.CLASSIC, "part_size": 1}, "forbids checkpoints in parts"),
        ((), {"part_size": 0}, "0 actions"),
        (("v2Checkpoint",), {"policy": CheckpointPolicy.V2, "top_level": "avro"}, "'avro'"),
    ],
)
def test_a_checkpoint_the_table_must_not_have_is_refused(
    features: tuple[str, ...], arguments: dict[str, Any], reason: str
) -> None:
    builder = table(add("a"), features=features)
    with pytest.raises(CheckpointRefusedError, match=reason):
        write_checkpoint(snapshot_of(builder), builder.store, CATALOG, **arguments)
    assert [file.path for file in builder.listed()] == [commit_path(0)]


def test_a_table_with_an_unknown_feature_gets_a_checkpoint_once_a_plugin_declares_it() -> None:
    builder = table(add("a"), features=("brandNew",))
    with pytest.raises(LogUpkeepUnsupportedError, match="brandNew") as raised:
        write_checkpoint(snapshot_of(builder), builder.store, CATALOG)
    assert raised.value.details["unknown"] == ["brandNew"]
    knowing = FeatureCatalog([*CATALOG, writer_feature("brandNew")])
    assert write_checkpoint(snapshot_of(builder), builder.store, knowing).table_version == 0


@pytest.mark.parametrize(
    ("support", "reason"),
    [
        (Support(checkpoint=REFUSED), "it needs brandNew"),
        (Support(read=REFUSED), "it needs brandNew"),
        (Support(checkpoint=lambda metadata: f"table {metadata.id} is sealed"), "table t is sealed"),
    ],
)
def test_a_feature_may_refuse_checkpoints(support: Support, reason: str) -> None:
    builder = table(add("a"), features=("brandNew",))
    knowing = FeatureCatalog([*CATALOG, writer_feature("brandNew", support=support)])
    with pytest.raises(LogUpkeepUnsupportedError, match=reason):
        write_checkpoint(snapshot_of(builder), builder.store, knowing)


def test_a_commit_that_only_the_catalog_has_is_not_checkpointed() -> None:
    builder = table(add("a"), features=("catalogManaged",))
    path = "_delta_log/_staged_commits/00000000000000000001.u.json"
    builder.store.put(path, lines([add("b")]))
    snapshot = DeltaLog(builder.store, [CommitFile(path, 1, 1, 1, 1)]).snapshot()
    with pytest.raises(CommitsUnpublishedError, match="not in the log"):
        write_checkpoint(snapshot, builder.store, CATALOG)
    builder.store.put(commit_path(1), lines([add("b")]))
    assert write_checkpoint(snapshot, builder.store, CATALOG).table_version == 1
