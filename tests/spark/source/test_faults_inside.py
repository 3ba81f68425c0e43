"""Whatever is raised inside the data source comes out as an error of this library, at every entry that Spark calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql.datasource import DataSource, InputPartition

import deltaresolver.spark as ds
from deltaresolver.errors import DataSourceFailedError, RowsUnaccountedError
from deltaresolver.spark.source import data_source
from deltaresolver.spark.source.batch import reader as batch_reader
from deltaresolver.spark.source.batch import task_files
from deltaresolver.spark.source.batch import writer as batch_writer
from deltaresolver.spark.source.batch.file_tasks import FileTask
from deltaresolver.spark.source.older_spark import ReadMaxFiles
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import parse_source_options
from deltaresolver.spark.source.stream import reader as stream_reader
from deltaresolver.spark.source.stream import writer as stream_writer
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

pytestmark = pytest.mark.spark

FORMAT = "deltaresolver"


class Injected(pa.ArrowNotImplementedError, StopIteration):  # type: ignore[misc]
    """What Spark would take for a method that is not there, or for the end of the rows."""


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> Path:
    ds.register(spark)
    ds.write(spark.range(3), tmp_path / "t", mode="append")
    return tmp_path / "t"


@pytest.fixture
def schema(spark: SparkSession) -> StructType:
    return spark.range(1).schema


def faulty(*_: object, **__: object) -> Any:
    raise Injected("no kernel")


def source(path: Path) -> data_source.DeltaSource:
    return data_source.DeltaSource({"path": str(path)})


def made(path: Path, schema: StructType) -> dict[str, Any]:
    """What Spark gets of the data source, by class."""
    asked = source(path)
    return {
        "source": asked,
        "reader": batch_reader.FilteringDeltaReader(
            parse_source_options({"path": str(path)}), SourceSettings(), schema
        ),
        "writer": asked.writer(schema, False),
        "stream reader": asked.streamReader(schema),
        "stream writer": asked.streamWriter(schema, False),
    }


class Broken:
    """Anything done with it fails."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Injected(name)


_BROKEN: Any = Broken()
CALLS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("reader", "partitions"): lambda it: it.partitions(),
    ("reader", "read"): lambda it: list(it.read(InputPartition(FileTask(())))),
    ("reader", "pushFilters"): lambda it: it.pushFilters(Broken()),
    ("writer", "write"): lambda it: it.write(iter([Broken()])),
    ("writer", "commit"): lambda it: it.commit([Broken()]),
    ("writer", "abort"): lambda it: it.abort([None]),
    ("stream reader", "initialOffset"): lambda it: it.initialOffset(),
    ("stream reader", "getDefaultReadLimit"): lambda it: it.getDefaultReadLimit(),
    ("stream reader", "prepareForTriggerAvailableNow"): lambda it: it.prepareForTriggerAvailableNow(),
    ("stream reader", "latestOffset"): lambda it: it.latestOffset(Broken(), ReadMaxFiles(1)),
    ("stream reader", "reportLatestOffset"): lambda it: it.reportLatestOffset(),
    ("stream reader", "partitions"): lambda it: it.partitions(Broken(), Broken()),
    ("stream reader", "commit"): lambda it: it.commit(Broken()),
    ("stream reader", "read"): lambda it: list(it.read(InputPartition(FileTask(())))),
    ("stream writer", "write"): lambda it: it.write(iter([Broken()])),
    ("stream writer", "commit"): lambda it: it.commit([], 0),
    ("stream writer", "abort"): lambda it: it.abort([None, stream_writer.StreamTaskResult(_BROKEN, (), 0, None)], 0),
}
ATTRIBUTES = ("_asked", "_source", "_read", "_stream", "_table", "_plan", "_commits", "_initial", "_application")


