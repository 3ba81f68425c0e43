"""What a table must hold: rows in memory, conditions and values evaluated by Spark over all of them, nothing skipped.

It knows no file, no log and no statistics, and shares no code with what it judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tests.differential.evaluation import Evaluation
from tests.differential.evolution import evolved, fitted
from tests.differential.expected import Changes, Expected, RefusedError, UnknownOutcomeError
from tests.differential.kinds import plain
from tests.differential.oracle_alter import altered
from tests.differential.oracle_merge import merged
from tests.differential.oracle_rows import assigned, stored
from tests.differential.program import (
    DDL,
    AddCheck,
    AddColumn,
    Append,
    Clone,
    Column,
    Convert,
    Create,
    Delete,
    Merge,
    Move,
    Optimize,
    Overwrite,
    OverwritePartitions,
    Reorg,
    ReplaceWhere,
    Restore,
    Rows,
    SetProperties,
    Settings,
    Step,
    Update,
    Vacuum,
    Write,
    quoted,
)
from tests.differential.tables import NO_ZONE, NOT_IN_FILES, WIDENING
from tests.differential.values import arrow_table, conformed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Oracle:
    """The table as it must be. `expect` changes nothing; `accept` takes over what a step has come to."""

    def __init__(self, spark: SparkSession) -> None:
        self._evaluation = Evaluation(spark)
        self.columns: tuple[Column, ...] = ()
        self.partition_by: tuple[str, ...] = ()
        self.properties: dict[str, str] = {}
        self.checks: dict[str, str] = {}
        self.identity: tuple[int, int] | None = None
        self.rows = pa.table({})
        self.versions: list[tuple[tuple[Column, ...], pa.Table]] = []
        self.oldest = 0
        """The first version that has all its files still."""
        self._rules: list[tuple[dict[str, str], dict[str, str]]] = []
        self._knows_no_zone = False
        self._is_dynamic = False

    def expect(self, step: Step) -> Expected:
        """What the step must come to. Raises `RefusedError`, `UnknownOutcomeError`."""
        match step:
            case Restore() if len(self.versions) > 1:
                columns, rows = self.versions[self._earlier(step)]
                same = columns == self.columns
                changes = Changes(inserted=rows, deleted=self.rows) if same else None
                return Expected(columns, rows, rows.slice(0, 0), changes, restores=True)
            case Optimize() | Reorg() | Vacuum() | Restore():
                none = self.rows.slice(0, 0)
                return Expected(self.columns, self.rows, self.rows, Changes(inserted=none))
            case Clone():
                columns, rows = self.versions[self._earlier(step)]
                return Expected(columns, rows, rows)
            case Convert():
                return self._converted()
            case Create():
                rows = self._of(arrow_table(step.rows), step.columns, step.partition_by)
                rows = rows.slice(0, 0) if step.way == DDL else rows
                metrics = {} if step.way == DDL else {"numOutputRows": rows.num_rows}
                return Expected(step.columns, rows, rows.slice(0, 0), Changes(inserted=rows), metrics)
            case Append() | Overwrite() | ReplaceWhere() | OverwritePartitions():
                return self._written(step)
            case Delete():
                gone = self._holds(step.condition)
                kept, deleted = self._split(gone)
                return Expected(
                    self.columns, kept, kept, Changes(deleted=deleted), {"numDeletedRows": deleted.num_rows}
                )
            case Update():
                return self._updated(step)
            case Merge():
                return self._merged(step)
            case _:
                self._ensure_alterable(step)
                columns, rows = altered(self.columns, self.rows, self.properties, step)
                return Expected(columns, rows, rows)

    def accept(self, step: Step, expected: Expected, *, is_version: bool) -> None:
        """The step was carried out; with `is_version` by a commit."""
        match step:
            case Create():
                self.partition_by, self.properties = step.partition_by, dict(step.properties)
                self.identity = step.identity
                self._knows_no_zone = any(column.type == NO_ZONE for column in step.columns)
            case Restore():
                properties, checks = self._rules[self._earlier(step)]
                self.properties, self.checks = dict(properties), dict(checks)
            case Settings():
                self._is_dynamic = step.dynamic
            case Vacuum(retains=False):
                self.oldest = len(self.versions) - 1
            case SetProperties():
                self.properties.update(step.properties)
            case AddCheck():
                self.checks[step.name] = step.condition
            case _:
                pass
        self.columns, self.rows = expected.columns, expected.rows
        if is_version:
            self.versions.append((self.columns, self.rows))
            self._rules.append((dict(self.properties), dict(self.checks)))

    def moved(self, step: Move, expected: Expected) -> Oracle:
        """The table that a CLONE or CONVERT has made; this one stays what it is."""
        made = Oracle(self._evaluation.spark)
        made.partition_by, made._is_dynamic = self.partition_by, self._is_dynamic
        made.identity = self.identity
        if isinstance(step, Clone):
            properties, checks = self._rules[self._earlier(step)]
            made.properties, made.checks = dict(properties), dict(checks)
            made._knows_no_zone = self._knows_no_zone
        else:
            made._knows_no_zone = any(column.type == NO_ZONE for column in expected.columns)
        made.accept(step, expected, is_version=True)
        return made

    def _converted(self) -> Expected:
        """Columns by their names in the files, so that none is made any more and no rule is left."""
        if any(set(column.name) & NOT_IN_FILES for column in self.columns):
            raise RefusedError("without column mapping, a column has no such name")
        if not self.rows.num_rows:
            raise UnknownOutcomeError("a folder without rows may have no file")
        columns = tuple(Column(column.name, plain(column.type)) for column in self.columns)
        return Expected(columns, self.rows, self.rows)

    def _earlier(self, step: Restore | Clone) -> int:
        return max(0, len(self.versions) - 1 - step.back)

    def adopt(self, rows: pa.Table) -> None:
        """The latest version is these rows, whose unstable values are known by now."""
        self.rows = rows
        self.versions[-1] = (self.columns, rows)

    def parts(self, condition: str) -> tuple[pa.Table, pa.Table, pa.Table]:
        """The rows for which a condition is true, false and null. Raises as `expect`."""
        found = self._evaluation.of(self.rows, self.columns, [condition]).column(0).combine_chunks()
        is_null = pc.is_null(found)
        holds, fails = pc.fill_null(found, False), pc.fill_null(pc.invert(found), False)
        return self.rows.filter(holds), self.rows.filter(fails), self.rows.filter(is_null)

    # --- rows ------------------------------------------------------------------------------------

    def _of(self, given: pa.Table, columns: Sequence[Column], partition_by: Sequence[str]) -> pa.Table:
        return stored(self._evaluation, given, columns, partition_by)

    def _holds(self, condition: str | None) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        if condition is None:
            return np.ones(self.rows.num_rows, np.bool_)
        found = self._evaluation.of(self.rows, self.columns, [f"coalesce(({condition}), false)"])
        return np.asarray(found.column(0).to_pylist(), np.bool_)

    def _split(self, gone: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[pa.Table, pa.Table]:
        return self.rows.filter(pa.array(~gone)), self.rows.filter(pa.array(gone))

    def _ensure_checked(self, rows: pa.Table, columns: Sequence[Column]) -> None:
        for name, condition in self.checks.items():
            found = self._evaluation.of(rows, columns, [f"coalesce(({condition}), false)"])
            if not all(found.column(0).to_pylist()):
                raise RefusedError(f"rows break {name}")

    # --- statements ------------------------------------------------------------------------------

    def _written(self, step: Write) -> Expected:
        columns = self._with_new(step.rows) if isinstance(step, Append) and step.merge_schema else self.columns
        given = arrow_table(fitted(step.rows, columns))
        known = {column.name.lower() for column in columns}
        if not known.issuperset(name.lower() for name in given.column_names):
            raise RefusedError("the rows have a column that the table lacks")
        new = self._of(given, columns, self.partition_by)
        self._ensure_checked(new, columns)
        kept, deleted = self._split(self._replaced(step, new))
        metrics = {} if isinstance(step, ReplaceWhere) else {"numOutputRows": new.num_rows}
        rows = pa.concat_tables([conformed(kept, columns), new])
        return Expected(columns, rows, conformed(kept, columns), Changes(inserted=new, deleted=deleted), metrics)

    def _with_new(self, rows: Rows) -> tuple[Column, ...]:
        known = {column.name.lower() for column in self.columns}
        new = [column for column in rows.columns if column.name.lower() not in known]
        self._ensure_possible(new)
        widens = self.properties.get(WIDENING) == "true"
        return (*(evolved(column, rows.columns, widens=widens) for column in self.columns), *new)

    def _ensure_possible(self, new: Sequence[Column]) -> None:
        # Its table feature is never added to a table that exists, unless somebody asks for it by name.
        if not self._knows_no_zone and any(column.type == NO_ZONE for column in new):
            raise RefusedError(f"the table was made without {NO_ZONE}")

    def _ensure_alterable(self, step: Step) -> None:
        if isinstance(step, AddColumn):
            self._ensure_possible([step.column])
        if isinstance(step, AddCheck):
            found = self._evaluation.of(self.rows, self.columns, [f"coalesce(({step.condition}), false)"])
            if not all(found.column(0).to_pylist()):
                raise RefusedError("rows that are there break it")

    def _replaced(self, step: Write, new: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        match step:
            case Overwrite() if not self._is_dynamic:
                return self._holds(None)
            case ReplaceWhere():
                found = self._evaluation.of(new, self.columns, [f"coalesce(({step.condition}), false)"])
                if not all(found.column(0).to_pylist()):
                    raise RefusedError("rows are outside of what they replace")
                return self._holds(step.condition)
            case Overwrite() | OverwritePartitions():
                if not self.partition_by:
                    return self._holds(None)
                names = list(self.partition_by)
                written = {_partition(row) for row in _listed(new.select(names))}
                return np.asarray([_partition(row) in written for row in _listed(self.rows.select(names))], np.bool_)
            case _:
                return np.zeros(self.rows.num_rows, np.bool_)

    def _updated(self, step: Update) -> Expected:
        kept, before = self._split(self._holds(step.condition))
        values = assigned(self.columns, step.values)
        texts = [values.get(column.name, quoted(column.name)) for column in self.columns]
        found = self._evaluation.of(before, self.columns, texts)
        given = pa.Table.from_arrays(found.columns, names=[column.name for column in self.columns])
        after = self._of(given, self.columns, self.partition_by)
        self._ensure_checked(after, self.columns)
        rows = pa.concat_tables([kept, after])
        return Expected(
            self.columns, rows, kept, Changes(before=before, after=after), {"numUpdatedRows": after.num_rows}
        )

    def _merged(self, step: Merge) -> Expected:
        takes_new = step.evolves and any(each.values is None and each.act != "delete" for each in step.clauses)
        columns = self._with_new(step.source) if takes_new else self.columns
        found = merged(self._evaluation, conformed(self.rows, columns), columns, step)
        after = self._of(found.after, columns, self.partition_by)
        inserted = self._of(found.inserted, columns, self.partition_by)
        self._ensure_checked(pa.concat_tables([after, inserted]), columns)
        rows = pa.concat_tables([found.kept, after, inserted])
        metrics = {
            "numSourceRows": len(step.source.values),
            "numTargetRowsInserted": inserted.num_rows,
            "numTargetRowsUpdated": after.num_rows,
            "numTargetRowsDeleted": found.deleted.num_rows,
        }
        changes = Changes(inserted, found.deleted, found.before, after)
        return Expected(columns, rows, found.kept, changes, metrics, may_be_refused=found.is_doubtful)


def _listed(table: pa.Table) -> list[tuple[object, ...]]:
    from tests.differential.values import as_tuples

    return as_tuples(table)


def _partition(row: tuple[object, ...]) -> tuple[object, ...]:
    """Partitions are equal as their values are."""
    return tuple("0.0" if value == "-0.0" else value for value in row)
