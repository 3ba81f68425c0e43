"""A table's live files replayed on Spark are those of the local replay, whatever the log is made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.lake import LogShape, live_file_count, write_log
from deltaresolver.defaults import built_in_catalog
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.replay import SNAPSHOT_PARTITIONS, replay
from deltaresolver.spark.session import find_setting
from deltaresolver.table import Table
from tests.logs import PROTOCOL, Json, LogBuilder, add, metadata, remove

CATALOG = built_in_catalog()

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

SHAPE = LogShape(12, 40)
VECTOR = {"storageType": "u", "pathOrInlineDv": "ab", "offset": 1, "sizeInBytes": 3, "cardinality": 2}


def as_rows(frame: DataFrame) -> list[Any]:
    return sorted((normal(row.asDict(recursive=True)) for row in frame.collect()), key=str)


def local_rows(table: Table, version: int | None = None) -> list[Any]:
    rows = table.snapshot(version).files().to_pylist()
    return sorted((normal(row) for row in rows), key=str)


def normal(row: dict[str, Any]) -> dict[str, Any]:
    """Maps as dictionaries, whichever side they come from."""
    return {name: dict(value) if isinstance(value, list) else value for name, value in row.items()}


@pytest.mark.parametrize("checkpoint", ["none", "classic", "parts", "v2"])
def test_replay_on_spark_finds_the_files_of_the_local_replay(
    spark: SparkSession, tmp_path: Path, checkpoint: str
) -> None:
    table = Table(write_log(tmp_path, SHAPE))
    if checkpoint == "parts":
        write_checkpoint(table.snapshot(7), table.log.store, CATALOG, part_size=50)
    elif checkpoint == "v2":
        table.alter({"delta.checkpointPolicy": "v2"})
        write_checkpoint(table.snapshot(), table.log.store, CATALOG, part_size=100)
    elif checkpoint == "classic":
        write_checkpoint(table.snapshot(7), table.log.store, CATALOG)
    found = replay(spark, table.log.store.location, 4)
    # A handle of its own: the other one carries files over from before the checkpoint.
    expected = local_rows(Table(table.log.store.location))
    assert len(expected) == live_file_count(SHAPE)
    assert as_rows(found) == expected
    assert found.schema.names == table.snapshot().files().column_names


def test_the_last_action_of_a_file_counts(spark: SparkSession, tmp_path: Path) -> None:
    table = tmp_path / "table"
    log = LogBuilder.local(table)
    vector: Json = {"deletionVector": VECTOR}
    log.commit(PROTOCOL, metadata(), add("a"), add("b"), add("./c"), add("d%20e"), add("gone"))
    log.commit(remove("a"), add("a", **vector), remove("c"), remove("d%20e"), add("d%20e", size=7))
    log.commit(remove("gone"), add("b", size=5), add("s3://other/x"))
    log.commit(add("gone", size=9), remove("a", **vector), remove("never"))
    found = as_rows(replay(spark, str(table)))
    assert {(row["path"], row["size"]) for row in found} == {
        (row["path"], row["size"]) for row in Table(table).snapshot().files().to_pylist()
    }
    assert found == local_rows(Table(table))
    assert as_rows(replay(spark, str(table), version=1)) == local_rows(Table(table), 1)


def test_partitions_are_those_of_the_setting(spark: SparkSession, tmp_path: Path) -> None:
    table = str(write_log(tmp_path, LogShape(2, 10)))
    with session_settings(spark, {SNAPSHOT_PARTITIONS: "3"}):
        assert partitions_of(replay(spark, table)) == 3
        assert partitions_of(replay(spark, table, 5)) == 5
    # A session of delta-spark's may have been started with the setting.
    assert partitions_of(replay(spark, table)) == int(find_setting(spark, SNAPSHOT_PARTITIONS) or 50)


def partitions_of(frame: DataFrame) -> int:
    return frame.rdd.getNumPartitions()
