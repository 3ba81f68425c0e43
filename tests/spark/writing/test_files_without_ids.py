"""Files without ids in a table that is mapped by id: no statement takes their columns for columns of nulls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import DeltaResolverError
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.session import is_of_spark
from deltaresolver.table import Table
from tests.nasty import COLUMN_NAMES, STRINGS
from tests.spark.writing.test_files_passed_over import USES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

READ_IDS = "spark.sql.parquet.fieldId.read.enabled"
NULLS = {READ_IDS: "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "true"}
"""In a session like this, Spark gives null for columns whose ids a file lacks."""
BY_NAME = {**NULLS, READ_IDS: "false"}
"""In one like this, it finds them by their names."""


def without_ids(file: Path) -> None:
    """The same file, as a writer leaves it that knows nothing of ids; its size may be another."""
    stored = pq.read_table(file)
    plain = pa.schema([pa.field(field.name, field.type) for field in stored.schema])
    pq.write_table(pa.table(stored.columns, schema=plain), file)
    for checksum in file.parent.glob(".*.crc"):
        checksum.unlink()


@pytest.mark.parametrize("use", USES)
def test_no_statement_takes_them_for_nulls(spark: SparkSession, tmp_path: Path, use: str) -> None:
    path, name = tmp_path / "t", COLUMN_NAMES[-1]
    for start in (0, 4):
        rows = spark.range(start, start + 4, 1, 1).selectExpr("id", "id w", f"'{STRINGS[0]}' `{name}`")
        ds.write(rows, path, mode="append", properties={"delta.columnMapping.mode": "id"})
    before, version = sorted(map(tuple, ds.read(spark, path).collect())), Table(path).update().table_version
    for file in path.rglob("*.parquet"):
        without_ids(file)
    with session_settings(spark, NULLS):
        with pytest.raises(Exception) as raised:  # noqa: PT011 - Spark's own, of several kinds
            USES[use](spark, path)
        assert is_of_spark(raised.value) or isinstance(raised.value, DeltaResolverError)
        assert Table(path).update().table_version == version, "a statement found rows that have no ids"
    with session_settings(spark, BY_NAME):
        assert sorted(map(tuple, ds.read(spark, path).collect())) == before


def test_where_columns_are_found_by_name_statements_do_their_work(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    ds.write(spark.range(0, 4, 1, 1).selectExpr("id", "id w"), path, properties={"delta.columnMapping.mode": "id"})
    for file in path.rglob("*.parquet"):
        without_ids(file)
    with session_settings(spark, BY_NAME):
        ds.update(spark, path, {"w": "7"}, "id = 1")
        assert sorted(map(tuple, ds.read(spark, path).collect())) == [(0, 0), (1, 7), (2, 2), (3, 3)]
