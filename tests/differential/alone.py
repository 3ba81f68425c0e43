"""Programs for `format("deltaresolver")` alone: no JVM, the data source called as PySpark's workers call it.

A program costs a small part of one on Spark. What a table must hold is a list of rows;
conditions are judged by `plain_conditions`.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from deltaresolver.table import Table
from tests import nasty
from tests.differential.evolution import draw_evolution, fitted, varied
from tests.differential.expected import WrongError
from tests.differential.judge import ensure_same
from tests.differential.kinds import arrow_type, plain
from tests.differential.log_files import LogFiles
from tests.differential.plain_conditions import Plain, draw_plain, in_row
from tests.differential.program import Column, Rows, quoted
from tests.differential.runner import Failure, Outcome, code_of, described, scratch_folder
from tests.differential.tables import (
    CHECKPOINTS,
    MAPPED,
    MAPPING,
    NO_ZONE,
    TableState,
    again,
    draw_column,
    draw_rows,
    draw_table,
)
from tests.differential.values import Bag, counted
from tests.differential.worker_source import WorkerSource

KEPT = (MAPPING, CHECKPOINTS, "delta.checkpointPolicy", "delta.dataSkippingNumIndexedCols")
"""The properties that the data source can write with."""
CANNOT = ("DR781",)
STEPS = ("append", "append", "overwrite", "replace where", "replace where", "replace where", "partitions", "alter")
PROBES = 3
Held = list[tuple[Any, ...]]
"""Rows as Arrow's values, each with what conditions see of it."""


def run_alone(seed: int, changes: int = 6, *, is_wide: bool = False) -> Outcome:
    """The program of a seed on a table of its own; a wide one has structs, arrays and bytes too."""
    started = time.monotonic()
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="alone-", dir=scratch_folder()) as folder:
        chance = random.Random(f"alone{', wide' if is_wide else ''} {seed}")
        run = Alone(chance, f"{folder}/table", outcome, is_wide=is_wide)
        try:
            run.all(changes)
        except WrongError as error:
            outcome.failure = Failure(error.kind, len(run.done), f"{run.done[-1]}: {error}")
        except Exception as error:  # noqa: BLE001 - whatever is raised is a finding
            outcome.failure = Failure(
                f"raised {type(error).__name__}", len(run.done), f"{run.done[-1]}: {described(error)}"
            )
    outcome.versions, outcome.seconds = len(run.versions), time.monotonic() - started
    return outcome


