"""Reads of many files, and changes of many columns: every file is found, and work does not pile up on the driver."""

from __future__ import annotations

import json
import math
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deltaresolver.spark as ds
from tests.logs import PROTOCOL, add, lines, metadata
from tests.nasty import FOLDER_NAMES, MAPPED_ONLY_NAMES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ODD_NAMES = [name for name in (*FOLDER_NAMES, *MAPPED_ONLY_NAMES) if not name.startswith(("_", "."))]


def table_of_files(folder: Path, names: list[str]) -> Path:
    """A table in which the file of each name holds its place."""
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    actions: list[dict[str, Any]] = [PROTOCOL, metadata()]
    for place, name in enumerate(names):
        file = folder / f"{name}.parquet"
        pq.write_table(pa.table({"id": pa.array([place], pa.int64())}), file)
        actions.append(add(urllib.parse.quote(file.name), size=file.stat().st_size))
    (log / f"{0:020}.json").write_bytes(lines(actions))
    return folder


def test_files_of_any_name_are_read_when_they_are_many(spark: SparkSession, tmp_path: Path) -> None:
    table = table_of_files(tmp_path / "odd", ODD_NAMES)
    assert len(ODD_NAMES) > 16
    assert sorted(row.id for row in ds.read(spark, table).collect()) == list(range(len(ODD_NAMES)))


def calls_of_the_jvm(spark: SparkSession, work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    context: Any = spark.sparkContext
    client = context._gateway._gateway_client
    original = client.send_command
    commands: list[str] = []

    def send(command: str, *arguments: Any, **keywords: Any) -> Any:
        # Python tells the JVM which objects it has done with whenever it collects garbage.
        if not command.startswith("m\n"):
            commands.append(command)
        return original(command, *arguments, **keywords)

    with monkeypatch.context() as patch:
        patch.setattr(client, "send_command", send)
        work()
    return len(commands)


def test_a_read_calls_the_jvm_as_often_for_many_files_as_for_few(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def calls(files: int) -> int:
        table = table_of_files(tmp_path / str(files), [f"f{number}" for number in range(files)])
        ds.read(spark, table)
        return calls_of_the_jvm(spark, lambda: ds.read(spark, table), monkeypatch)

    assert math.log(calls(160) / calls(40), 4) <= 0.02


def test_a_merge_of_five_hundred_columns_of_text(spark: SparkSession, tmp_path: Path) -> None:
    names = [f"s{number}" for number in range(500)]
    target = spark.range(4).selectExpr("id", *(f"'old' AS {name}" for name in names))
    ds.write(target, tmp_path / "wide")
    source = spark.range(2, 6).selectExpr("id", *(f"'new' AS {name}" for name in names))
    merge = ds.DeltaTable.forPath(spark, tmp_path / "wide").alias("t").merge(source.alias("s"), "t.id = s.id")
    merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    rows = {row.id: set(row[1:]) for row in ds.read(spark, tmp_path / "wide").collect()}
    assert rows == {number: {"old" if number < 2 else "new"} for number in range(6)}
    operation = json.loads((tmp_path / "wide/_delta_log" / f"{1:020}.json").read_text().splitlines()[0])
    assert operation["commitInfo"]["operation"] == "MERGE"
