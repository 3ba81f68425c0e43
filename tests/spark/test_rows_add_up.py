"""Laws over random tables and conditions, with Spark itself as the judge and no peer.

What DELETE or replaceWhere leaves of a table, and the rows for which Spark finds the condition true, are together the
rows there were; and a condition, its negation and its being unknown give every row between them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from pyspark.sql import types

import deltaresolver.spark as ds
from deltaresolver.errors import SourceRuleUnsupportedError
from deltaresolver.spark.held_settings import session_settings
from tests.nasty import COLUMN_NAMES, DATES, FLOATS, INTEGERS, MOMENTS, STRINGS, ZONES, string_literals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

ZONE, TABLES, CONDITIONS = "spark.sql.session.timeZone", 5, 2
NAMES = [name for name in COLUMN_NAMES if name not in ("t", "s") and name.lower() not in ("id", "id2")]


@attrs.frozen
class Kind:
    """A kind of column: its type, what is declared of it, its values, and how a condition spells them."""

    type: types.DataType
    values: tuple[Any, ...]
    literal: Callable[[Any, random.Random], str]
    declared: str | None = None


def text_literal(text: str, chance: random.Random) -> str:
    return chance.choice(string_literals(text))


KINDS = (
    Kind(types.IntegerType(), tuple(each for each in INTEGERS if abs(each) < 2**31), lambda value, _: str(value)),
    Kind(types.LongType(), tuple(each for each in INTEGERS if abs(each) < 2**63), lambda value, _: f"{value}L"),
    Kind(types.StringType(), STRINGS, text_literal),
    Kind(types.StringType(), ("a", "ab", "b ", "x", ""), text_literal, "char(3)"),
    Kind(types.StringType(), ("a", "ab", "b ", "x", ""), text_literal, "varchar(3)"),
    Kind(types.FloatType(), FLOATS, lambda value, _: f"cast('{value}' as float)"),
    Kind(types.DoubleType(), FLOATS, lambda value, _: f"cast('{value}' as double)"),
    Kind(types.DateType(), DATES, lambda value, _: f"DATE '{value}'"),
    Kind(types.TimestampType(), MOMENTS[4:], lambda value, _: f"TIMESTAMP '{value}'"),
    Kind(types.BooleanType(), (True, False), lambda value, _: str(value).lower()),
)
FIRST = [KINDS[3], KINDS[5], KINDS[8], KINDS[2], KINDS[3]]
"""A kind that each table has, so that no run goes without them."""


def field_of(name: str, kind: Kind) -> types.StructField:
    notes = {} if kind.declared is None else {"__CHAR_VARCHAR_TYPE_STRING": kind.declared}
    return types.StructField(name, kind.type, True, notes)


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def random_rows(spark: SparkSession, columns: dict[str, Kind], count: int, chance: random.Random) -> DataFrame:
    """Rows with nulls among them; dates and moments as Spark reads them from texts in the session's zone."""
    texts = (types.DateType, types.TimestampType)
    given = [
        tuple(None if chance.random() < 0.2 else chance.choice(kind.values) for kind in columns.values())
        for _ in range(count)
    ]
    schema = types.StructType(
        [
            types.StructField(name, types.StringType() if isinstance(kind.type, texts) else kind.type)
            for name, kind in columns.items()
        ]
    )
    rows = spark.createDataFrame(given, schema)
    typed = [
        rows[quoted(name)].cast(kind.type).alias(name, metadata=field_of(name, kind).metadata)
        for name, kind in columns.items()
    ]
    return rows.select(*typed)


def random_condition(columns: dict[str, Kind], chance: random.Random, depth: int = 0) -> str:
    if depth < 2 and chance.random() < 0.4:
        one, other = (random_condition(columns, chance, depth + 1) for _ in range(2))
        return chance.choice([f"({one}) AND ({other})", f"({one}) OR ({other})", f"NOT ({one})"])
    name, kind = chance.choice(list(columns.items()))
    column = quoted(name)
    one, other = (kind.literal(chance.choice(kind.values), chance) for _ in range(2))
    return chance.choice(
        [
            f"{column} = {one}",
            f"{column} = {one}",
            f"{column} <=> {one}",
            f"{column} <> {one}",
            f"{column} < {one}",
            f"{one} <= {column}",
            f"{column} IN ({one}, {other})",
            f"{column} NOT IN ({one}, NULL)",
            f"{column} BETWEEN {one} AND {other}",
            f"{column} IS NULL",
            f"{column} IS NOT NULL",
            f"coalesce({column}, {one}) = {other}",
        ]
    )