class Alone:
    """One program."""

    def __init__(self, chance: random.Random, path: str, outcome: Outcome, *, is_wide: bool = False) -> None:
        self.chance = chance
        self.path = path
        self.outcome = outcome
        self.log = LogFiles(path)
        self.state: TableState = draw_table(chance, is_wide=is_wide)
        # Only DDL declares lengths and defaults.
        self.state.columns = [Column(column.name, plain(column.type)) for column in self.state.given]
        self.state.properties = {key: value for key, value in self.state.properties.items() if key in KEPT}
        mapped = self.state.properties.get(MAPPING) in MAPPED
        if not mapped and any(set(column.name) & set(" ,;{}()\n\t=") for column in self.state.columns):
            self.state.properties[MAPPING] = "name"
        self.zone = chance.choice(nasty.ZONES) if is_wide else "UTC"
        self.source = WorkerSource(path, self.zone)
        self.rows: list[dict[str, Any]] = []
        self.versions: list[tuple[tuple[Column, ...], Bag]] = []
        self.done: list[str] = []

    def all(self, changes: int) -> None:
        """Create, change, and read every version again."""
        self._create()
        for _ in range(changes):
            step = self.chance.choice(STEPS)
            getattr(self, f"_{step.replace(' ', '_')}")()
            for _ in range(PROBES):
                self._probe(draw_plain(self.chance, self.state.columns, self.state.pools, zone=self.zone))
        for version, (columns, wanted) in enumerate(self.versions):
            self.done.append(f"version {version}")
            ensure_same("time travel", wanted, self.source.read(columns, options={"versionAsOf": str(version)}))

    # --- steps ---------------------------------------------------------------------------------

    def _create(self) -> None:
        rows = draw_rows(self.chance, self.state, self.state.columns)
        options = {"saveMode": "error", "partitionBy": json.dumps(self.state.partition_by), **self.state.properties}
        self._write("create", rows, options, [], overwrite=False)

    def _append(self) -> None:
        evolves = self.state.is_wide and self.chance.random() < 0.3
        if evolves and draw_evolution(self.chance, self.state, knows_properties=False):
            rows = draw_rows(self.chance, self.state, self.state.columns)
            self._write("append", rows, {"mergeSchema": "true"}, self.rows, overwrite=False)
            return
        if self.chance.random() < 0.2:
            new = draw_column(self.chance, self.state)
            knows = any(column.type == NO_ZONE for column in self.state.columns)
            if new.type != NO_ZONE or knows:
                rows = draw_rows(self.chance, self.state, [*self.state.columns, new])
                self.state.columns.append(new)
                self._write("append", rows, {"mergeSchema": "true"}, self.rows, overwrite=False)
                return
        self._write("append", self._draw(), {}, self.rows, overwrite=False)

    def _overwrite(self) -> None:
        self._write("overwrite", self._draw(), {}, [], overwrite=True)

    def _partitions(self) -> None:
        rows = self._draw()
        written = {self._partition(row) for row in self._as_rows(rows)}
        kept = [row for row in self.rows if self.state.partition_by and self._partition(row) not in written]
        self._write("partitions", rows, {"partitionOverwriteMode": "dynamic"}, kept, overwrite=True)

    def _replace_where(self) -> None:
        names = self.state.partition_by
        parts = [column for column in self.state.columns if column.name in names]
        columns = parts if parts and self.chance.random() < 0.6 else self.state.columns
        condition = draw_plain(self.chance, columns, self.state.pools, 1, self.zone)
        rows = self._draw()
        # An empty text is judged as it is given, and stored as null in a partition column: no row for here.
        places = [place for place, each in enumerate(rows.columns) if each.name.lower() in {n.lower() for n in names}]
        plain_rows = Rows(rows.columns, tuple(row for row in rows.values if all(row[at] != "" for at in places)))
        holds = [condition.judged(row) is True for row in self._as_rows(plain_rows)]
        is_wrong = self.chance.random() < 0.1 and not all(holds)
        fitting = tuple(row for row, held in zip(plain_rows.values, holds, strict=True) if held or is_wrong)
        given = Rows(rows.columns, fitting, rows.files)
        kept = [row for row in self.rows if condition.judged(row) is not True]
        self._write(
            f"replace {condition.text}",
            given,
            {"replaceWhere": condition.text},
            kept,
            overwrite=True,
            must_fail=is_wrong,
        )

    def _alter(self) -> None:
        table, state = Table(self.path), self.state
        free = [column for column in state.columns[1:] if column.name not in state.partition_by]
        if state.properties.get(MAPPING) not in MAPPED or len(free) < 2:
            return self._append()
        column = self.chance.choice(free)
        place = state.columns.index(column)
        state.former.add(column.name)
        if self.chance.random() < 0.5:
            self.done.append(f"drop {column.name}")
            table.drop_columns(quoted(column.name))
            del state.columns[place]
            for row in self.rows:
                row.pop(column.name.lower())
        else:
            taken = {each.name.lower() for each in state.columns}
            names = [name for name in (*nasty.COLUMN_NAMES, *nasty.MAPPED_ONLY_NAMES) if name.lower() not in taken]
            name = self.chance.choice(again(self.chance, state, names))
            self.done.append(f"rename {column.name} to {name}")
            table.rename_column(quoted(column.name), name)
            state.columns[place] = Column(name, column.type)
            state.pools[name.lower()] = state.pools[column.name.lower()]
            for row in self.rows:
                row[name.lower()] = row.pop(column.name.lower())
        return self._judge(len(self.versions))

    # --- rows ----------------------------------------------------------------------------------

    def _draw(self) -> Rows:
        rows = draw_rows(self.chance, self.state, self.state.columns)
        return varied(self.chance, rows) if self.state.is_wide and self.chance.random() < 0.4 else rows

    def _as_rows(self, rows: Rows) -> list[dict[str, Any]]:
        found = []
        rows = fitted(rows, self.state.columns)
        for values in rows.values:
            row = {
                each.name.lower(): in_row(value, each.type) for each, value in zip(rows.columns, values, strict=True)
            }
            for name in self.state.partition_by:
                row[name.lower()] = None if row[name.lower()] == "" else row[name.lower()]
            found.append(row)
        return found

    def _partition(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        values = [row[name.lower()] for name in self.state.partition_by]
        return tuple(repr(value + 0.0 if isinstance(value, float) else value) for value in values)

    def _wanted(self) -> Bag:
        columns = self.state.columns
        arrays = [
            pa.array([row.get(each.name.lower()) for row in self.rows], arrow_type(each.type)) for each in columns
        ]
        return counted(pa.Table.from_arrays(arrays, names=[each.name for each in columns]))

    # --- judged --------------------------------------------------------------------------------

    def _write(
        self,
        what: str,
        rows: Rows,
        options: Mapping[str, str],
        kept: Sequence[dict[str, Any]],
        *,
        overwrite: bool,
        must_fail: bool = False,
    ) -> None:
        self.done.append(what)
        before = self.log.version()
        try:
            self.source.write(rows, options, overwrite=overwrite)
        except Exception as error:
            code = code_of(error)
            self.outcome.refusals[code] += 1
            if self.log.version() != before:
                raise WrongError("not undone", described(error)) from error
            left = self.log.strangers(before) if before >= 0 else []
            if left:
                raise WrongError("files", f"{code} has left {left}") from error
            if not must_fail and code not in CANNOT:
                raise
            return
        if must_fail:
            raise WrongError("not refused", what)
        is_nothing = before >= 0 and not rows.values and len(kept) == len(self.rows)
        self.rows = [dict(row) for row in kept] + self._as_rows(rows)
        for row in self.rows:
            for column in self.state.columns:
                row.setdefault(column.name.lower(), None)
        # A write that adds no row and replaces none leaves no version, but for the columns that it brings.
        self._judge(before if is_nothing and self.log.version() == before else before + 1)

    def _judge(self, version: int) -> None:
        if self.log.version() != version:
            raise WrongError("versions", f"the version is {self.log.version()}, and must be {version}")
        wanted = self._wanted()
        columns = tuple(self.state.columns)
        ensure_same("rows", wanted, self.source.read(columns))
        problems = self.log.problems(version) + self.log.strangers(version)
        if problems:
            raise WrongError("files", "; ".join(problems))
        if version == len(self.versions):
            self.versions.append((columns, wanted))

    def _probe(self, condition: Plain) -> None:
        """A read with what Spark would push down lacks no row for which the condition is true."""
        self.done.append(f"probe {condition.text} with {condition.filters}")
        columns = self.state.columns
        rows = self.rows
        self.rows = [row for row in rows if condition.judged(row) is True]
        try:
            wanted = self._wanted()
        finally:
            self.rows = rows
        if condition.filters:  # without any it is the read that was judged behind the last write
            found = self.source.read(columns, filters=condition.filters)
            ensure_same("probe", wanted - found, Counter())
        chosen = self.source.read(columns, options={"filesWhere": condition.text})
        ensure_same("probe of files", wanted - chosen, Counter())
