"""Runs a program on a fresh table and judges it after every step."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

import deltaresolver.spark as ds
from deltaresolver.errors import DeltaResolverError
from tests.differential.expected import Expected, RefusedError, UnknownOutcomeError, WrongError
from tests.differential.judge import Judge
from tests.differential.log_files import LogFiles
from tests.differential.oracle import Oracle
from tests.differential.program import SOURCE, Clone, Convert, Create, Move, Probe, Program, Settings, Step, Vacuum
from tests.differential.subject import Subject

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {"spark.sql.ansi.enabled": "true", "spark.sql.session.timeZone": "UTC"}
_CODE = re.compile(r"\bDR\d{3}\b")
TASKS_CANNOT = frozenset({"DR781"})
"""What the data source refuses that the DataFrame API does: conditions and rules that take Spark itself."""


@attrs.frozen
class Failure:
    """What a program found, and where."""

    kind: str
    step: int
    message: str


@attrs.define
class Outcome:
    """What came of a program."""

    failure: Failure | None = None
    refusals: Counter[str] = attrs.Factory(Counter)
    """Codes of what was refused, as it had to be or as the data source may."""
    versions: int = 0
    seconds: float = 0.0
    stopped: bool = False
    """Whether the oracle had to give up before the end."""


def run_program(spark: SparkSession, program: Program, folder: str | None = None) -> Outcome:
    """A program on a table of its own, whose files are deleted afterwards."""
    started = time.monotonic()
    scratch = tempfile.mkdtemp(prefix="differential-", dir=folder)
    set_up(spark, Settings())
    try:
        outcome = Run(spark, f"{scratch}/table").of(program)
    finally:
        set_up(spark, Settings())
        shutil.rmtree(scratch, ignore_errors=True)
    outcome.seconds = time.monotonic() - started
    return outcome


def set_up(spark: SparkSession, settings: Settings) -> None:
    """The session's settings, which the data source learns too."""
    spark.conf.set("spark.sql.ansi.enabled", str(settings.ansi).lower())
    spark.conf.set("spark.sql.session.timeZone", settings.zone)
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic" if settings.dynamic else "static")
    spark.conf.set("spark.sql.caseSensitive", str(settings.is_exact).lower())
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    ds.register(spark)


