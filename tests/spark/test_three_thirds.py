"""A condition, its negation and its being null give every row between them, in files and in partitions, by each way."""

from __future__ import annotations

import random
from collections import Counter
from functools import reduce
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions

import deltaresolver.spark as ds
from deltaresolver.spark.held_settings import session_settings
from tests.differential.conditions import Conditions
from tests.differential.evaluation import Evaluation
from tests.differential.program import Column, Rows, Value
from tests.differential.session import FOR_FEW_ROWS
from tests.differential.tables import PARTITION_TYPES, TYPES, draw_pool
from tests.differential.values import arrow_table, as_tuples
from tests.nasty import MOMENTS

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
NUMBER = Column("row", "INT")
PAIRS = (("STRING", "DATE"), ("TIMESTAMP", "DOUBLE"), ("TIMESTAMP_NTZ", "DECIMAL(10,2)"), ("BOOLEAN", "INT"))
CONDITIONS = 8
BEYOND = {MOMENTS[0], MOMENTS[-1]}
"""PySpark's own worker fails for a moment in a filter that Python does not have in UTC."""
ANSI, ZONE = "spark.sql.ansi.enabled", "spark.sql.session.timeZone"


def table_of(
    spark: SparkSession, path: str, kinds: tuple[str, str], chance: random.Random
) -> tuple[list[Column], dict[str, tuple[Value, ...]], dict[int, tuple[Any, ...]]]:
    """Each kind once as a column of files and once as a partition, with some rows marked as deleted."""
    names = chance.sample(["_day", ".x", "é", "key", "a-b", "select"], 4)
    columns = [Column(name, kinds[place % 2]) for place, name in enumerate(names)]
    pools = {
        each.name.lower(): draw_pool(chance, each, is_partition=place > 1 and each.type in PARTITION_TYPES)
        for place, each in enumerate(columns)
    }
    values = [(number, *(chance.choice(pools[each.name.lower()]) for each in columns)) for number in range(24)]
    rows = Rows((NUMBER, *columns), tuple(values))
    frame = Evaluation(spark).frame(arrow_table(rows), rows.columns).coalesce(1)
    partition_by = [each.name for each in columns[2:]]
    ds.write(frame, path, partition_by=partition_by, properties={"delta.enableDeletionVectors": "true"})
    ds.DeltaTable.forPath(spark, path).delete("row in (3, 4)")
    return columns, pools, {int(row[0]): row for row in as_tuples(ds.read(spark, path).toArrow())}


def ways(spark: SparkSession, path: str, text: str) -> dict[str, DataFrame]:
    """The rows of a condition by each way into Spark."""
    return {
        "read, where=": ds.read(spark, path, where=text),
        "read and filter": ds.read(spark, path).where(text),
        "data source": spark.read.format("deltaresolver").load(path).where(text),
    }


def drawn(rows: DataFrame, conditions: Conditions) -> tuple[list[str], list[Any]]:
    """A condition that Spark can evaluate, its negation and its null, and what all rows are by them, none left out."""
    while True:
        condition = conditions.draw()
        thirds = [condition, f"NOT ({condition})", f"({condition}) IS NULL"]
        try:
            return thirds, rows.select("row", *(functions.expr(text) for text in thirds)).collect()
        except PySparkException:
            continue


@pytest.mark.parametrize("kinds", PAIRS, ids=" and ".join)
@pytest.mark.parametrize("ansi", [True, False], ids=["ANSI", "not ANSI"])
def test_a_condition_its_negation_and_its_being_null_give_all_rows(
    spark: SparkSession, tmp_path: Path, kinds: tuple[str, str], *, ansi: bool
) -> None:
    assert set(kinds) <= {*TYPES, *PARTITION_TYPES}
    chance = random.Random(f"{kinds} {ansi}")
    settings = {**FOR_FEW_ROWS, ANSI: str(ansi).lower(), ZONE: chance.choice(["UTC", "America/New_York", "+05:30"])}
    with session_settings(spark, settings):
        ds.register(spark)
        path = str(tmp_path / "t")
        columns, pools, rows = table_of(spark, path, kinds, chance)
        for number in range(CONDITIONS):
            thirds, wanted = drawn(ds.read(spark, path), Conditions(chance, columns, pools))
            found = Counter[tuple[str, int, int]]()
            # By the data source one of the three, as each starts processes.
            asked = [
                frame.select(functions.lit(way).alias("way"), functions.lit(place).alias("third"), "row")
                for place, text in enumerate(thirds)
                for way, frame in ways(spark, path, text).items()
                if way != "data source" or (number % 4 == place and not set(thirds[0].split("'")) & BEYOND)
            ]
            found.update(tuple(row) for row in reduce(lambda one, other: one.unionAll(other), asked).collect())
            for way in ("read, where=", "read and filter"):
                given = [row for (which, _, row), times in found.items() for _ in range(times) if which == way]
                assert sorted(given) == sorted(rows), (thirds[0], way)
            for way, place in {(way, place) for way, place, _ in found}:
                chosen = {row for which, third, row in found if (which, third) == (way, place)}
                assert chosen == {row[0] for row in wanted if row[1 + place] is True}, (way, thirds[place])
    ds.register(spark)
