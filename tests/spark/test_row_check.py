"""A constraint is added to a table with rows once Spark has looked at them, deletion vectors included."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import ConstraintRefusedError, RowViolationError
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_rows_are_checked_before_a_constraint_is_added(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    ds.write(spark.sql("SELECT * FROM VALUES (1L, 'a'), (2L, NULL), (3L, 'c') AS t(id, v)"), path)
    table = Table(path)
    check = ds.row_check(spark, path)
    with pytest.raises(ConstraintRefusedError, match="1 rows break it") as raised:
        table.add_constraint("named", "v IS NOT NULL AND length(v) = 1", row_check=check)
    assert raised.value.delta_condition == "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"
    with pytest.raises(ConstraintRefusedError):
        table.add_constraint("null_is_broken", "v < 'z'", row_check=check)
    ds.delete(spark, path, "v IS NULL")
    table.add_constraint("named", "v IS NOT NULL AND length(v) = 1", row_check=check)
    with pytest.raises(RowViolationError):
        ds.write(spark.sql("SELECT 4L id, 'long' v"), path, mode="append")
