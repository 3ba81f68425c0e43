"""Rows that lose or keep what the log holds about their file: by conditions for few files, by a join for many."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pyspark.errors import PySparkException

from deltaresolver.spark.reading.file_facts import KEY, ROW, FileFacts, row_commit_version, row_id, with_facts
from deltaresolver.spark.reading.file_keys import MetadataKeys

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

ROWS = 9_000
"""Of each file: some chunks of them, and mostly more than marked rows reach."""
HUGE = 1 << 25
"""A position by which a file has more rows than words are joined for."""
PATHS = ["file:/t/a'b", "file:/t/a\\b", 'file:/t/"é"', "file:/t/c%20d"]
FEW: list[list[int]] = [
    [],
    [0],
    [63, 64, 127, 128],
    list(range(4_000, 4_200)),
    [4_095, 4_096, 8_192, ROWS - 1],
    sorted(random.Random(6).sample(range(ROWS), 2_000)),
]


def rows_of(spark: SparkSession, keys: list[int] | list[str]) -> DataFrame:
    """Every row of every file."""
    files = spark.createDataFrame([(key,) for key in keys], f"{KEY} {'long' if isinstance(keys[0], int) else 'string'}")
    return files.crossJoin(spark.range(ROWS).withColumnRenamed("id", ROW))


@pytest.mark.parametrize("keep_marked", [False, True])
@pytest.mark.parametrize(("files", "is_huge"), [(len(FEW), False), (40, False), (len(FEW), True)])
def test_marked_rows_are_told_apart_from_the_others(
    spark: SparkSession, files: int, is_huge: bool, keep_marked: bool
) -> None:
    marked = [FEW[number % len(FEW)] for number in range(files)]
    keys = MetadataKeys(list(range(files)), "file_size")
    far = [HUGE] if is_huge else []
    facts = FileFacts(keys, marked=[np.array([*each, *far], np.int64) for each in marked])
    found = with_facts(spark, rows_of(spark, list(range(files))), facts, keep_marked=keep_marked)
    assert ("BroadcastHashJoin" in plan_of(found)) is (files > 32 or is_huge)
    numbers = found.selectExpr(f"{KEY} * {ROWS} + {ROW} AS number").toArrow().column("number").to_numpy()
    expected = np.zeros((files, ROWS), bool)
    for place, rows in enumerate(marked):
        expected[place, rows] = True
    wanted = np.flatnonzero(expected.ravel() == keep_marked)
    assert np.array_equal(np.sort(numbers), wanted)


def test_files_are_told_apart_by_any_path(spark: SparkSession) -> None:
    marked = [np.array([number, 70 + number]) for number in range(len(PATHS))]
    keys = MetadataKeys(PATHS, "file_path")
    facts = FileFacts(keys, [("x'y",), (None,), ("\\",), ("é",)], marked, [0, None, 20, 30], [1, 2, None, 4])
    found = with_facts(spark, rows_of(spark, PATHS).where(f"{ROW} < 2"), facts)
    texts = "__deltaresolver_partition_0"
    shown = found.select(KEY, ROW, texts, row_id(None).alias("row"), row_commit_version(None).alias("version"))
    assert sorted(map(tuple, shown.collect()), key=str) == sorted(
        [
            (PATHS[0], 1, "x'y", 1, 1),
            (PATHS[1], 0, None, None, 2),
            (PATHS[2], 0, "\\", 20, None),
            (PATHS[2], 1, "\\", 21, None),
            (PATHS[3], 0, "é", 30, 4),
            (PATHS[3], 1, "é", 31, 4),
        ],
        key=str,
    )


@pytest.mark.parametrize("files", [2, 40])
def test_a_file_that_the_log_spells_otherwise_stops_the_query(spark: SparkSession, files: int) -> None:
    keys = list(range(files))
    marked = [np.array([5]) for _ in keys[1:]]
    for facts in (
        FileFacts(MetadataKeys(keys[1:], "file_size"), marked=marked),
        FileFacts(MetadataKeys(keys[1:], "file_size"), base_row_ids=keys[1:]),
    ):
        found = with_facts(spark, rows_of(spark, keys).where(f"{ROW} < 9"), facts)
        shown = found if facts.base_row_ids is None else found.select(row_id(None))
        with pytest.raises(PySparkException, match="the log has no file spelt 0"):
            shown.collect()


def plan_of(rows: DataFrame) -> str:
    """The physical plan."""
    return str(rows._jdf.queryExecution().executedPlan().toString())
