"""Why NOT NULL is shown only where files promise it: delta-spark always shows it, and then counts nulls as values."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltaresolver.spark as ds
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark
from tests.spark.reading.test_not_null import DECLARED, holding_nulls, rows_of

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]


def test_a_file_that_breaks_its_table(delta_spark: DeltaSpark, tmp_path: Path) -> None:
    holding_nulls(tmp_path / "t", None)
    theirs, ours = delta_spark.read(tmp_path / "t"), ds.read(delta_spark.spark, tmp_path / "t")
    assert [(field.name, field.nullable) for field in theirs.schema] == [("a", False), ("b", False)]
    assert (theirs.where("a IS NULL").count(), theirs.selectExpr("count(a)").first()) == (0, (3,))
    assert (ours.where("a IS NULL").count(), ours.selectExpr("count(a)").first()) == (1, (2,))


def test_whole_tables_have_one_schema(delta_spark: DeltaSpark, tmp_path: Path) -> None:
    Table.create(tmp_path, DECLARED, partition_columns=["p"])
    for _ in range(2):
        theirs, ours = delta_spark.read(tmp_path), ds.read(delta_spark.spark, tmp_path)
        names = [field.name for field in theirs.schema]
        assert [field.nullable for field in ours.schema] == [field.nullable for field in theirs.schema], names
        ds.write(rows_of(delta_spark.spark), tmp_path, mode="append")
