"""char(n) and varchar(n): kept to at any depth, and char(n) is read as Spark's own tables give it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import RowViolationError
from deltaresolver.model.facts.keys import LENGTHS
from deltaresolver.model.schema import ArrayType, MapType, StructField, StructType
from deltaresolver.spark.declared_lengths import AS_STRINGS, UNDECLARED, Declared, declared
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NESTED = StructType((StructField("a,b:c", "string"), StructField("d", "decimal(9,2)"), StructField("e", "string")))
CHAR = Declared(3, is_padded=True)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("string", "char(3)", CHAR),
        ("string", "varchar(12)", Declared(12)),
        (ArrayType("string"), "array<char(3)>", Declared(inside=(CHAR,))),
        (MapType("string", "long"), "map<char(3),bigint>", Declared(inside=(CHAR, UNDECLARED))),
        (NESTED, "struct<`a,b:c`:char(3),d:decimal(9,2),e:string>", Declared(inside=(CHAR, UNDECLARED, UNDECLARED))),
        (NESTED, "struct<renamed:string,d:decimal(9,2),e:char(3)>", Declared(inside=(UNDECLARED, UNDECLARED, CHAR))),
        # Not of this column: another type, cut off, or more than there is.
        ("long", "char(3)", UNDECLARED),
        (NESTED, "struct<`a,b:c`:char(3)>", UNDECLARED),
        (ArrayType("string"), "array<char(3)", UNDECLARED),
        ("string", "char(3) no more", UNDECLARED),
    ],
)
def test_declared_lengths_are_read_from_the_metadata(kind: Any, text: str, expected: Declared) -> None:
    assert declared(StructField("c", kind, metadata={LENGTHS: text})) == expected


def field(name: str, kind: object, text: str) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": True, "metadata": {LENGTHS: text}}


STRUCT = {"type": "struct", "fields": [{"name": "x", "type": "string", "nullable": True, "metadata": {}}]}
ARRAY = {"type": "array", "elementType": "string", "containsNull": True}
MAP = {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True}
FIELDS = [
    field("c", "string", "char(4)"),
    field("p", "string", "char(3)"),
    field("s", STRUCT, "struct<x:char(3)>"),
    field("l", ARRAY, "array<varchar(2)>"),
    field("m", MAP, "map<char(2),varchar(2)>"),
]
ROW = {"c": "'é'", "p": "'p'", "s": "named_struct('x', 'y')", "l": "array('ab', null)", "m": "map('k', 'v')"}


@pytest.mark.spark
def test_lengths_are_kept_to_and_char_is_filled_up(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    Table.create(path, {"type": "struct", "fields": FIELDS}, partition_columns=["p"])

    def rows(**other: str) -> Any:
        return spark.sql("select " + ", ".join(f"{sql} {name}" for name, sql in (ROW | other).items()))

    ds.write(rows(), path, mode="append")
    ds.write(rows(**dict.fromkeys(ROW, "null")), path, mode="append")
    for name, sql in {
        "c": "'abcde'",
        "s": "named_struct('x', 'abcd')",
        "l": "array('a', 'abc')",
        "m": "map('abc', 'v')",
    }.items():
        with pytest.raises(RowViolationError) as refused:
            ds.write(rows(**{name: sql}), path, mode="append")
        assert refused.value.delta_condition == "DELTA_EXCEED_CHAR_VARCHAR_LIMIT"
    (row,) = ds.read(spark, path).where("c is not null").collect()
    assert row.asDict(recursive=True) == {
        "c": "é   ",
        "p": "p  ",
        "s": {"x": "y  "},
        "l": ["ab", None],
        "m": {"k ": "v"},
    }
    for condition in ("c = 'é'", "c = 'é   '", "c <= 'é'", "p = 'p'", "p = 'p  '"):
        assert ds.read(spark, path, where=condition).where(condition).count() == 1, condition
    ds.delete(spark, path, "c = 'é' and p = 'p'")
    assert ds.read(spark, path).where("c is not null").count() == 0


@pytest.mark.spark
@pytest.mark.parametrize("source", [False, True])
def test_a_session_that_takes_char_for_a_string(spark: SparkSession, tmp_path: Path, source: bool) -> None:
    """With `spark.sql.legacy.charVarcharAsString` nothing is filled up or too long, and rows are found as stored."""
    path = tmp_path / "t"
    Table.create(path, {"type": "struct", "fields": FIELDS[:2]})
    long = spark.sql("select 'abcdef' c, 'p' p")

    def write() -> None:
        ds.register(spark)
        if source:
            long.write.format("deltaresolver").mode("append").save(str(path))
        else:
            ds.write(long, path, mode="append")

    with pytest.raises(Exception, match="DELTA_EXCEED_CHAR_VARCHAR_LIMIT"):
        write()
    spark.conf.set(AS_STRINGS, "true")
    try:
        write()
        assert [tuple(row) for row in ds.read(spark, path).collect()] == [("abcdef", "p")]
        for condition, count in {"p = 'p'": 1, "p = 'p  '": 0, "c = 'abcdef'": 1}.items():
            assert ds.read(spark, path, where=condition).count() == count, condition
            rows = spark.read.format("deltaresolver").load(str(path))
            assert rows.where(condition).count() == count, condition
        ds.delete(spark, path, "p = 'p  '")
        assert ds.read(spark, path).count() == 1
        ds.update(spark, path, {"c": "'longer still'"}, "p = 'p'")
        assert [row.c for row in ds.read(spark, path).collect()] == ["longer still"]
        ds.delete(spark, path, "p = 'p'")
        assert ds.read(spark, path).count() == 0
    finally:
        spark.conf.unset(AS_STRINGS)
        ds.register(spark)


@pytest.mark.spark
def test_a_session_that_fills_up_nothing_compares_as_any(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    Table.create(path, {"type": "struct", "fields": FIELDS[:2]})
    ds.write(spark.sql("select 'ab' c, 'p' p"), path, mode="append")
    spark.conf.set("spark.sql.readSideCharPadding", "false")
    try:
        assert [tuple(row) for row in ds.read(spark, path).collect()] == [("ab", "p")]
        for condition in ("c = 'ab'", "c = 'ab  '", "c LIKE 'ab'", "p IN ('p')"):
            assert ds.read(spark, path, where=condition).count() == 1, condition
        ds.delete(spark, path, "c LIKE 'ab' AND p = 'p  '")
        assert ds.read(spark, path).count() == 0
    finally:
        spark.conf.unset("spark.sql.readSideCharPadding")
