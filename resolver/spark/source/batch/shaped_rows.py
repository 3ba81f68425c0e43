"""Rows as given to rows as the table has them, in a task: completed, checked, under their users' names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.errors import SourceRuleUnsupportedError, UnknownColumnError
from deltaresolver.expressions.arrow import (
    columns_of,
    evaluate,
    null_safe_equal,
    parse_expression,
    unsupported,
)
from deltaresolver.model.facts.columns import identity_step, next_identity
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource, RowCondition, RowRuleKind
from deltaresolver.model.schema import StructField, quote_path
from deltaresolver.spark.source.batch.conformed import conformed
from deltaresolver.spark.source.batch.parquet_types import arrow_fields
from deltaresolver.spark.writing.identity_values import MAX_PARTITIONS
from deltaresolver.spark.writing.row_violations import violation

_ANSWERS = (pa.bool_(), pa.null())
"""Types of conditions."""


@attrs.define(slots=True)
class RowShaper:
    """Shapes the batches of one task; `partition` is the task's number, by which identity columns count."""

    fields: Sequence[StructField]
    conditions: Sequence[RowCondition]
    expressions: Sequence[ColumnExpression]
    partition: int = 0
    seen: int = 0

    def ensure_possible(self) -> None:
        """Raises `SourceRuleUnsupportedError` for rules that cannot be checked here and non-boolean conditions."""
        nothing = pa.RecordBatch.from_pylist([], schema=arrow_fields(tuple(self.fields), "none"))
        rules = [(each.sql, f"{each.kind.value} {each.name}", True) for each in self.conditions]
        rules += [
            (each.sql, f"The {each.source.value} of column {each.column}", False)
            for each in self.expressions
            if each.source is not ColumnSource.IDENTITY
        ]
        for text, what, is_condition in rules:
            tree = parse_expression(text, what)
            try:
                value = evaluate(tree, nothing)
            except (pa.ArrowException, UnknownColumnError, KeyError, ValueError) as error:
                raise unsupported(text, what) from error
            if is_condition and value.type not in _ANSWERS:
                raise unsupported(text, what)  # Arrow would make a condition of a number, which Spark does not

    def shape(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows with all columns of the table. Raises `RowViolationError` for a row that breaks a rule."""
        given = {name.lower(): batch.column(place) for place, name in enumerate(batch.schema.names)}
        schema = arrow_fields(tuple(self.fields), "none")
        sources = {each.column.lower(): each for each in self.expressions}
        columns: dict[str, pa.Array] = {}
        later: list[tuple[StructField, ColumnExpression]] = []
        for place, field in enumerate(self.fields):
            target = schema.field(place).type
            here, source = given.get(field.name.lower()), sources.get(field.name.lower())
            if here is not None:
                columns[field.name] = conformed(here, field.type, target, "none")
            if source is not None and source.source is ColumnSource.GENERATED:
                later.append((field, source))
            elif here is None and source is not None and source.source is ColumnSource.IDENTITY:
                columns[field.name] = self._numbers(field, batch.num_rows)
            elif here is None:
                columns[field.name] = self._default(source, target, batch)
        self._generate(columns, later, schema)
        rows = pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)
        for condition in self.conditions:
            _check(rows, condition)
        self.seen += batch.num_rows
        return rows

    def _default(self, source: ColumnExpression | None, target: pa.DataType, batch: pa.RecordBatch) -> pa.Array:
        if source is None:
            return pa.nulls(batch.num_rows, target)
        value = evaluate(parse_expression(source.sql, f"The default of column {source.column}"), batch)
        return as_array(value, target, batch.num_rows)

    def _generate(
        self, columns: dict[str, pa.Array], later: Sequence[tuple[StructField, ColumnExpression]], schema: pa.Schema
    ) -> None:
        if not later:
            return
        known = pa.RecordBatch.from_pydict(columns)
        for field, source in later:
            tree = parse_expression(source.sql, f"The expression of column {field.name}")
            target = schema.field(field.name).type
            value = as_array(evaluate(tree, known), target, known.num_rows)
            given = columns.setdefault(field.name, value)
            if given is not value:
                same = null_safe_equal(given, value)
                _refuse_first(pa.RecordBatch.from_pydict(columns), same, source_condition(field, source))

    def _numbers(self, field: StructField, rows: int) -> pa.Array:
        if self.partition >= MAX_PARTITIONS:
            raise SourceRuleUnsupportedError(
                f"Column {field.name} is numbered by the table, and there are more than {MAX_PARTITIONS} tasks.",
                fix=f"Coalesce the rows to {MAX_PARTITIONS} partitions, or write with deltaresolver.spark.write.",
                details={"column": field.name, "partition": self.partition},
            )
        step, first = identity_step(field), next_identity(field)
        last = first + ((self.seen + max(rows, 1) - 1) * MAX_PARTITIONS + self.partition) * step
        if not -(2**63) <= last < 2**63:
            raise SourceRuleUnsupportedError(
                f"Column {field.name} is numbered by the table, and its next numbers do not fit in 64 bits.",
                fix="Add a column that counts anew, and drop this one.",
                details={"column": field.name, "next": first, "step": step},
            )
        places = np.arange(self.seen, self.seen + rows, dtype=np.int64) * MAX_PARTITIONS + self.partition
        return pa.array(first + places * step)


def source_condition(field: StructField, source: ColumnExpression) -> RowCondition:
    """What a given value of a generated column must satisfy."""
    return RowCondition(field.name, f"{field.name} <=> ({source.sql})", ((field.name,),), RowRuleKind.GENERATED)


def as_array(value: Any, target: pa.DataType, rows: int) -> pa.Array:
    """A value of an expression as a column."""
    if isinstance(value, pa.Scalar):
        return pa.repeat(value.cast(target), rows)
    return value.cast(target)


def _check(rows: pa.RecordBatch, condition: RowCondition) -> None:
    answer = evaluate(parse_expression(condition.sql, condition.name), rows)
    _refuse_first(rows, as_array(answer, pa.bool_(), rows.num_rows), condition)


def _refuse_first(rows: pa.RecordBatch, holds: pa.Array, condition: RowCondition) -> None:
    holds = pc.fill_null(holds, False)
    if not len(holds) or pc.all(holds).as_py():
        return
    row = rows.slice(pc.index(holds, pa.scalar(False)).as_py(), 1)
    paths = condition.columns or dict.fromkeys(columns_of(parse_expression(condition.sql, condition.name)))
    raise violation(condition, {quote_path(path): _shown(row, path) for path in paths})


def _shown(row: pa.RecordBatch, path: tuple[str, ...]) -> str:
    lowered = {name.lower(): name for name in row.schema.names}
    value: Any = row.column(lowered[path[0].lower()])[0].as_py()
    for name in path[1:]:
        value = value.get(name) if isinstance(value, dict) else None
    return "null" if value is None else str(value)
