"""Neither the footer nor the log states bounds of a column with NaN; those of other columns and files stay."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.spark.source.batch import task_files
from deltaresolver.spark.source.batch.nan_columns import fraction_leaves, with_nan
from deltaresolver.spark.source.batch.task_files import FileShape, TaskFiles
from deltaresolver.spark.writing.statistics.file_statistics import IndexedColumn, StatisticsShape
from deltaresolver.spark.writing.written_data import FileLayout
from tests import nasty

FIELDS = (
    StructField("d", "double"),
    StructField("f.x", "float"),
    StructField("s", StructType((StructField("f", "float"), StructField("n", "long")))),
)
LEAVES = (("d",), ("f.x",), ("s", "f"))
INDEXED = StatisticsShape((IndexedColumn(("d",), "double"), IndexedColumn(("s", "n"), "long")))


def batch(values: list[float]) -> pa.RecordBatch:
    with np.errstate(over="ignore"):
        singles = [float(np.float32(value)) for value in values]
    inner = [None if place % 3 == 2 else {"f": each, "n": place} for place, each in enumerate(singles)]
    arrays = [pa.array(values, pa.float64()), pa.array(singles, pa.float32())]
    kinds = pa.struct([("f", pa.float32()), ("n", pa.int64())])
    return pa.RecordBatch.from_arrays([*arrays, pa.array(inner, kinds)], ["d", "f.x", "s"])


def files_of(folder: Path, *batches: pa.RecordBatch) -> list[tuple[dict[str, object], pq.FileMetaData]]:
    layout = FileLayout(partition_columns=(), statistics=INDEXED)
    shape = FileShape(LocalStore(folder), "t", FIELDS, (), "none", layout)
    files = TaskFiles(shape, "00000")
    for each in batches:
        files.write(each)
    return [
        (json.loads(add.stats or "{}"), pq.read_metadata(folder / "t" / Path(add.path).name)) for add in files.finish()
    ]


def bounded(footer: pq.FileMetaData) -> set[str]:
    group = footer.row_group(0)
    chunks = [group.column(number) for number in range(group.num_columns)]
    return {each.path_in_schema for each in chunks if each.is_stats_set and each.statistics.has_min_max}


@pytest.mark.parametrize("value", nasty.FLOATS, ids=repr)
def test_only_files_with_nan_lose_their_bounds(tmp_path: Path, value: float) -> None:
    ((stats, footer),) = files_of(tmp_path, batch([1.5, value, -2.0]))
    has_nan = math.isnan(value)
    assert bounded(footer) == {"s.n"} if has_nan else {"d", "f.x", "s.f", "s.n"} <= bounded(footer) | {"s.f"}
    low = stats["minValues"]
    assert isinstance(low, dict)
    assert ("d" in low) == (not has_nan and value != -math.inf)
    assert low["s"] == {"n": 0}


def test_nan_in_one_column_leaves_the_others_their_bounds(tmp_path: Path) -> None:
    rows = batch([1.0, 2.0]).set_column(1, "f.x", pa.array([math.nan, 1.0], pa.float32()))
    assert bounded(files_of(tmp_path, rows)[0][1]) == {"d", "s.f", "s.n"}


def test_nan_that_comes_after_bounds_were_written_goes_to_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_files, "_GROUP_ROWS", 2)
    parts = [batch([1.0, 2.0]), batch([3.0, math.nan]), batch([5.0, 6.0])]
    found = files_of(tmp_path, *parts)
    assert [(stats["numRecords"], "d" in bounded(footer)) for stats, footer in found] == [(2, True), (4, False)]


@pytest.mark.parametrize("kind", [pa.list_(pa.float64()), pa.map_(pa.string(), pa.float32()), pa.string()], ids=str)
def test_elements_of_collections_have_no_order(kind: pa.DataType) -> None:
    assert fraction_leaves(pa.schema([("c", kind)])) == ()


def test_nan_is_found_inside_of_structs() -> None:
    rows = batch([1.0, math.nan])
    assert fraction_leaves(rows.schema) == LEAVES
    assert with_nan(rows, LEAVES) == set(LEAVES)
    assert with_nan(batch([1.0, math.inf]), LEAVES) == frozenset()