@pytest.mark.parametrize(("kind", "name"), CALLS)
def test_a_fault_comes_out_as_an_error_of_this_library(table: Path, schema: StructType, kind: str, name: str) -> None:
    entry = made(table, schema)[kind]
    for attribute in ATTRIBUTES:
        if hasattr(entry, attribute):
            setattr(entry, attribute, Broken())
    if hasattr(entry, "_is_done"):
        entry._is_done = False
    with pytest.raises(DataSourceFailedError) as failed:
        CALLS[kind, name](entry)
    assert not isinstance(failed.value, NotImplementedError | StopIteration)
    assert failed.value.__notes__[0] == f"fix: {failed.value.fix}"
    assert "DR726" in failed.value.__notes__[1]


@pytest.mark.parametrize("name", ["schema", "reader", "writer", "streamReader", "streamWriter"])
def test_a_fault_while_spark_asks_the_source_comes_out_as_an_error_of_this_library(
    table: Path, schema: StructType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_source, "parse_source_options", faulty)
    more = {"writer": (False,), "streamWriter": (False,)}.get(name, ())
    with pytest.raises(DataSourceFailedError):
        getattr(source(table), name)(*(() if name == "schema" else (schema, *more)))


def test_every_entry_is_in_the_list() -> None:
    kinds = {
        "reader": batch_reader.FilteringDeltaReader,
        "writer": batch_writer.BatchWriter,
        "stream reader": stream_reader.StreamReader,
        "stream writer": stream_writer.StreamWriter,
    }
    own = {
        (kind, name)
        for kind, entry in kinds.items()
        for base in entry.__mro__
        if base.__module__.startswith("deltaresolver")
        for name, value in vars(base).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }
    assert own == CALLS.keys()
    assert issubclass(data_source.DeltaSource, DataSource)


@pytest.mark.parametrize("made_empty", ["new", "deleted"])
def test_filters_on_a_table_without_files(spark: SparkSession, tmp_path: Path, made_empty: str) -> None:
    ds.register(spark)
    path = str(tmp_path / "t")
    ds.write(spark.sql("select 1L id, 'a' p" + (" where false" if made_empty == "new" else "")), path, mode="append")
    if made_empty == "deleted":
        ds.delete(spark, path, "id >= 0")
    frame = spark.read.format(FORMAT).load(path)
    for condition in ("id > 0", "id is null", "p = 'a'", "id in (1, 2) and p like 'a%'", "id <=> 1"):
        assert frame.where(condition).collect() == []
        assert frame.where(condition).count() == 0
    frame.createOrReplaceTempView("empty_table")
    assert spark.sql("select * from empty_table where id = 1").collect() == []
    left_out = spark.read.format(FORMAT).option("filesWhere", "id > 100").load(path)
    assert left_out.where("id > 0").collect() == []


@pytest.mark.parametrize("stream", [False, True])
def test_rows_that_the_tasks_lose_are_noticed(
    table: Path, schema: StructType, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    batch = pa.RecordBatch.from_pydict({"id": pa.array(range(10), pa.int64())})
    before = set(table.rglob("*.parquet"))
    finish = task_files.TaskFiles.finish
    options = {"path": str(table), "txnAppId": "test"} if stream else {"path": str(table)}
    asked = data_source.DeltaSource(options)

    def attempt(name: str) -> None:
        kind: Any = asked.streamWriter(schema, False) if stream else asked.writer(schema, False)
        messages = [kind.write(iter([batch.slice(0, 4)])), kind.write(iter([batch.slice(4)]))]
        kind.commit(messages, 7) if stream else kind.commit(messages)

    write = task_files.TaskFiles.write
    losses: dict[str, Callable[..., Any]] = {
        "finish": lambda self: finish(self)[1:],
        "write": lambda self, rows: write(self, rows.slice(1)),
    }
    for name, lossy in losses.items():
        with monkeypatch.context() as patch:
            patch.setattr(task_files.TaskFiles, name, lossy)
            with pytest.raises(RowsUnaccountedError):
                attempt(name)
        assert set(table.rglob("*.parquet")) == before
        assert Table(table).snapshot().table_version == 0
    attempt("well")
    metrics = Table(table).history(1)[0].info.fields["operationMetrics"]
    assert (metrics["numOutputRows"], metrics["rowsAccountedFor"]) == ("10", "10")
    assert parse_source_options(options).path == str(table)
