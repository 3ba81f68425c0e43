"""MERGE as its definition reads: every row of the table beside every row of the source, clause by clause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from tests.differential.evaluation import Evaluation
from tests.differential.expected import RefusedError
from tests.differential.kinds import spark_type
from tests.differential.oracle_rows import assigned
from tests.differential.program import BY_SOURCE, DELETE, MATCHED, NOT_MATCHED, Clause, Column, Merge, quoted
from tests.differential.values import arrow_table, conformed

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

TARGET_ROW, SOURCE_ROW, CLAUSE = "oracle target row", "oracle source row", "oracle clause"


@attrs.frozen
class Merged:
    """The rows of the table by what becomes of them, and the new ones.

    With `is_doubtful` a row matches several of the source, of which one at most changes it: this is found only in files
    that some clause may change, one for rows that match none among them.
    """

    kept: pa.Table
    deleted: pa.Table
    before: pa.Table
    after: pa.Table
    inserted: pa.Table
    is_doubtful: bool = False


@attrs.frozen
class _Merging:
    evaluation: Evaluation
    target: pa.Table
    columns: Sequence[Column]
    step: Merge

    def of(self, kind: str) -> list[Clause]:
        return [clause for clause in self.step.clauses if clause.rows == kind]

    def target_frame(self) -> DataFrame:
        numbered = self.target.append_column(TARGET_ROW, _numbers(self.target))
        return self.evaluation.frame(numbered, [*self.columns, Column(TARGET_ROW, "BIGINT")]).alias("target")

    def source_frame(self) -> DataFrame:
        rows = arrow_table(self.step.source)
        numbered = rows.append_column(SOURCE_ROW, _numbers(rows))
        return self.evaluation.frame(numbered, [*self.step.source.columns, Column(SOURCE_ROW, "BIGINT")]).alias(
            "source"
        )

    def pairs(self) -> pa.Table:
        """For each pair that matches: the clause that it takes, and the values that come of it."""

        def frame() -> DataFrame:
            from pyspark.sql import functions

            joined = self.target_frame().join(self.source_frame(), functions.expr(self.step.condition))
            return joined.select(TARGET_ROW, SOURCE_ROW, *self.outcome(MATCHED))

        return self.evaluation.collected(frame)

    def alone(self, kind: str) -> pa.Table:
        """For each row of the table, or of the source: the clause it takes if it matches none, and the values."""

        def frame() -> DataFrame:
            rows, number = (self.target_frame(), TARGET_ROW) if kind == BY_SOURCE else (self.source_frame(), SOURCE_ROW)
            return rows.select(number, *self.outcome(kind))

        return self.evaluation.collected(frame)

    def outcome(self, kind: str) -> list[SparkColumn]:
        """The number of the first clause that holds, then the columns as it makes them."""
        from pyspark.sql import functions

        clauses = self.of(kind)
        none = functions.lit(None)
        number: SparkColumn = none.cast("int")
        made: list[SparkColumn] = [none.cast(spark_type(column.type)) for column in self.columns]
        for place, clause in reversed(list(enumerate(clauses))):
            holds = functions.expr("true" if clause.condition is None else f"coalesce(({clause.condition}), false)")
            number = functions.when(holds, place).otherwise(number)
            if clause.act != DELETE:
                made = [
                    functions.when(holds, self.value(clause, column)).otherwise(value)
                    for column, value in zip(self.columns, made, strict=True)
                ]
        return [number.alias(CLAUSE), *(value.alias(f"v{n}") for n, value in enumerate(made))]

    def value(self, clause: Clause, column: Column) -> SparkColumn:
        """What a clause gives a column."""
        from pyspark.sql import functions

        given = {each.name for each in self.step.source.columns}
        if clause.values is None and column.name in given:
            text = f"source.{quoted(column.name)}"
        elif clause.values is not None and column.name in (values := assigned(self.columns, clause.values, "target.")):
            text = values[column.name]
        else:
            text = (column.default or "NULL") if clause.rows == NOT_MATCHED else f"target.{quoted(column.name)}"
        return functions.expr(text).cast(spark_type(column.type))

    def ensure_known(self) -> None:
        for clause in self.step.clauses:
            assigned(self.columns, clause.values or ())


def merged(evaluation: Evaluation, target: pa.Table, columns: Sequence[Column], step: Merge) -> Merged:
    """What a MERGE makes of the rows of a table. Raises `RefusedError`, `UnknownOutcomeError`."""
    merging = _Merging(evaluation, target, columns, step)
    merging.ensure_known()
    pairs = merging.pairs()
    rows = pairs.column(TARGET_ROW).to_pylist()
    matched = merging.of(MATCHED)
    is_looked_at = bool(matched or merging.of(BY_SOURCE)) and matched != [Clause(MATCHED, DELETE)]
    is_doubtful = len(set(rows)) != len(rows) and is_looked_at
    changing = [row for row, place in zip(rows, pairs.column(CLAUSE).to_pylist(), strict=True) if place is not None]
    if is_doubtful and len(set(changing)) != len(changing):
        raise RefusedError("a row of the table matches several rows of the source")
    sources = set(pairs.column(SOURCE_ROW).to_pylist())
    by_source = merging.alone(BY_SOURCE) if merging.of(BY_SOURCE) else pairs.slice(0, 0)
    by_source = _outside(by_source, TARGET_ROW, set(rows))
    found = [(pairs, matched), (by_source, merging.of(BY_SOURCE))]
    gone: set[int] = set()
    afters, changed = [], []
    for outcome, clauses in found:
        acts = [None if place is None else clauses[place].act for place in outcome.column(CLAUSE).to_pylist()]
        gone |= {row for row, act in zip(outcome.column(TARGET_ROW).to_pylist(), acts, strict=True) if act == DELETE}
        kept = outcome.filter(pa.array([act not in (None, DELETE) for act in acts], pa.bool_()))
        changed += kept.column(TARGET_ROW).to_pylist()
        afters.append(_values(kept, columns))
    new = merging.alone(NOT_MATCHED) if merging.of(NOT_MATCHED) else pairs.slice(0, 0)
    new = _outside(new, SOURCE_ROW, sources)
    inserted = _values(new.filter(pc.is_valid(new.column(CLAUSE))), columns)
    rest = [row for row in range(target.num_rows) if row not in gone and row not in set(changed)]
    kept_rows, deleted, before = (_take(target, each) for each in (rest, sorted(gone), changed))
    return Merged(kept_rows, deleted, before, pa.concat_tables(afters), inserted, is_doubtful)


def _numbers(table: pa.Table) -> pa.Array:
    return pa.array(range(table.num_rows), pa.int64())


def _outside(rows: pa.Table, column: str, known: set[int]) -> pa.Table:
    return rows.filter(pa.array([row not in known for row in rows.column(column).to_pylist()], pa.bool_()))


def _take(table: pa.Table, rows: Sequence[int]) -> pa.Table:
    return table.take(pa.array(rows, pa.int64()))


def _values(rows: pa.Table, columns: Sequence[Column]) -> pa.Table:
    """The values, under the names of the columns."""
    arrays = [rows.column(f"v{n}") for n in range(len(columns))]
    return conformed(pa.Table.from_arrays(arrays, names=[column.name for column in columns]), columns)
