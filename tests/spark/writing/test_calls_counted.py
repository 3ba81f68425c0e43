"""What a statement asks of the JVM, counted: each call is a wait, and the count is the same on a busy machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import utils
from pyspark.sql import SparkSession

import deltaresolver.spark as ds

pytestmark = pytest.mark.spark

_RELEASES = "m\nd"
"""How a command begins that lets an object of the JVM go; a thread of its own sends those."""

Count = Callable[[Callable[[], object]], int]


@pytest.fixture
def count(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Count:
    """How many times a call asks something of the JVM."""
    asked: list[str] = []
    context: Any = spark.sparkContext
    client = context._gateway._gateway_client
    original = client.send_command

    def send(command: str, *given: Any, **named: Any) -> Any:
        if not command.startswith(_RELEASES):
            asked.append(command)
        return original(command, *given, **named)

    monkeypatch.setattr(client, "send_command", send)

    def counted(work: Callable[[], object]) -> int:
        asked.clear()
        work()
        return len(asked)

    return counted


def appended(spark: SparkSession, path: Path, columns: int) -> Callable[[], object]:
    """An append of rows that are as the table wants them, to a table that is there."""
    rows = spark.range(3).selectExpr("id", *(f"cast(id as string) c{number}" for number in range(columns - 1)))
    ds.write(rows, path, mode="append")
    ds.write(rows, path, mode="append")
    return lambda: ds.write(rows, path, mode="append")


def test_an_append_makes_few_calls(spark: SparkSession, tmp_path: Path, count: Count) -> None:
    assert count(appended(spark, tmp_path / "t", 3)) <= 60  # 246 once


def test_columns_as_they_are_cost_no_calls(spark: SparkSession, tmp_path: Path, count: Count) -> None:
    few, many = (count(appended(spark, tmp_path / str(columns), columns)) for columns in (3, 12))
    assert many <= few + 3


def test_a_cast_column_costs_few_calls(spark: SparkSession, tmp_path: Path, count: Count) -> None:
    plain = appended(spark, tmp_path / "t", 12)
    narrow = spark.range(3).selectExpr("cast(id as int) id", *(f"cast(id as string) c{number}" for number in range(11)))
    assert count(lambda: ds.write(narrow, tmp_path / "t", mode="append")) <= count(plain) + 11 * 7  # 109 beside 36


def test_a_statement_leaves_the_lines_of_others_noted(spark: SparkSession, tmp_path: Path) -> None:
    before = getattr(utils, "_enable_debugging_cache", None)
    path = tmp_path / "t"
    ds.write(spark.range(3).toDF("id"), path)
    ds.delete(spark, path, "id = 1")
    ds.read(spark, path).collect()
    assert getattr(utils, "_enable_debugging_cache", None) == before
