"""Partition columns of every kind: the texts of the log, and what overwrites replace, the same by both interfaces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

FORMAT = "deltaresolver"
# A value in SQL, and its text as Spark and delta-spark write it.
KINDS: dict[str, tuple[tuple[str, str | None], ...]] = {
    "float": (("0.1", "0.1"), ("'-Infinity'", "-Infinity"), ("1e-5", "1.0E-5"), ("null", None)),
    "double": (("1e20", "1.0E20"), ("'NaN'", "NaN"), ("9999999", "9999999.0"), ("0.001", "0.001")),
    "decimal(10,2)": (("1.5", "1.50"), ("-2", "-2.00"), ("0", "0.00"), ("null", None)),
    "date": (("'2024-02-29'", "2024-02-29"), ("'0001-01-01'", "0001-01-01"), ("null", None), ("null", None)),
    "timestamp": (
        ("'2024-01-01 12:34:56.789'", "2024-01-01T12:34:56.789000Z"),
        ("'1969-12-31 23:59:59.999999'", "1969-12-31T23:59:59.999999Z"),
        ("null", None),
        ("'2024-01-01'", "2024-01-01T00:00:00.000000Z"),
    ),
    "timestamp_ntz": (
        ("'2024-01-01 12:34:56.100'", "2024-01-01 12:34:56.1"),
        ("'2024-01-01'", "2024-01-01 00:00:00"),
        ("null", None),
        ("null", None),
    ),
    "binary": (("'é'", "é"), ("''", None), ("null", None), ("X'00'", "\0")),
    "string": (("'x/y=%'", "x/y=%"), ("''", None), ("null", None), ("' '", " ")),
    "boolean": (("true", "true"), ("false", "false"), ("null", None), ("true", "true")),
}
COLUMNS = {kind: f"p{place}" for place, kind in enumerate(KINDS)}

# What tasks of the data source evaluate is less than Spark SQL.
REPLACED = (
    ("fast", "p0 = cast(0.1 as float) and p1 = 1e20 and p6 = X'C3A9'"),
    ("source", "p2 = -2.00 and p3 = DATE'0001-01-01' and p8 = false"),
    ("source", "p3 is null and p4 is null and p5 is null and p7 is null and p8 is null"),
)


def _rows(spark: SparkSession, first: int, *places: int) -> DataFrame:
    selects = []
    for place in places:
        values = ", ".join(f"cast({KINDS[kind][place][0]} as {kind}) {name}" for kind, name in COLUMNS.items())
        selects.append(f"select {first + place}L id, {values}")
    return spark.sql(" union all ".join(selects)).coalesce(1)


def _save(rows: DataFrame, door: str, path: Path, mode: str, **options: str) -> None:
    if door == "fast":
        partition_by = tuple(COLUMNS.values()) if mode == "append" else ()
        ds.write(rows, path, mode=mode, partition_by=partition_by, options=options)
    else:
        columns = {"partitionBy": ",".join(COLUMNS.values())} if mode == "append" else {}
        rows.write.format(FORMAT).mode(mode).options(**columns, **options).save(str(path))


def _ids(spark: SparkSession, path: Path) -> list[int]:
    return sorted(row.id for row in ds.read(spark, path).select("id").collect())


@pytest.mark.parametrize("door", ["fast", "source"])
def test_texts_and_overwrites_of_partitions_of_every_kind(spark: SparkSession, tmp_path: Path, door: str) -> None:
    ds.register(spark)
    path, places = tmp_path / "t", range(3 if door == "fast" else 4)  # Spark has no folder for a null character
    _save(_rows(spark, 0, *places), door, path, "append")
    found = {
        tuple(add.partition_values[name] for name in COLUMNS.values()) for add in Table(path).snapshot().add_actions()
    }
    assert found == {tuple(KINDS[kind][place][1] for kind in KINDS) for place in places}
    shown = [
        sorted(map(str, rows.collect())) for rows in (ds.read(spark, path), spark.read.format(FORMAT).load(str(path)))
    ]
    assert shown[0] == shown[1]
    # The other door finds the same partitions in what this one wrote.
    other = "source" if door == "fast" else "fast"
    _save(_rows(spark, 10, 0, 1), other, path, "overwrite", partitionOverwriteMode="dynamic")
    assert _ids(spark, path) == [*places[2:], 10, 11]
    for place, (writer, condition) in enumerate(REPLACED):
        _save(_rows(spark, 20, place), writer, path, "overwrite", replaceWhere=condition)
    assert _ids(spark, path) == [*places[3:], 20, 21, 22]


@pytest.mark.parametrize("door", ["fast", "source"])
def test_bytes_that_are_not_text_cannot_name_a_partition(spark: SparkSession, tmp_path: Path, door: str) -> None:
    ds.register(spark)
    path = tmp_path / "t"
    ds.write(spark.sql("select 1 id, X'41' p"), path, partition_by="p")
    rows = spark.sql("select 2 id, X'FF' p")
    with pytest.raises(Exception, match=r"(?i)only text.*FF|ff.*only text"):
        ds.write(rows, path, mode="append") if door == "fast" else rows.write.format(FORMAT).mode("append").save(
            str(path)
        )
    assert Table(path).snapshot().table_version == 0
    assert len(list(path.rglob("*.parquet"))) == 1
