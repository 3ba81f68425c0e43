"""What we write, delta-spark and delta-rs read back as the state it was before, without the commits it stands for."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.log.checkpoint.spark_hash import SEED, hash_texts
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.upkeep.cleanup import clean_up_log
from deltaresolver.log.upkeep.settings import CheckpointPolicy
from deltaresolver.log.upkeep.write_checksum import write_checksum
from deltaresolver.log.upkeep.write_compaction import compact_log
from tests.peers.delta_spark import DeltaSpark
from tests.peers.snapshot_facts import delta_rs_facts, delta_spark_facts, differences

CATALOG = built_in_catalog()

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = pytest.mark.peer

V2_JSON = partial(write_checkpoint, catalog=CATALOG, policy=CheckpointPolicy.V2, part_size=2)
V2_PARQUET = partial(write_checkpoint, catalog=CATALOG, policy=CheckpointPolicy.V2, part_size=2, top_level="parquet")
PARTS = partial(write_checkpoint, catalog=CATALOG, policy=CheckpointPolicy.CLASSIC, part_size=2)
CLASSIC = partial(write_checkpoint, catalog=CATALOG, policy=CheckpointPolicy.CLASSIC)
KINDS = {"classic": CLASSIC, "parts": PARTS, "v2 json": V2_JSON, "v2 parquet": V2_PARQUET}

MADE: dict[str, tuple[str, ...]] = {
    "plain": (
        "CREATE TABLE {table} (id BIGINT, name STRING) USING DELTA",
        "INSERT INTO {table} VALUES (1, 'a')",
        "INSERT INTO {table} VALUES (2, NULL)",
        "INSERT INTO {table} VALUES (3, 'c')",
        "DELETE FROM {table} WHERE id = 1",
    ),
    "stats as struct only": (
        (
            "CREATE TABLE {table} (id BIGINT, price DECIMAL(9,2), day DATE, at TIMESTAMP, "
            "deep STRUCT<a: INT, b: STRING>) "
            "USING DELTA PARTITIONED BY (day) TBLPROPERTIES ('delta.checkpoint.writeStatsAsJson' = 'false', "
            "'delta.checkpoint.writeStatsAsStruct' = 'true')"
        ),
        "INSERT INTO {table} VALUES (1, 1.25, DATE'2024-01-02', TIMESTAMP'2024-01-02 03:04:05.678', struct(1, 'x'))",
        "INSERT INTO {table} VALUES (2, NULL, NULL, NULL, NULL), (3, -7.50, DATE'1969-01-01', NULL, struct(NULL, 'y'))",
    ),
    "row tracking and a domain": (
        (
            "CREATE TABLE {table} (id BIGINT, name STRING) USING DELTA CLUSTER BY (id) "
            "TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'delta.enableInCommitTimestamps' = 'true')"
        ),
        "INSERT INTO {table} VALUES (1, 'a')",
        "INSERT INTO {table} VALUES (2, 'b')",
        "OPTIMIZE {table}",
    ),
    "deletion vectors and mapping": (
        (
            "CREATE TABLE {table} (id BIGINT, `odd name` STRING, part STRING) USING DELTA PARTITIONED BY (part) "
            "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = 'name')"
        ),
        "INSERT INTO {table} SELECT id, CAST(id AS STRING), CAST(id % 2 AS STRING) FROM RANGE(20)",
        "DELETE FROM {table} WHERE id IN (3, 4)",
        "ALTER TABLE {table} RENAME COLUMN `odd name` TO renamed",
        "DELETE FROM {table} WHERE id = 5",
    ),
    "v2": (
        (
            "CREATE TABLE {table} (id BIGINT, part INT) USING DELTA PARTITIONED BY (part) "
            "TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.enableDeletionVectors' = 'true')"
        ),
        "INSERT INTO {table} SELECT id, CAST(id % 3 AS INT) FROM RANGE(30)",
        "DELETE FROM {table} WHERE id = 4",
        "DELETE FROM {table} WHERE part = 1",
    ),
}
WRITTEN = [
    *((name, kind) for name in MADE if name != "v2" for kind in ("classic", "parts")),
    *(("v2", kind) for kind in ("classic", "v2 json", "v2 parquet")),
]
CORPUS = (
    "dat__all_primitive_types",
    "dat__multi_partitioned_2",
    "dat__deletion_vectors",
    "dat__column_mapping",
    "delta-golden__data-skipping-basic-stats-all-types",
    "delta-golden__data-skipping-basic-stats-all-types-columnmapping-name",
    "delta-golden__kernel-timestamp-partition-col-ISO8601",
    "delta-golden__log-replay-dv-key-cases",
    "delta-golden__log-replay-special-characters",
    "delta-golden__v2-checkpoint-parquet",
    "delta-kernel__spark-variant-stable-feature-checkpoint",
    "delta-rs__checkpoint-v2-table",
)


@pytest.fixture(scope="module")
def made(small_delta_spark: DeltaSpark, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tables that delta-spark made, none with a checkpoint."""
    folder = tmp_path_factory.mktemp("made")
    tables = {name: folder / name.replace(" ", "_") for name in MADE}
    for name, statements in MADE.items():
        for statement in statements:
            small_delta_spark.sql(statement, tables[name])
    rows = small_delta_spark.read(tables["plain"]).limit(1)
    small_delta_spark.write(rows, tables["plain"], txnAppId="loader", txnVersion="7")
    return tables