class Run:
    """One program on one table."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self._first_path = path
        self._oracle = Oracle(spark)
        self._subject = Subject(spark, path)
        self._log = LogFiles(path)
        self._judge = Judge(self._subject, self._oracle, self._log)
        self._left: list[Judge] = []
        """Tables that a CLONE or CONVERT was made of, which stay as they are."""
        self._moves = 0
        self.outcome = Outcome()

    def of(self, program: Program) -> Outcome:
        """Step by step, to the first failure."""
        at = 0
        try:
            for step in program.steps:
                if not isinstance(step, Create | Settings) and not self._oracle.versions:
                    break  # the table was refused: nothing can be done to it
                if not self._step(step):
                    self.outcome.stopped = True
                    break
                at += 1
            for judge in (self._judge, *self._left):
                judge.versions(by_source=program.seed is not None and program.seed % 3 == 0)
                judge.folder()
        except WrongError as error:
            self.outcome.failure = Failure(error.kind, at, str(error))
        except Exception as error:  # noqa: BLE001 - whatever a read raises is a finding
            self.outcome.failure = Failure(f"raised {type(error).__name__}", at, described(error))
        self.outcome.versions = len(self._oracle.versions)
        return self.outcome

    def _step(self, step: Step) -> bool:
        """Carry a step out and judge; False where it cannot be known what it must come to."""
        if isinstance(step, Settings):
            set_up(self._spark, step)
        if isinstance(step, Probe):
            if self._oracle.versions:
                self._probe(step)
            return True
        before = self._log.version()
        expected, refused = self._expected(step)
        moved: Subject | None = None
        raised: Exception | None = None
        try:
            if isinstance(step, Clone | Convert):
                self._moves += 1
                moved = self._subject.moved(step, self._next_path, max(0, before - getattr(step, "back", 0)))
            else:
                self._subject.carry_out(step, before)
        except Exception as error:  # noqa: BLE001 - judged below
            raised = error
        after = self._log.version()
        if raised is not None:
            is_made = isinstance(step, Clone | Convert) and LogFiles(self._next_path).version() >= 0
            doubt = RefusedError("it is in doubt") if expected is not None and expected.may_be_refused else None
            self._refused(step, raised, refused or doubt, is_changed=after != before or is_made)
            return True
        if expected is None:
            if isinstance(refused, UnknownOutcomeError):
                return False
            raise WrongError("not refused", f"{refused}")
        if isinstance(step, Clone | Convert) and moved is not None:
            self._go_on_in(moved, step, expected)
        else:
            self._judged(step, expected, before, after)
        return True

    def _expected(self, step: Step) -> tuple[Expected | None, Exception | None]:
        """What a step must come to, or why the oracle does not say so."""
        try:
            return self._oracle.expect(step), None
        except (RefusedError, UnknownOutcomeError) as error:
            return None, error

    @property
    def _next_path(self) -> str:
        """Where the next table is made."""
        return f"{self._first_path}-{self._moves}"

    def _go_on_in(self, moved: Subject, step: Move, expected: Expected) -> None:
        self._left.append(self._judge)
        self._subject, self._oracle = moved, self._oracle.moved(step, expected)
        self._log = LogFiles(moved.path)
        self._judge = Judge(self._subject, self._oracle, self._log)
        if self._log.version() != 0:
            raise WrongError("versions", f"the first version is {self._log.version()}")
        self._judge.rows()
        self._judge.commit(0, expected, {})
        self._judge.row_ids(expected)
        self._judge.numbers(expected)

    def _probe(self, step: Probe) -> None:
        try:
            self._judge.probe(step.condition)
        except RefusedError:
            return  # Spark itself makes no sense of the condition

    def _refused(self, step: Step, raised: Exception, refused: Exception | None, *, is_changed: bool) -> None:
        """Only what must or may be refused is, and then nothing has happened."""
        code = code_of(raised)
        self.outcome.refusals[code] += 1
        if is_changed:
            raise WrongError("not undone", f"there is a new version after {described(raised)}")
        allowed = refused is not None or (getattr(step, "way", "") == SOURCE and code in TASKS_CANNOT)
        if not allowed:
            raise WrongError(f"refused {code}", described(raised))
        if self._oracle.versions:
            self._judge.rows()
            self._judge.folder()

    def _judged(self, step: Step, expected: Expected, before: int, after: int) -> None:
        # VACUUM notes when it starts and when it is done.
        most = 2 if isinstance(step, Vacuum) else 1
        if not before <= after <= before + most:
            raise WrongError("versions", f"the version was {before} and is {after}")
        properties = dict(self._oracle.properties)
        self._oracle.accept(step, expected, is_version=after > before)
        for _ in range(before + 1, after):
            self._oracle.accept(step, expected, is_version=True)
        if isinstance(step, Create):
            properties = self._oracle.properties
        if not self._oracle.versions:
            return
        self._judge.rows()
        if after > before:
            self._judge.commit(after, expected, properties)
        self._judge.row_ids(expected)
        self._judge.numbers(expected)
        if isinstance(step, Vacuum):
            for judge in (self._judge, *self._left):
                judge.versions(by_source=False)


def code_of(error: Exception) -> str:
    """The library's code in an error, also in one of Spark's around it; else the error's name."""
    if isinstance(error, DeltaResolverError):
        return error.code
    found = _CODE.findall(str(error))
    return found[-1] if found else type(error).__name__


def described(error: Exception) -> str:
    """The error in some lines."""
    text = f"{type(error).__name__}: {error}"
    return text if len(text) < 1500 else f"{text[:700]} ... {text[-700:]}"


def scratch_folder() -> str:
    """Where tables of programs lie: in memory where that is possible."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() else tempfile.gettempdir()
