"""Session settings come back as they were; schemas survive the way to Spark and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import ArrayType, MapType, StructField, StructType, encode_schema
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.schema import delta_schema, physical_schema, spark_schema, visible_schema
from deltaresolver.spark.session import find_setting, is_connect, session_time_zone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

KNOWN = "spark.sql.parquet.outputTimestampType"
UNKNOWN = "spark.deltaresolver.test"


def _mapped(name: str, number: int, kind: object) -> StructField:
    ids = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"c{number}", "comment": name}
    return StructField(name, kind, nullable=False, metadata=ids)  # type: ignore[arg-type]


NESTED = StructType((_mapped("x", 3, "integer"), _mapped("y", 4, "variant")))
SCHEMA = StructType(
    (
        _mapped("a", 1, "timestamp_ntz"),
        _mapped("b", 2, ArrayType(MapType("string", NESTED, False), False)),
        _mapped("d", 5, "decimal(10,2)"),
    )
)


def test_settings_hold_inside_the_block_and_are_restored(spark: SparkSession) -> None:
    before = find_setting(spark, KNOWN)
    with session_settings(spark, {KNOWN: "TIMESTAMP_MICROS", UNKNOWN: "1"}):
        assert (find_setting(spark, KNOWN), find_setting(spark, UNKNOWN)) == ("TIMESTAMP_MICROS", "1")
    assert (find_setting(spark, KNOWN), find_setting(spark, UNKNOWN)) == (before, None)


def test_a_setting_that_spark_refuses_leaves_the_others_as_they_were(spark: SparkSession) -> None:
    before = find_setting(spark, KNOWN)
    with pytest.raises(Exception, match="nonsense"), session_settings(spark, {UNKNOWN: "1", KNOWN: "nonsense"}):
        pytest.fail("the block must not run")
    assert (find_setting(spark, KNOWN), find_setting(spark, UNKNOWN)) == (before, None)


def test_the_session_is_known(spark: SparkSession) -> None:
    assert not is_connect(spark)
    assert session_time_zone(spark) == "UTC"


def test_a_schema_survives_spark() -> None:
    assert delta_schema(spark_schema(SCHEMA)) == SCHEMA


@pytest.mark.parametrize("mode", ["none", "name", "id"])
def test_physical_names_reach_every_level(mode: str) -> None:
    metadata = Metadata(schema_string=encode_schema(SCHEMA), configuration={"delta.columnMapping.mode": mode})
    found = spark_schema(physical_schema(metadata))
    nested = found[1].dataType.elementType.valueType  # type: ignore[attr-defined]
    names = ["a", "b", "d", "x", "y"] if mode == "none" else ["c1", "c2", "c5", "c3", "c4"]
    assert [*found.names, *nested.names] == names
    assert [field.metadata.get("parquet.field.id") for field in (*found, *nested)] == (
        [1, 2, 5, 3, 4] if mode == "id" else [None] * 5
    )
    assert all(field.nullable and "comment" not in field.metadata for field in (*found, *nested))


def test_users_see_comments_but_no_ids() -> None:
    assert [field.metadata for field in visible_schema(SCHEMA).fields] == [{"comment": name} for name in "abd"]
