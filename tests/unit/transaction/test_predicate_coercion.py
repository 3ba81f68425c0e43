"""Values of two types compared: as every session of Spark compares them, or not at all."""

from __future__ import annotations

import datetime
import itertools
import operator
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from deltaresolver.errors import SourceRuleUnsupportedError
from deltaresolver.expressions.arrow import evaluate, parse_expression
from deltaresolver.expressions.compare import UNKNOWABLE, Single, compare
from deltaresolver.expressions.conditions import PartitionJudge, parse_predicate
from deltaresolver.expressions.statistics import pruning_predicate
from deltaresolver.log.pruning.prune import prune
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, StructType, encode_schema
from tests import nasty

UTC = datetime.UTC
VALUES: dict[str, Any] = {
    "long": 1,
    "float": Single(0.5),
    "double": 0.5,
    "decimal(10,2)": Decimal("1.50"),
    "boolean": True,
    "string": "a",
    "date": datetime.date(2024, 1, 1),
    "timestamp": datetime.datetime(2024, 1, 1, tzinfo=UTC),
    "timestamp_ntz": datetime.datetime(2024, 1, 1),
}
HOW = (operator.eq, operator.lt, operator.ge)


def table(kind: str, *, partitioned: bool, **notes: Any) -> Metadata:
    field = StructField("c", kind, metadata=notes)
    schema = encode_schema(StructType((field, StructField("other", "long"))))
    return Metadata(schema_string=schema, partition_columns=("c",) if partitioned else ())


@pytest.mark.parametrize(("left", "right"), list(itertools.product(VALUES, VALUES)))
def test_every_pair_of_types_compares_or_is_left_open(left: str, right: str) -> None:
    for how in HOW:
        assert compare(VALUES[left], VALUES[right], how, (left, right)) in (True, False, None, UNKNOWABLE)


@pytest.mark.parametrize("kind", VALUES)
def test_any_text_beside_any_type_compares_or_is_left_open(kind: str) -> None:
    for text in (*nasty.STRINGS, *nasty.DATES, *nasty.MOMENTS, *nasty.DECIMALS, "2024-01-01Z", "١"):
        for how in HOW:
            assert compare(VALUES[kind], text, how, (kind, "string")) in (True, False, None, UNKNOWABLE)


@pytest.mark.parametrize(
    ("kind", "value", "condition", "expected"),
    [
        ("timestamp_ntz", "2024-01-01 00:00:00", "c = '2024-01-01'", True),
        ("timestamp_ntz", "2024-01-01 00:00:00", "c >= '2024-01-02'", False),
        ("timestamp_ntz", "2024-01-01 00:00:00", "c = '2024-01-02Z'", True),
        ("timestamp", "2024-01-01 00:00:00", "c = '2024-01-02Z'", True),
        ("float", "0.1", "c = '0.1'", True),
        ("float", "0.1", "c = '0.5'", False),
        ("float", "0.1", "c in ('0.1')", True),
        ("float", "16777216", "c = 16777217", True),
        ("integer", "1", "c in ('2')", False),
        ("integer", "1", "c not in ('01')", True),
        ("byte", "1", "c = '300'", True),
        ("date", "2024-01-01", "c in ('2024-01-02', '2024-01-03')", False),
        ("date", "2024-01-01", "c not in ('2024-1-1')", True),
    ],
)
def test_a_comparison_that_differs_between_sessions_rules_no_partition_out(
    kind: str, value: str, condition: str, expected: bool
) -> None:
    judge = PartitionJudge.of(table(kind, partitioned=True))
    assert judge.may_hold(parse_predicate(condition), {"c": value}) is expected


def kept(metadata: Metadata, condition: str, least: str, greatest: str) -> bool:
    predicate = pruning_predicate((parse_predicate(condition),), metadata)
    stats = f'{{"numRecords":2,"nullCount":{{"c":0}},"minValues":{{"c":{least}}},"maxValues":{{"c":{greatest}}}}}'
    values = pa.array([[]], pa.map_(pa.string(), pa.string()))
    files = pa.table({"path": ["f"], "partitionValues": values, "stats": [stats]})
    return predicate is None or bool(len(prune(files, metadata, predicate)))


WIDENED = {"delta.typeChanges": [{"fromType": "float", "toType": "double", "tableVersion": 2}]}


@pytest.mark.parametrize(
    ("kind", "notes", "condition", "least", "greatest", "expected"),
    [
        ("double", WIDENED, "c < 3.1D", "3.1", "3.1", True),
        ("double", WIDENED, "c = 3.0999999046325684D", "3.1", "3.1", True),
        ("double", WIDENED, "c < 3D", "3.1", "3.1", False),
        ("double", WIDENED, "c > 1e300", "1e39", "1e39", True),
        ("double", {}, "c < 3.1D", "3.1", "3.1", False),
        ("string", {"__COLLATIONS": {"c": "spark.UTF8_LCASE"}}, "c = 'A'", '"a"', '"a"', True),
        ("long", {}, "c = 9007199254740992D", "9007199254740993", "9007199254740993", True),
        ("long", {}, "c = 5D", "6", "7", False),
        ("long", {}, "c = cast(16777216 as float)", "16777217", "16777217", True),
        ("decimal(10,2)", {}, "c = 0.1D", "0.10", "0.10", True),
        ("decimal(10,2)", {}, "c = '0.1'", "0.10", "0.10", True),
        ("decimal(10,2)", {}, "c > 0.1D", "0.05", "0.10", False),
        ("integer", {}, "c not in ('01')", "1", "1", True),
        ("float", {}, "c = '0.1'", "0.1", "0.1", True),
    ],
)
def test_bounds_rule_out_what_spark_rules_out(
    kind: str, notes: dict[str, Any], condition: str, least: str, greatest: str, expected: bool
) -> None:
    assert kept(table(kind, partitioned=False, **notes), condition, least, greatest) is expected


ROWS = pa.RecordBatch.from_pylist([{"n": 1, "s": "ß"}, {"n": 2, "s": "a"}, {"n": None, "s": None}])


@pytest.mark.parametrize("condition", ["n between symmetric 3 and 1", "s not like 'a'", "X'1F' = n", "((n"])
def test_arrow_refuses_what_it_does_not_know(condition: str) -> None:
    with pytest.raises(SourceRuleUnsupportedError):
        parse_expression(condition, "A rule")


@pytest.mark.parametrize(
    "condition", ["n = '01x'", "s = 1", "n in ('01')", "n in (1, '2')", "cast('x' as date) = date'2024-01-01'"]
)
def test_arrow_refuses_what_sessions_differ_about(condition: str) -> None:
    with pytest.raises(SourceRuleUnsupportedError):
        evaluate(parse_expression(condition, "A rule"), ROWS)


def test_arrow_reads_quotes_and_letters_as_spark_does() -> None:
    assert evaluate(parse_expression("upper(s) = 'SS'", "A rule"), ROWS).to_pylist() == [True, False, None]
    assert evaluate(parse_expression("s = 'O''Brien' or n = '1'", "A rule"), ROWS).to_pylist() == [True, False, None]


def test_a_try_cast_that_fails_leaves_the_rows_open() -> None:
    tree = parse_expression("try_cast(n as tinyint) = 1", "A rule")
    assert evaluate(tree, ROWS).to_pylist() == [True, False, None]
    with pytest.raises(SourceRuleUnsupportedError):
        evaluate(tree, pa.RecordBatch.from_pylist([{"n": 1}, {"n": 300}]))
