"""Runs a program on a table of the library and on a twin of delta-spark, and compares them after every step."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from typing import TYPE_CHECKING

from tests.differential.expected import WrongError
from tests.differential.judge import CHANGE_TYPE, ensure_same, is_on
from tests.differential.log_files import LogFiles
from tests.differential.peer import Twin
from tests.differential.program import (
    SOURCE,
    Clone,
    Convert,
    Create,
    Merge,
    Move,
    Probe,
    Program,
    Restore,
    SetProperties,
    Settings,
    Step,
    Vacuum,
)
from tests.differential.runner import TASKS_CANNOT, Failure, Outcome, code_of, described, set_up
from tests.differential.subject import Subject
from tests.differential.values import Bag, counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

META = ("_commit_version", "_commit_timestamp")
ROWS = ("numDeletedRows", "numUpdatedRows", "numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted")
"""Metrics that do not depend on how rows lie in files."""


def run_beside(spark: SparkSession, program: Program, folder: str | None = None) -> Outcome:
    """A program on two tables of its own, whose files are deleted afterwards."""
    started = time.monotonic()
    scratch = tempfile.mkdtemp(prefix="differential-", dir=folder)
    set_up(spark, Settings())
    try:
        outcome = BesideRun(spark, scratch).of(program)
    finally:
        set_up(spark, Settings())
        shutil.rmtree(scratch, ignore_errors=True)
    outcome.seconds = time.monotonic() - started
    return outcome


PEER_CANNOT = ("[INVALID_ATTRIBUTE_NAME_SYNTAX]",)
"""Errors of delta-spark alone, whose MERGE takes names apart that begin with a dot; the program ends there."""

PEER_CANNOT_CREATE = "[DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION]"
"""delta-spark makes no table with rows, column mapping and a change feed at once, though nothing was there before."""


class BesideRun:
    """One program on a pair of tables."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self._spark = spark
        self._folder = folder
        self._subject, self._twin = Subject(spark, f"{folder}/ours", is_steady=True), Twin(spark, f"{folder}/theirs")
        self._ours, self._theirs = LogFiles(self._subject.path), LogFiles(self._twin.path)
        self._left: list[tuple[Subject, Twin, list[tuple[int, int]]]] = []
        """Tables that a CLONE or CONVERT was made of, with the versions that have all their files."""
        self._moves = 0
        self._pairs: list[tuple[int, int]] = []
        self._oldest = 0
        self._properties: dict[str, str] = {}
        self.outcome = Outcome()

    def of(self, program: Program) -> Outcome:
        """Step by step, to the first difference."""
        at = 0
        try:
            for step in program.steps:
                if isinstance(step, Settings):
                    set_up(self._spark, step)
                if not isinstance(step, Create | Settings) and not self._pairs:
                    break
                self._step(step)
                at += 1
                if self.outcome.stopped:
                    break
            self._compare_versions()
        except WrongError as error:
            self.outcome.failure = Failure(error.kind, at, str(error))
        except Exception as error:  # noqa: BLE001 - whatever a read raises is a finding
            self.outcome.failure = Failure(f"raised {type(error).__name__}", at, described(error))
        self.outcome.versions = len(self._pairs)
        return self.outcome

    def _step(self, step: Step) -> None:
        before = (self._ours.version(), self._theirs.version())
        if isinstance(step, Probe):
            self._probe(step.condition)
            return
        back, latest = (0, 0), 0
        if isinstance(step, Restore):
            # Statements without effect are versions in one of the logs only.
            older = [pair for pair in self._pairs if pair[0] < before[0] and pair[1] < before[1]]
            if not older:
                return
            back = older[max(0, len(older) - step.back)]
            latest = back[0] + step.back
        if isinstance(step, Clone | Convert):
            self._move(step)
            return
        ours = attempt(lambda: self._subject.carry_out(step, latest))
        if isinstance(ours, Exception):
            code = code_of(ours)
            self.outcome.refusals[code] += 1
            if getattr(step, "way", "") == SOURCE and code in TASKS_CANNOT:
                return
        theirs = attempt(lambda: self._twin.carry_out(step, back[1]))
        cannot = (*PEER_CANNOT, PEER_CANNOT_CREATE) if isinstance(step, Create) else PEER_CANNOT
        if ours is None and any(known in str(theirs) for known in cannot):
            self.outcome.stopped = True
            return
        if isinstance(ours, Exception) != isinstance(theirs, Exception):
            who = f"only ours refuses: {described(ours)}" if isinstance(ours, Exception) else "only delta-spark refuses"
            raise WrongError("refused by one", who if theirs is None else f"{who}: {theirs}"[:1500])
        after = (self._ours.version(), self._theirs.version())
        if ours is None and -1 not in after:
            self._compare(step, before, after)

    def _move(self, step: Move) -> None:
        """CLONE or CONVERT by both, and on in what they made."""
        of = self._pairs[max(0, len(self._pairs) - 1 - getattr(step, "back", 0))]
        self._moves += 1
        number = self._moves
        ours = attempt(lambda: self._subject.moved(step, f"{self._folder}/ours-{number}", of[0]))
        theirs = attempt(lambda: self._twin.moved(step, f"{self._folder}/theirs-{number}", of[1]))
        if isinstance(ours, Exception) != isinstance(theirs, Exception):
            raise WrongError("refused by one", f"ours: {ours!r}; delta-spark's: {theirs!r}"[:1500])
        if not isinstance(ours, Subject) or not isinstance(theirs, Twin):
            self.outcome.refusals[code_of(ours) if isinstance(ours, Exception) else ""] += 1
            return
        self._left.append((self._subject, self._twin, self._pairs[self._oldest :]))
        self._subject, self._twin, self._pairs, self._oldest = ours, theirs, [(0, 0)], 0
        self._ours, self._theirs = LogFiles(ours.path), LogFiles(theirs.path)
        if isinstance(step, Convert):
            self._properties = {}
        self._compare(step, (-1, -1), (0, 0))

    def _compare_versions(self) -> None:
        """Every version that has all its files, of this table and of those that were left."""
        for subject, twin, pairs in [*self._left, (self._subject, self._twin, self._pairs[self._oldest :])]:
            for ours, theirs in pairs:
                ensure_same(f"time travel to {ours}", bag(twin.rows(theirs)), bag(subject.rows(version=ours)))

    def _probe(self, condition: str) -> None:
        ours = attempt(lambda: bag(self._subject.rows(condition)))
        theirs = attempt(lambda: bag(self._twin.rows().where(condition)))
        if isinstance(ours, Exception) != isinstance(theirs, Exception):
            raise WrongError("probe refused by one", f"{condition}: {ours!r} and {theirs!r}"[:1500])
        if isinstance(ours, Counter) and isinstance(theirs, Counter):
            ensure_same("probe", theirs, ours)

    def _compare(self, step: Step, before: tuple[int, int], after: tuple[int, int]) -> None:
        has_feed = is_on(self._properties, "delta.enableChangeDataFeed")
        if isinstance(step, Create | SetProperties):
            self._properties.update(step.properties)
        ensure_same("rows", bag(self._twin.rows()), bag(self._subject.rows()))
        ensure_same(
            "rows as delta-spark reads them", bag(self._twin.rows()), bag(Twin(self._spark, self._subject.path).rows())
        )
        if isinstance(step, Vacuum):  # both note in their logs that it ran
            if not step.retains:
                self._oldest = len(self._pairs) - 1
            self._pairs[-1] = after
            self._compare_versions()
            return
        if before == after or isinstance(step, Clone | Convert):
            return
        self._pairs.append(after)
        if after[0] == before[0] or after[1] == before[1]:
            self.outcome.refusals[f"only one commits {type(step).__name__}"] += 1
            return
        if has_feed and not isinstance(step, SetProperties | Restore):
            ensure_same("feed", bag(self._twin.feed(after[1])), bag(self._subject.feed(after[0])))
        self._compare_metrics(step, after)

    def _compare_metrics(self, step: Step, after: tuple[int, int]) -> None:
        ours, theirs = self._ours.metrics(after[0]), self._theirs.metrics(after[1])
        for name in (*ROWS, "numSourceRows" if isinstance(step, Merge) else "numDeletedRows"):
            if name in ours and name in theirs and ours[name] != theirs[name]:
                raise WrongError("metrics", f"{name} is {ours[name]}, and delta-spark's is {theirs[name]}")


def attempt(act: object) -> object:
    """What an act gives, or what it raises."""
    assert callable(act)
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - compared with the other's
        return error


def bag(rows: DataFrame) -> Bag:
    """Rows as a multiset, columns in the order of their names."""
    found = rows.toArrow()
    names = sorted(name for name in found.column_names if name not in META)
    return counted(
        found.select([*(name for name in names if name == CHANGE_TYPE), *(n for n in names if n != CHANGE_TYPE)])
    )
