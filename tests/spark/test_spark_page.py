"""docs/spark.md, maintenance.md and plan.md: every block of Python runs, on tables that have what the page supposes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver as dr
import deltaresolver.spark as ds
from deltaresolver.errors import ConcurrentAppendError, ConcurrentDeleteReadError
from deltaresolver.spark.tables import IdentityGenerator
from tests.unit.cli.pages import blocks_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

PAGES = ("docs/spark.md", "docs/maintenance.md", "docs/plan.md")
CONFLICT = "ConcurrentAppendError or ConcurrentDeleteReadError"
"""A block that says so ends with one of the two."""
COLUMNS = "id BIGINT, day STRING, kind STRING, place STRUCT<city: STRING>, amount DOUBLE, stale BOOLEAN"


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Iterator[Path]:
    """A folder for the pages' /lake and /export, with the tables that they take for granted."""
    ds.write(rows_of(spark), tmp_path / "lake" / "events", partition_by="day")
    for number in range(4):
        day = spark.createDataFrame([(number, "2026-01-01")], "id BIGINT, day STRING").selectExpr(
            "id", "CAST(day AS DATE) day"
        )
        if number == 0:
            ds.DeltaTable.create(spark).location(str(tmp_path / "lake" / "orders")).addColumn(
                "id", "BIGINT", generatedByDefaultAs=IdentityGenerator()
            ).addColumn("day", "DATE").partitionedBy("day").execute()
        ds.write(day, tmp_path / "lake" / "orders", mode="append")
    yield tmp_path
    spark.catalog.dropTempView("events")


def rows_of(spark: SparkSession) -> DataFrame:
    """Rows with every column that the pages name, one of them the 0 of the page."""
    rows = [(number, f"2024-05-0{number + 1}", "clck", ("bonn",), 1.0, False) for number in range(3)]
    return spark.createDataFrame(rows, COLUMNS)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_the_page_runs(spark: SparkSession, page: str, root: Path, lake: Path) -> None:
    updates = rows_of(spark).selectExpr("*", "id = 1 AS gone")
    names: dict[str, Any] = {"spark": spark, "updates": updates, "corrected": lambda rows: rows, "dr": dr, "ds": ds}
    for block in blocks_of((root / page).read_text(encoding="utf-8")):
        if block.language != "python":
            continue
        names["rows"] = rows_of(spark)
        code = block.text.replace('"/', f'"{lake}/').replace("'/", f"'{lake}/")
        with expected(code):
            exec(compile(code, page, "exec"), names)
        for query in spark.streams.active:
            query.awaitTermination(120)


def expected(code: str) -> AbstractContextManager[object]:
    """Whether a block ends with an error, as it says itself."""
    return pytest.raises((ConcurrentAppendError, ConcurrentDeleteReadError)) if CONFLICT in code else nullcontext()
