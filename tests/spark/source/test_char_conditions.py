"""replaceWhere of the data source on char(n) columns: what partition values cannot judge is evaluated row by row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import types

import deltaresolver.spark as ds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

CHAR = {"__CHAR_VARCHAR_TYPE_STRING": "char(4)"}
SCHEMA = types.StructType(
    [
        types.StructField("id", types.IntegerType()),
        types.StructField("c", types.StringType(), True, CHAR),
        types.StructField("p", types.StringType()),
    ]
)
ROWS = [(1, "aa", "x"), (2, "bb", "x"), (3, "aa", "y"), (4, "bb", "y"), (5, None, "y")]
NEW = (12, "bb", "x")


def test_only_rows_of_the_condition_are_replaced(spark: SparkSession, tmp_path: Path) -> None:
    ds.register(spark)
    cases = [
        ("c = 'bb'", [1, 3, 5, 12]),
        ("c = 'bb  '", None),
        ("c IN ('bb', 'zz')", [1, 3, 5, 12]),
        ("p = 'x' AND c = 'bb'", [1, 3, 4, 5, 12]),
        ("c = 'bb' AND id > 3", [1, 2, 3, 5, 12]),
        ("c > 'aa' AND p = 'x'", [1, 3, 4, 5, 12]),
        ("NOT (c = 'aa')", [1, 3, 5, 12]),
        ("p = 'x' AND length(c) = 2", None),
    ]
    for by in ([], ["c"]):
        for number, (condition, left) in enumerate(cases):
            path = str(tmp_path / f"{''.join(by)}{number}")
            ds.write(spark.createDataFrame(ROWS, SCHEMA).coalesce(1), path, partition_by=by)
            writer = spark.createDataFrame([NEW], SCHEMA).write.format("deltaresolver").mode("overwrite")
            if left is None:
                # The new row does not satisfy it as it is given, or tasks cannot evaluate it.
                with pytest.raises(Exception, match=r"DR714|DR781|not among those|cannot evaluate"):
                    writer.option("replaceWhere", condition).save(path)
            else:
                writer.option("replaceWhere", condition).save(path)
            found = sorted(row.id for row in ds.read(spark, path).collect())
            assert found == (left or [1, 2, 3, 4, 5]), (by, condition)