def counted(rows: DataFrame) -> Counter[str]:
    """The rows as a bag; by their texts, since NaN is not equal to itself."""
    return Counter(repr(tuple(row)) for row in rows.collect())


def random_table(spark: SparkSession, path: str, number: int, chance: random.Random) -> dict[str, Kind]:
    """A table of some files, one file or none; `part` columns have names of folders."""
    names = chance.sample(NAMES, 3)
    columns = dict(zip(names, [FIRST[number], *(chance.choice(KINDS) for _ in range(2))], strict=True))
    columns["id"] = KINDS[0]
    count = chance.choice([0, 1, 12]) if number else 12
    rows = random_rows(spark, columns, count, chance).repartition(chance.choice([1, 2]))
    by = [names[chance.randrange(2)]] if chance.random() < 0.6 else []
    # Files carry such names only where they have names of their own for the columns.
    mapped = any(set(name) & set(" ,;{}()\n\t=") for name in names) or chance.random() < 0.3
    properties = {
        "delta.enableDeletionVectors": chance.choice(["true", "false"]),
        "delta.columnMapping.mode": "name" if mapped else "none",
    }
    ds.write(rows, path, partition_by=by, properties=properties)
    return columns


def left_by_delete(spark: SparkSession, path: str, condition: str, _: dict[str, Kind]) -> None:
    ds.DeltaTable.forPath(spark, path).delete(condition)


def left_by_replace(spark: SparkSession, path: str, condition: str, _: dict[str, Kind]) -> None:
    rows = ds.read(spark, path).limit(0)
    ds.write(rows, path, mode="overwrite", options={"replaceWhere": condition})


def left_by_source(spark: SparkSession, path: str, condition: str, columns: dict[str, Kind]) -> None:
    schema = types.StructType([field_of(name, kind) for name, kind in columns.items()])
    writer = spark.createDataFrame([], schema).write.format("deltaresolver").mode("overwrite")
    try:
        writer.option("replaceWhere", condition).save(path)
    except Exception as error:
        # Worker processes know less of SQL than Spark does, and say so before they touch anything.
        if SourceRuleUnsupportedError.code not in str(error):
            raise


WAYS = (left_by_delete, left_by_replace, left_by_source)


@pytest.mark.parametrize("seed", [0])
def test_rows_removed_and_rows_kept_are_all_the_rows_there_were(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    ds.register(spark)
    for number in range(TABLES):
        with session_settings(spark, {ZONE: chance.choice(ZONES), "spark.sql.shuffle.partitions": "1"}):
            ds.register(spark)
            path = str(tmp_path / f"t{number}")
            columns = random_table(spark, path, number, chance)
            for step in range(CONDITIONS):
                condition = random_condition(columns, chance)
                rows = ds.read(spark, path).localCheckpoint()
                before, chosen = counted(rows), counted(rows.where(condition))
                told = (seed, number, step, condition, columns)
                third = [condition, f"NOT ({condition})", f"({condition}) IS NULL"]
                thirds = [counted(ds.read(spark, path, where=each)) for each in third]
                assert sum(thirds, Counter()) == before, told
                assert thirds[0] == chosen, told
                way = chance.choice(WAYS)
                version = ds.DeltaTable.forPath(spark, path).table.snapshot().table_version
                way(spark, path, condition, columns)
                table = ds.DeltaTable.forPath(spark, path)
                after = counted(ds.read(spark, path))
                if way is not left_by_source or table.table.snapshot().table_version > version:
                    assert after + chosen == before, (way.__name__, *told)
                else:
                    assert after == before, (way.__name__, *told)
    ds.register(spark)
