"""Whole transactions: real commands of both libraries on twin tables, and their commits compared field by field."""

from __future__ import annotations

import itertools
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

import deltaresolver.spark as ds
from deltaresolver.errors import DeltaResolverError
from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from tests.live.commit_difference import differences_of_commits, known_difference, layouts
from tests.live.commit_log import ReadLog
from tests.live.commit_tables import COUNTED, TABLE
from tests.peers.delta_spark import start_delta_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Json = dict[str, Any]


def run_programs(programs: Iterable[Json]) -> tuple[ConformanceReport, Counter[str]]:
    """Carry out programs by both, and count the kinds of statements compared.

    Raises PeerUnavailableError where delta-spark cannot run.
    """
    spark = start_delta_spark(light=True).spark
    passed = statements = compared = 0
    failures: list[Failure] = []
    known: list[KnownDifference] = []
    reached: Counter[str] = Counter()
    for program in programs:
        with tempfile.TemporaryDirectory(prefix="commits-") as scratch:
            twins = _Twins(spark, Path(scratch))
            twins.carry_out(program["steps"])
        statements += len(program["steps"])
        compared += twins.done
        reached.update(_kind(step) for step in program["steps"][: twins.done])
        if twins.failures:
            failures.append(Failure(program["id"], "\n".join(twins.failures)))
        elif twins.known:
            known.append(KnownDifference(program["id"], next(iter(twins.known))))
        else:
            passed += 1
    return ConformanceReport("commits", passed, tuple(failures), tuple(known), statements, compared), reached


@attrs.define
class _Twins:
    """A table of this library and one of delta-spark, to which the same is done."""

    spark: SparkSession
    scratch: Path
    done: int = 0
    """After how many statements the two were compared."""
    failures: list[str] = attrs.field(factory=list)
    known: dict[str, None] = attrs.field(factory=dict)
    """Why differences are known."""
    logs: tuple[ReadLog, ReadLog] = attrs.field(factory=lambda: (ReadLog(), ReadLog()))
    settings: dict[str, str | None] = attrs.field(factory=dict)
    """Settings that the program changed, and what they were."""

    def carry_out(self, steps: list[str]) -> None:
        """Do every step to both, up to one that only one of them does on a table which the other does not have."""
        try:
            for step in steps:
                self.done += 1
                if step.startswith("@conf "):
                    self._set(*step.split()[1:])
                    continue
                found = list(self._differences(step))
                self.failures += [f"{step}: {one}" for one in found]
                if found and not self._made_alike():
                    return
            if self._rows("here") != self._rows("there"):
                self.failures.append(f"rows: here {self._rows('here')}, there {self._rows('there')}")
        finally:
            self._forget_settings()

    def _differences(self, step: str) -> Iterator[str]:
        here = _refusal(self._done_here, step, self.scratch / "here", DeltaResolverError)
        there = _refusal(self._done_there, step, self.scratch / "there", Exception)
        if (here is None) != (there is None):
            yield f"here {here or 'done'}, there {there or 'done'}"
        both = [log.new_commits(self.scratch / name) for name, log in zip(("here", "there"), self.logs, strict=True)]
        alike = True
        for mine, theirs in itertools.zip_longest(*both):
            alike = alike and layouts(mine) == layouts(theirs)
            found = differences_of_commits(mine, theirs)
            reason = known_difference(step, mine, theirs) if found else None
            if reason is not None and self._rows("here") == self._rows("there"):
                self.known[reason] = None
                self._made_alike()
            else:
                yield from found
        if not alike:
            self._made_alike()

    def _made_alike(self) -> bool:
        """Gives this library delta-spark's table, to compare what comes after a difference. False if there is none."""
        if not (self.scratch / "there").exists():
            return False
        shutil.rmtree(self.scratch / "here", ignore_errors=True)
        shutil.copytree(self.scratch / "there", self.scratch / "here")
        self.logs[0].take(self.logs[1])
        jvm = self.spark._jvm
        assert jvm is not None
        jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
        return True

    def _forget_settings(self) -> None:
        for key, value in self.settings.items():
            if value is None:
                self.spark.conf.unset(key)
            else:
                self.spark.conf.set(key, value)

    def _set(self, key: str, value: str) -> None:
        self.settings.setdefault(key, self.spark.conf.get(key, None))
        self.spark.conf.set(key, value)

    def _done_here(self, step: str, path: Path) -> None:
        if step.startswith("@write "):
            _, mode, options, query = step.split(" ", 3)
            ds.write(self.spark.sql(query), path, mode=mode, options=json.loads(options))
            return
        ds.sql(self.spark, step.replace(TABLE, f"delta.`{path}`")).collect()

    def _done_there(self, step: str, path: Path) -> None:
        if step.startswith("@write "):
            _, mode, options, query = step.split(" ", 3)
            self.spark.sql(query).write.format("delta").mode(mode).options(**json.loads(options)).save(str(path))
            return
        self.spark.sql(step.replace(TABLE, f"delta.`{path}`")).collect()

    def _rows(self, name: str) -> list[str]:
        """The rows of a table as delta-spark reads them, as texts, without numbers that columns count by themselves."""
        if not (self.scratch / name).exists():
            return []
        frame = self.spark.read.format("delta").load(str(self.scratch / name)).drop(COUNTED)
        # Python has no days before the year 1 in any zone.
        texts = (f"hex(`{name}`)" if kind == "binary" else f"CAST(`{name}` AS STRING)" for name, kind in frame.dtypes)
        return sorted(map(str, frame.selectExpr(*texts).collect()))


def _kind(step: str) -> str:
    """The first words of a statement; of a setting its name."""
    words = step.split()
    return words[1] if words[0] == "@conf" else " ".join(word for word in words[:2] if word != TABLE)


def _refusal(run: Callable[[str, Path], None], step: str, path: Path, refused: type[Exception]) -> str | None:
    """Why a step was refused; None once it is carried out."""
    try:
        run(step, path)
    except refused as error:
        return str(error).strip().splitlines()[0][:300]
    return None
