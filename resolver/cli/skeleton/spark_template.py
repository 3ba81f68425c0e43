"""The text of the test that takes a table with the new feature through Spark."""

from __future__ import annotations

from string import Template

SPARK_TEST = Template('''\
"""A table with $feature is created, written, read and rid of the feature again, through Spark."""

from collections.abc import Iterator
from pathlib import Path

import deltaresolver.spark as ds
import pytest
from deltaresolver import Table, default_catalog
${error_import}from pyspark.sql import SparkSession

import $module as plugin

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A session of one core."""
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A table that has the feature."""
    assert "$feature" in default_catalog(), "install the package first: pip install -e ."
    properties = {$properties}
    Table.create(str(tmp_path / "table"), "id BIGINT, note STRING", properties=properties)
    return str(tmp_path / "table")


def test_rows_are_written_and_read(spark: SparkSession, path: str) -> None:
    """What was written is what is read, and the table lists the feature."""
    ds.write(spark.createDataFrame([(1, "one"), (2, "two")], "id BIGINT, note STRING"), path, mode="append")
    assert "$feature" in Table(path).protocol.listed_features
    assert sorted(row.id for row in ds.read(spark, path).collect()) == [1, 2]
$condition_test

def test_the_feature_can_be_dropped(spark: SparkSession, path: str) -> None:
    """Afterwards the table no longer lists it, and its rows are there."""
    ds.write(spark.createDataFrame([(1, "one")], "id BIGINT, note STRING"), path, mode="append")
    Table(path).drop_feature("$feature")
    assert "$feature" not in Table(path).protocol.listed_features
    assert ds.read(spark, path).count() == 1
''')

CONDITION_TEST = '''

def test_rows_that_break_the_condition_are_refused(spark: SparkSession, path: str) -> None:
    """Nothing of such a write gets in."""
    with pytest.raises(RowViolationError):
        ds.write(spark.createDataFrame([(3, "three"), (0, "none")], "id BIGINT, note STRING"), path, mode="append")
    assert ds.read(spark, path).count() == 0
'''
"""Beside the others, where the feature has conditions for rows."""
