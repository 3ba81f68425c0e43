"""Reads of tables that are damaged, lie in odd places, were renamed inside, or are asked for as they once were."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException

import deltaresolver.spark as ds
from deltaresolver.errors import (
    DataFileMissingError,
    DataFileUnreadableError,
    DeletionVectorUnreadableError,
    DeltaResolverError,
    FieldIdsNeededError,
    ReadOptionInvalidError,
    TimestampOutOfRangeError,
    VersionNotFoundError,
)
from deltaresolver.spark.held_settings import session_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FIELD_IDS = "spark.sql.parquet.fieldId.read.enabled"
VECTORS = {"delta.enableDeletionVectors": "true"}


def commit_file(path: Path, version: int) -> Path:
    return path / "_delta_log" / f"{version:020}.json"


def edit_actions(path: Path, version: int, kind: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change all actions of a kind in one commit, as another writer might have written them."""
    file = commit_file(path, version)
    actions = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for action in actions:
        if kind in action:
            change(action[kind])
    file.write_text("".join(json.dumps(action) + "\n" for action in actions), encoding="utf-8")
    for checksum in file.parent.glob("*.crc"):
        checksum.unlink()


def data_files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*.parquet") if "_delta_log" not in file.parts)


def ids(spark: SparkSession, path: Path, **choices: Any) -> list[int]:
    return sorted(row.id for row in ds.read(spark, path, **choices).collect())


def test_a_missing_data_file_is_named_where_it_is_needed(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(3).coalesce(1), path)
    ds.write(spark.range(10, 12).coalesce(1), path, mode="append")
    first = data_files(path)
    lost = next(file for file in first if pq.read_table(file)["id"][0].as_py() == 10)
    lost.unlink()
    with pytest.raises(DataFileMissingError) as missing:
        ds.read(spark, path)
    assert missing.value.code == "DR752"
    assert lost.name in str(missing.value)
    assert ids(spark, path, version=0) == ids(spark, path, where="id < 5") == [0, 1, 2]


