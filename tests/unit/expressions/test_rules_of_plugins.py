"""A condition that a feature of somebody else brings is evaluated by the same four algebras as any other."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pyarrow as pa
import pytest

from deltaresolver.expressions.arrow import evaluate as evaluate_rows
from deltaresolver.expressions.arrow import parse_expression
from deltaresolver.expressions.conditions import PartitionJudge, parse_predicate
from deltaresolver.expressions.scalar import evaluate
from deltaresolver.expressions.statistics import pruning_predicate
from deltaresolver.log.pruning.prune import prune
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, StructType, encode_schema

TYPES = {"n": "integer", "s": "string"}
ROWS: list[tuple[int | None, str | None, bool | None]] = [
    (3, "ab", True),
    (0, "ab", False),
    (3, "b", False),
    (None, "a", None),
]


@pytest.fixture
def condition(root: Path) -> str:
    """The condition of a table with the feature of the sample plugin."""
    file = root / "tests" / "sample_plugin" / "deltaresolver_sample" / "sealed_rows.py"
    spec = importlib.util.spec_from_file_location("sealed_rows", file)
    assert spec is not None
    assert spec.loader is not None
    plugin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plugin)
    metadata = Metadata(configuration={plugin.PROPERTY: "n between 1 and 5 and s < 'b'"})
    (found,) = plugin.table_feature().behaviour.row_conditions(metadata)
    return str(found.sql)


def metadata(*, partitioned: bool) -> Metadata:
    schema = encode_schema(StructType(tuple(StructField(name, kind) for name, kind in TYPES.items())))
    return Metadata(schema_string=schema, partition_columns=tuple(TYPES) if partitioned else ())


@pytest.mark.parametrize(("number", "text", "expected"), ROWS)
def test_a_plugins_condition_is_evaluated_over_values_and_partition_values(
    condition: str, number: int | None, text: str | None, *, expected: bool | None
) -> None:
    predicate, values = parse_predicate(condition), {"n": number, "s": text}
    assert evaluate(predicate.tree, lambda name: (values[name], TYPES[name])) is expected
    judge = PartitionJudge.of(metadata(partitioned=True))
    partition = {name: None if value is None else str(value) for name, value in values.items()}
    assert judge.may_hold(predicate, partition) is judge.surely_holds(predicate, partition) is (expected is True)


def test_a_plugins_condition_is_evaluated_over_statistics(condition: str) -> None:
    stats = [
        f'{{"numRecords":1,"nullCount":{{"n":0,"s":0}},"minValues":{{"n":{n},"s":"{s}"}},"maxValues":{{"n":{n},"s":"{s}"}}}}'
        for n, s, _ in ROWS[:3]
    ]
    values = pa.array([[]] * 3, pa.map_(pa.string(), pa.string()))
    files = pa.table({"path": ["a", "b", "c"], "partitionValues": values, "stats": stats})
    predicate = pruning_predicate((parse_predicate(condition),), metadata(partitioned=False))
    assert predicate is not None
    assert prune(files, metadata(partitioned=False), predicate)["path"].to_pylist() == ["a"]


def test_a_plugins_condition_is_evaluated_over_rows(condition: str) -> None:
    batch = pa.RecordBatch.from_pylist([{"n": n, "s": s} for n, s, _ in ROWS])
    found = evaluate_rows(parse_expression(condition, "The rule"), batch)
    assert found.to_pylist() == [expected for *_, expected in ROWS]
