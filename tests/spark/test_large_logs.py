"""Of a log past a size Spark chooses the files: those that the driver would, and the driver holds no others."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import deltaresolver.spark as ds
from deltaresolver.errors import LogError, ReadOptionInvalidError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.pruning.chosen_files import Keep
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.large import large_log as large_logs
from deltaresolver.spark.large.large_log import REPLAY_ON_SPARK, chosen_files, large_log
from deltaresolver.spark.replay import in_log_order
from deltaresolver.table import Table
from tests.laws.random_logs import PATHS, RandomLog, random_logs
from tests.nasty import STRINGS, UNPARTITIONABLE_STRINGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

EVERY_LOG = {REPLAY_ON_SPARK: "-1", "spark.databricks.delta.snapshotPartitions": "2"}


def keep_of(paths: set[str]) -> Keep:
    return lambda files: files.filter(pc.is_in(files.column("path"), pa.array(sorted(paths), pa.string())))


def on_disk(log: RandomLog, folder: str) -> LocalStore:
    assert isinstance(log.builder.store, MemoryStore)
    store = LocalStore(folder)
    for file in list(log.builder.store.list_below("_delta_log/")):
        store.put(file.path, log.builder.store.read(file.path))
    return store


def outcome(work: Callable[[], pa.Table]) -> object:
    try:
        return work().to_pylist()
    except LogError as error:
        return type(error)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(log=random_logs(damage=True), paths=st.sets(st.sampled_from(PATHS)))
def test_spark_chooses_what_the_driver_would(spark: SparkSession, log: RandomLog, paths: set[str]) -> None:
    with TemporaryDirectory() as folder, session_settings(spark, EVERY_LOG):
        store = on_disk(log, folder)
        expected = outcome(lambda: keep_of(paths)(DeltaLog(store).snapshot().files()))
        assert outcome(lambda: chosen_files(spark, DeltaLog(store).snapshot(), keep_of(paths))) == expected


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files came to the driver, each time that Spark chose some."""
    found: list[int] = []
    collected = in_log_order

    def kept(files: pa.Table, snapshot: Snapshot) -> pa.Table:
        found.append(len(files))
        return collected(files, snapshot)

    monkeypatch.setattr(large_logs, "in_log_order", kept)
    return found


def table_of(spark: SparkSession, path: str) -> list[str]:
    """A table of one file in each partition, four rows in each; the values of its partitions."""
    values = [text for text in STRINGS if text and text not in UNPARTITIONABLE_STRINGS][:12]
    rows = [(number, value) for number in range(4) for value in values]
    ds.write(spark.createDataFrame(rows, "id int, p string").coalesce(1), path, partition_by=["p"])
    return values


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def test_a_read_with_a_condition_brings_the_files_it_chooses(
    spark: SparkSession, tmp_path: Path, counted: list[int]
) -> None:
    path = str(tmp_path / "t")
    one, *others = table_of(spark, path)
    with session_settings(spark, EVERY_LOG):
        assert ds.read(spark, path, where=f"p = {quoted(one)}").count() == 4
        assert counted == [1]
        assert ds.read(spark, path, where="id > 100").count() == 0
        assert counted == [1, 0]
        assert ds.read(spark, path).count() == 4 * (1 + len(others))
    assert counted == [1, 0]


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_statements_bring_the_files_that_they_change(
    spark: SparkSession, tmp_path: Path, counted: list[int], vectors: str
) -> None:
    path = str(tmp_path / "t")
    values = table_of(spark, path)
    Table(path).alter({"delta.enableDeletionVectors": vectors})
    first, second, third, *rest = values
    with session_settings(spark, EVERY_LOG):
        ds.delete(spark, path, f"p = {quoted(first)}")
        # One file of each partition, of which Spark says whether it is meant; then those that are.
        assert counted == [len(values), 1]
        ds.update(spark, path, {"id": "id + 10"}, f"p = {quoted(second)} AND id = 3")
        assert counted[2:] == [len(values) - 1, 1]
        source = spark.createDataFrame([(0, third), (77, third)], "id int, p string").alias("s")
        table = ds.DeltaTable.forPath(spark, path).alias("t")
        merging = table.merge(source, f"t.id = s.id AND t.p = s.p AND t.p = {quoted(third)}")
        merging.whenMatchedDelete().whenNotMatchedInsertAll().execute()
        assert counted[-1] in (1, 2)  # the UPDATE left one file, or two, in the second partition
    found = {(row.id, row.p) for row in ds.read(spark, path).collect()}
    expected = {(number, value) for number in range(4) for value in rest}
    expected |= {(0, second), (1, second), (2, second), (13, second)}
    expected |= {(1, third), (2, third), (3, third), (77, third)}
    assert found == expected


def test_the_driver_reads_the_log_where_spark_cannot(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = str(tmp_path / "t")
    table_of(spark, path)

    def fails_elsewhere(files: pa.Table) -> pa.Table:
        if "number" in files.column_names:
            raise ModuleNotFoundError("No module named 'deltaresolver'")
        return files.filter(pc.equal(files.column("size"), 0))

    with session_settings(spark, EVERY_LOG), caplog.at_level(logging.WARNING, "deltaresolver.spark"):
        assert len(chosen_files(spark, Table(path).snapshot(), fails_elsewhere)) == 0
    assert "the driver reads it" in caplog.text


def test_a_setting_that_is_not_a_number_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    table_of(spark, path)
    with (
        session_settings(spark, {REPLAY_ON_SPARK: "many"}),
        pytest.raises(ReadOptionInvalidError, match="a number of actions"),
    ):
        ds.read(spark, path, where="id = 1")


def test_small_logs_and_files_that_are_held_stay_in_the_driver(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    table_of(spark, path)
    snapshot = Table(path).snapshot()
    assert large_log(spark, snapshot) is None
    with session_settings(spark, EVERY_LOG):
        assert large_log(spark, snapshot) is not None
        snapshot.files()
        assert large_log(spark, snapshot) is None