@pytest.mark.parametrize("damage", ["overwritten", "cut short", "gone since"])
def test_a_damaged_data_file_is_named_where_that_is_asked_for(spark: SparkSession, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "t é"
    ds.write(spark.range(3).coalesce(1), path)
    (file,) = data_files(path)
    whole = file.read_bytes()
    for checksum in file.parent.glob(".*.crc"):
        checksum.unlink()
    rows = ds.read(spark, path)
    if damage == "gone since":
        file.unlink()
    else:
        file.write_bytes(whole[:60] if damage == "cut short" else b"PAR1" + b"\x07" * (len(whole) - 8) + b"PAR1")
    with pytest.raises(Exception, match=file.name) as raw:
        rows.collect()
    assert not isinstance(raw.value, DeltaResolverError)
    with pytest.raises(DeltaResolverError) as told, ds.clear_errors():
        rows.collect()
    error = told.value
    assert isinstance(error, DataFileMissingError if damage == "gone since" else DataFileUnreadableError)
    assert f"{path}/{file.parent.name}/{file.name}" in error.message
    assert f"of the table {path}" in error.message
    assert error.details["table"] == str(path)
    assert (f"It has 60 bytes, and {len(whole):,} by the log." in error.message) is (damage == "cut short")
    assert pickle.loads(pickle.dumps(error)).message == error.message


def test_other_errors_go_through_as_they_are(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match="once") as error, ds.clear_errors():
        spark.sql("select raise_error('once')").collect()
    assert not isinstance(error.value, DeltaResolverError)
    with pytest.raises(ValueError, match="mine"), ds.clear_errors():
        raise ValueError("mine")


def test_partitions_in_folders_of_writes(spark: SparkSession, tmp_path: Path) -> None:
    """More partitions than are read one by one: Spark finds them in folder names, of each write by itself."""
    path = tmp_path / "t"
    for start in (0, 100):
        rows = spark.range(start, start + 40).selectExpr("id", "cast(id % 20 as int) p", "concat('x ', id % 3) q")
        ds.write(rows.repartition(1), path, mode="append", partition_by=("p", "q"))
    found = ds.read(spark, path)
    assert sorted(map(tuple, found.collect())) == [
        (number, number % 20, f"x {number % 3}") for start in (0, 100) for number in range(start, start + 40)
    ]
    plan = found.where("p = 3").select("id")._jdf.queryExecution().executedPlan().toString()
    assert "BroadcastHashJoin" not in plan
    assert "PartitionFilters: [isnotnull(p" in plan


def test_columns_known_by_ids_alone_need_the_sessions_help(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.sql("select 1L id, 'a' city").coalesce(1), path, properties={"delta.columnMapping.mode": "id"})
    (file,) = data_files(path)
    stored = pq.read_table(file)
    pq.write_table(pa.table(stored.columns, schema=renamed(stored.schema)), file)
    for checksum in file.parent.glob(".*.crc"):
        checksum.unlink()
    edit_actions(path, 0, "add", lambda add: add.update(size=file.stat().st_size))
    with (
        session_settings(spark, {FIELD_IDS: "false"}),
        pytest.raises(FieldIdsNeededError, match="Column 1 is called other_0") as needed,
    ):
        ds.read(spark, path)
    assert needed.value.code == "DR754"
    assert FIELD_IDS in (needed.value.fix or "")
    with session_settings(spark, {FIELD_IDS: "true"}):
        assert [tuple(row) for row in ds.read(spark, path).collect()] == [(1, "a")]


def renamed(schema: pa.Schema) -> pa.Schema:
    """The same columns, with the same ids, by names of another format's."""
    return pa.schema([field.with_name(f"other_{place}") for place, field in enumerate(schema)])


def test_odd_characters_in_every_part_of_a_path(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a b%20c {d}[e] #é+&='" / "t*?"
    rows = "select id, case id % 3 when 0 then 'x y/%=:?#*{[' when 1 then 'é😀' end g from range(9)"
    ds.write(spark.sql(rows).coalesce(1), path, partition_by="g", properties=VECTORS)
    ds.delete(spark, path, "id in (3, 4, 5)")
    wanted = sorted(str(row) for row in spark.sql(rows).where("id not in (3, 4, 5)").collect())
    assert sorted(str(row) for row in ds.read(spark, path).collect()) == wanted
    assert ids(spark, path, where="g = 'é😀'") == [1, 7]


def test_deletion_vectors_at_absolute_paths(spark: SparkSession, tmp_path: Path) -> None:
    path, outside = tmp_path / "t", tmp_path / "else where%41"
    outside.mkdir()
    ds.write(spark.range(9).coalesce(1), path, properties=VECTORS)
    ds.delete(spark, path, "id in (2, 5)")
    (vector,) = path.rglob("*.bin")
    moved = vector.rename(outside / vector.name)
    edit_actions(
        path, 1, "add", lambda add: add["deletionVector"].update(storageType="p", pathOrInlineDv=moved.as_uri())
    )
    assert ids(spark, path) == [0, 1, 3, 4, 6, 7, 8]
    damaged = bytearray(moved.read_bytes())
    damaged[-1] ^= 1
    moved.write_bytes(damaged)
    with pytest.raises(DeletionVectorUnreadableError):
        ds.read(spark, path).collect()


def test_names_inside_of_structs_can_change(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    rows = "select 1L id, named_struct('x', 1, 'z', array(named_struct('x', 2))) s, map('k', named_struct('x', 3)) m"
    ds.write(spark.sql(rows), path, properties={"delta.columnMapping.mode": "name"})
    (metadata,) = [
        json.loads(line) for line in commit_file(path, 0).read_text(encoding="utf-8").splitlines() if "metaData" in line
    ]
    schema = metadata["metaData"]["schemaString"]
    assert schema.count('"name":"x"') == 3
    metadata["metaData"]["schemaString"] = schema.replace('"name":"x"', '"name":"new x"')
    commit_file(path, 1).write_text(json.dumps(metadata) + "\n", encoding="utf-8")
    (row,) = ds.read(spark, path).collect()
    assert row.asDict(True) == {"id": 1, "s": {"new x": 1, "z": [{"new x": 2}]}, "m": {"k": {"new x": 3}}}
    assert ids(spark, path, where="s.`new x` = 1") == [1]
    (before,) = ds.read(spark, path, version=0).collect()
    assert before.s.x == 1


def test_earlier_versions_and_moments_are_read(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    for version in range(3):
        ds.write(spark.range(version, version + 1).coalesce(1), path, mode="append")
        moment = 1_700_000_000 + 60 * version
        os.utime(commit_file(path, version), (moment, moment))
    assert [ids(spark, path, version=version) for version in range(3)] == [[0], [0, 1], [0, 1, 2]]
    assert ids(spark, path, options={"VERSIONASOF": "1"}) == [0, 1]
    assert ids(spark, path, timestamp="2023-11-14 22:14:20") == [0, 1]
    assert ids(spark, path, options={"timestampAsOf": "2023-11-14 22:14:19"}) == [0]
    with pytest.raises(VersionNotFoundError):
        ds.read(spark, path, version=3)
    for outside in ("2023-11-14 22:13:19", "2023-11-14 22:15:21"):
        with pytest.raises(TimestampOutOfRangeError):
            ds.read(spark, path, timestamp=outside)
    with pytest.raises(ReadOptionInvalidError):
        ds.read(spark, path, version=1, options={"timestampAsOf": "2023-11-14"})
