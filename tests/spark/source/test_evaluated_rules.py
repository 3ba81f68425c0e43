"""Conditions evaluated by tasks without Spark: the answers that Spark gives, or a refusal."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import SourceRuleUnsupportedError
from deltaresolver.expressions.arrow import evaluate, parse_expression
from deltaresolver.table import Table

pytestmark = pytest.mark.spark

NAN = float("nan")
ROWS = pa.RecordBatch.from_pydict(
    {
        "n": pa.array([1, 5, None], pa.int32()),
        "f": pa.array([NAN, 1.5, None]),
        "s": pa.array(["a", "bb", None]),
        "d": pa.array([datetime.date(2024, 1, 1), datetime.date(2025, 1, 1), None]),
        "t": pa.array([1_700_000_000_000_000, 1_730_000_000_000_000, None], pa.timestamp("us", "UTC")),
        "in": pa.array([{"x": 1}, {"x": None}, None], pa.struct([("x", pa.int64())])),
    }
)
CASES: list[tuple[str, list[Any]]] = [
    ("n > 1", [False, True, None]),
    ("n > 1 OR n IS NULL", [False, True, True]),
    ("NOT (n = 5)", [True, False, None]),
    ("n IN (1, 2)", [True, False, None]),
    ("n BETWEEN 2 AND 9", [False, True, None]),
    ("n <=> NULL", [False, False, True]),
    ("N + 1 = 2", [True, False, None]),
    ("-n < 0", [True, True, None]),
    # Spark: NaN equals itself and is greater than any number.
    ("f > 100", [True, False, None]),
    ("f < 100", [False, True, None]),
    ("f >= f", [True, True, None]),
    ("f = f", [True, True, None]),
    ("f <> f", [False, False, None]),
    ("length(s) <= 1", [True, False, None]),
    ("upper(s) = 'BB'", [False, True, None]),
    ("coalesce(s, 'z') > 'b'", [False, True, True]),
    ("d >= '2024-06-01'", [False, True, None]),
    ("d < cast('2024-06-01' as date)", [True, False, None]),
    ("t >= TIMESTAMP'2024-06-01 00:00:00'", [False, True, None]),
    ("t < cast('2024-06-01' as timestamp)", [True, False, None]),
    ("t = TIMESTAMP'2023-11-14T23:13:20+01:00'", [True, False, None]),
    ("in.x IS NOT NULL", [True, False, False]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_conditions_answer_as_spark_does(text: str, expected: list[Any]) -> None:
    text = text.replace("in.x", "`in`.x")
    assert evaluate(parse_expression(text, "it"), ROWS).to_pylist() == expected


def test_spark_answers_the_same(spark: Any) -> None:
    rows = spark.createDataFrame(
        [tuple(row.values()) for row in ROWS.to_pylist()],
        "n int, f double, s string, d date, t timestamp, `in` struct<x:bigint>",
    )
    columns = [f"{text.replace('in.x', '`in`.x')} as c{place}" for place, (text, _) in enumerate(CASES)]
    found = rows.selectExpr("n", *columns).orderBy("n").collect()
    ordered = [found[1], found[2], found[0]]
    for place, (text, expected) in enumerate(CASES):
        assert [row[f"c{place}"] for row in ordered] == expected, text


@pytest.mark.parametrize("text", ["s RLIKE 'a'", "n / 2 > 1", "cast(f as int) = 1", "rand() > 0", "n IN (SELECT 1)"])
def test_an_expression_that_only_spark_can_evaluate_is_refused(text: str) -> None:
    with pytest.raises(SourceRuleUnsupportedError, match=r"deltaresolver\.spark\.write|cannot evaluate"):
        evaluate(parse_expression(text, "CHECK constraint c"), ROWS)


def test_the_default_of_a_column_that_rows_give_is_not_asked_for(spark: Any, tmp_path: Path) -> None:
    ds.register(spark)
    path = tmp_path / "t"
    day = {"name": "day", "type": "date", "nullable": True, "metadata": {"CURRENT_DEFAULT": "current_date()"}}
    Table.create(
        path, {"type": "struct", "fields": [day]}, properties={"delta.feature.allowColumnDefaults": "supported"}
    )
    rows = spark.sql("select date'2024-02-29' day")
    rows.write.format("deltaresolver").mode("append").save(str(path))
    assert ds.read(spark, path).collect() == rows.collect()