@pytest.fixture(scope="module")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded tables, unpacked."""
    folder = tmp_path_factory.mktemp("corpus")
    with tarfile.open(shared / "conformance" / "tables.tar.gz") as archive:
        wanted = tuple(f"tables/tables/{name}/" for name in CORPUS) + tuple(f"tables/{name}/" for name in CORPUS)
        members = [each for each in archive if each.name.removeprefix("./").startswith(wanted)]
        archive.extractall(folder, members=members, filter="data")
    return folder


def copy_of(table: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(table, tmp_path / "table"))


def snapshot_of(table: Path) -> Snapshot:
    return DeltaLog(LocalStore(table)).snapshot()


def remove_what_it_stands_for(table: Path, snapshot: Snapshot, kept: tuple[str, ...]) -> None:
    """Every commit before the checkpoint, every other checkpoint, every checksum."""
    for file in (table / "_delta_log").iterdir():
        number = file.name[:20]
        is_ours = f"_delta_log/{file.name}" in kept
        is_old = number.isdecimal() and (int(number) < snapshot.table_version or file.suffix != ".json")
        if file.is_file() and not is_ours and (is_old or ".checkpoint." in file.name):
            file.unlink()


def states(table: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "delta-spark", delta_spark_facts(table)
    yield "delta-rs", delta_rs_facts(table, app_ids=("loader",))


def check_both_read_it_as_before(table: Path, snapshot: Snapshot, kind: str) -> None:
    before = dict(states(table))
    checkpoint = KINDS[kind](snapshot, snapshot.store)
    remove_what_it_stands_for(table, snapshot, checkpoint.paths)
    for peer, after in states(table):
        assert differences(before[peer], after) == [], peer
    assert differences(before["delta-spark"], delta_rs_facts(table, app_ids=("loader",))) == []


@pytest.mark.parametrize(("name", "kind"), WRITTEN)
def test_both_peers_read_a_checkpoint_as_the_table_before(
    made: dict[str, Path], tmp_path: Path, name: str, kind: str
) -> None:
    table = copy_of(made[name], tmp_path)
    check_both_read_it_as_before(table, snapshot_of(table), kind)


@pytest.mark.parametrize("name", CORPUS)
def test_both_peers_read_our_checkpoint_of_a_table_that_others_wrote(
    delta_spark: DeltaSpark, corpus: Path, tmp_path: Path, name: str
) -> None:
    (found,) = corpus.glob(f"**/{name}")
    table = copy_of(found, tmp_path)
    snapshot = snapshot_of(table)
    is_v2 = "v2Checkpoint" in snapshot.protocol.writer_feature_names
    check_both_read_it_as_before(table, snapshot, "v2 json" if is_v2 else "classic")


@pytest.mark.parametrize("name", list(MADE))
def test_a_checkpoint_changes_no_row(delta_spark: DeltaSpark, made: dict[str, Path], tmp_path: Path, name: str) -> None:
    table = copy_of(made[name], tmp_path)
    before = sorted(map(str, delta_spark.read(table).collect()))
    snapshot = snapshot_of(table)
    checkpoint = write_checkpoint(snapshot, snapshot.store, CATALOG)
    remove_what_it_stands_for(table, snapshot, checkpoint.paths)
    delta_spark.delta_log(table)
    assert sorted(map(str, delta_spark.read(table).collect())) == before


@pytest.mark.parametrize("name", ["plain", "stats as struct only", "deletion vectors and mapping"])
def test_typed_statistics_are_those_of_delta_spark(
    delta_spark: DeltaSpark, made: dict[str, Path], tmp_path: Path, name: str
) -> None:
    ours, theirs = copy_of(made[name], tmp_path / "ours"), copy_of(made[name], tmp_path / "theirs")
    delta_spark.sql("ALTER TABLE {table} SET TBLPROPERTIES ('delta.checkpoint.writeStatsAsStruct' = 'true')", ours)
    shutil.rmtree(theirs)
    shutil.copytree(ours, theirs)
    snapshot = snapshot_of(ours)
    (path,) = CLASSIC(snapshot, snapshot.store).paths
    delta_spark.delta_log(theirs).checkpoint()
    found, expected = typed_columns(ours / path), typed_columns(theirs / path)
    assert found.keys() == expected.keys()
    for file, columns in expected.items():
        assert found[file] == columns


def typed_columns(checkpoint: Path) -> dict[str, Any]:
    adds = pq.ParquetFile(checkpoint).read(columns=["add"]).column("add").drop_null().to_pylist()
    names = ("stats_parsed", "partitionValues_parsed")
    return {add["path"]: {name: without_nulls(add.get(name)) for name in names} for add in adds}


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: without_nulls(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item is not None} or None
    # Spark's own Parquet type for a moment carries no zone.
    return str(value.replace(tzinfo=None)) if isinstance(value, datetime) else value


def test_delta_spark_takes_our_hint_and_checksum(
    delta_spark: DeltaSpark, made: dict[str, Path], tmp_path: Path
) -> None:
    table = copy_of(made["row tracking and a domain"], tmp_path)
    snapshot = snapshot_of(table)
    (path,) = (table / "_delta_log").glob(f"{snapshot.table_version:020d}.crc")
    theirs = json.loads(path.read_text())
    path.unlink()
    assert write_checksum(snapshot, snapshot.store) == f"_delta_log/{path.name}"
    ours = json.loads(path.read_text())
    same = ("txnId", "tableSizeBytes", "numFiles", "numMetadata", "numProtocol", "inCommitTimestampOpt", "metadata")
    assert {name: ours[name] for name in same} == {name: theirs[name] for name in same}
    histogram = theirs.get("fileSizeHistogram") or theirs["histogramOpt"]
    assert ours["fileSizeHistogram"] == histogram
    CLASSIC(snapshot, snapshot.store)
    hint = delta_spark.delta_log(table).readLastCheckpointFile().get()
    assert (hint.version(), hint.numOfAddFiles().get()) == (snapshot.table_version, snapshot.files().num_rows)
    no_context = getattr(getattr(delta_spark.jvm.scala.collection.immutable, "Map$"), "MODULE$").empty()
    assert delta_spark.snapshot(table).validateChecksum(no_context)


def test_delta_spark_reads_our_compaction(made: dict[str, Path], tmp_path: Path) -> None:
    table = copy_of(made["plain"], tmp_path)
    before = delta_spark_facts(table)
    path = compact_log(LocalStore(table), 1, before["table_version"])
    # Nonsense in a commit that the compaction covers shows whether the compaction is what was read.
    (table / "_delta_log" / f"{2:020d}.json").write_text('{"add":{"path":"not-there","size":1}}\n')
    assert (table / path).is_file()
    assert differences(before, delta_spark_facts(table)) == []


@pytest.mark.parametrize("name", ["plain", "v2"])
def test_a_cleaned_up_log_reads_as_before(made: dict[str, Path], tmp_path: Path, name: str) -> None:
    table = copy_of(made[name], tmp_path)
    before = dict(states(table))
    snapshot = snapshot_of(table)
    write_checkpoint(snapshot, snapshot.store, CATALOG)
    day_ms = 86_400_000
    done = clean_up_log(DeltaLog(snapshot.store), snapshot.clock() + 40 * day_ms, CATALOG)
    assert done.kept_from == snapshot.table_version
    left = sorted(file.name for file in (table / "_delta_log").glob("*.json") if len(file.name) == 25)
    assert left == [f"{snapshot.table_version:020d}.json"]
    assert (done.written is not None) is (name == "v2")
    for peer, after in states(table):
        assert differences(before[peer], after) == [], peer


def test_parts_are_divided_as_spark_divides_them(delta_spark: DeltaSpark) -> None:
    texts = ["", "a", "ab", "abc", "abcd", "part-00000-c000.snappy.parquet", "dayé=ü/\U0001f600", None]
    rows = delta_spark.spark.createDataFrame([(text,) for text in texts], "path string")
    expected = [row[0] for row in rows.selectExpr("hash(path)").collect()]
    found = hash_texts(pa.array(texts, pa.string()), np.full(len(texts), SEED, np.uint32))
    assert found.view(np.int32).tolist() == expected
