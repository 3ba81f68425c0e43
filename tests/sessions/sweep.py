"""Carries out statements in a session with one odd setting, and compares the rows with plain values.

Where they differ, or something is refused, delta-spark does the same under the same setting, if it is there.
"""

from __future__ import annotations

import contextlib
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pyarrow as pa

import deltaresolver.spark as ds
from tests.differential.evaluation import Evaluation
from tests.differential.peer import Twin
from tests.differential.program import SOURCE, Create, Probe
from tests.differential.runner import code_of
from tests.differential.subject import Subject, given_rows
from tests.differential.values import Bag, arrow_table, conformed, counted
from tests.sessions.rows import Lake, draw_lake
from tests.sessions.settings import Setting
from tests.sessions.statements import Statement, share, statements

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

OURS, THEIRS = "ours", "delta-spark"
KINDS = {
    "plain": {},
    "vectors": {"delta.enableDeletionVectors": "true"},
    "mapped by name": {"delta.columnMapping.mode": "name"},
    "mapped by id": {"delta.columnMapping.mode": "id"},
    "feed": {"delta.enableChangeDataFeed": "true", "delta.enableRowTracking": "true"},
}
"""Properties of the tables."""
SAME = "same"


@attrs.frozen
class Finding:
    """What came of a statement in a session with a setting."""

    setting: str
    statement: str
    table: str
    ours: str
    """`same`, `refused` with a code, or what differs."""
    theirs: str | None = None
    """The same of delta-spark; None where it was not asked."""

    @property
    def is_wrong(self) -> bool:
        """Whether rows are lost or changed, and not as delta-spark does it."""
        is_refused = self.ours.startswith("refused")
        return self.ours != SAME and not is_refused and self.ours != self.theirs


@attrs.define
class MadeFrames(Evaluation):
    """The rows of statements as frames that were made before the setting was."""

    spark: SparkSession
    made: dict[Any, DataFrame] = attrs.Factory(dict)

    def frame(self, table: pa.Table, columns: Any) -> DataFrame:
        """The one that was made, or a new one."""
        key = (tuple(columns), frozenset(counted(table).items()))
        if key not in self.made:
            self.made[key] = Evaluation.frame(self, table, columns)
        return self.made[key]


class Sweep:
    """One lake's tables, and what becomes of them."""

    def __init__(self, spark: SparkSession, folder: Path, seed: int, *, with_peer: bool) -> None:
        self._spark = spark
        self._folder = folder
        self._seed = seed
        self._with_peer = with_peer
        self._lake: Lake = draw_lake(seed)
        self._frames = MadeFrames(spark)
        self._bases: dict[tuple[str, str], Path] = {}
        ds.register(spark)

    def run(self, setting: Setting, part: int = 1) -> Iterator[Finding]:
        """Statements in a session with this setting; every `part`-th of them, drawn by seed and setting."""
        chance = random.Random(f"{self._seed} {setting}")
        kind = chance.choice(list(KINDS))
        maker = chance.choice([OURS, THEIRS]) if self._with_peer else OURS
        chosen = share(statements(self._lake, chance), chance.randrange(part), part)
        for statement in chosen:
            ours = self._outcome(OURS, setting, statement, kind, maker)
            theirs = None
            if ours != SAME and self._with_peer:
                theirs = self._outcome(THEIRS, setting, statement, kind, maker)
            yield Finding(str(setting), statement.name, f"{kind} by {maker}", ours, theirs)

    def _base(self, kind: str, maker: str) -> Path:
        """A table with the first rows, made in a session without the setting."""
        key = (kind, maker)
        if key not in self._bases:
            path = self._folder / f"base-{len(self._bases)}"
            names = tuple(each.name for each in self._lake.partitions)
            rows = self._lake.rows(self._lake.first, 2)
            self._by(maker, path).carry_out(Create(rows, self._lake.columns, names, tuple(KINDS[kind].items())))
            self._bases[key] = path
            difference = _difference(self._lake.bag(self._lake.first), self._rows(OURS, str(path)))
            assert difference == SAME, f"{kind} by {maker}: {difference}"
        return self._bases[key]

    def _by(self, who: str, path: Path) -> Subject | Twin:
        table = Subject(self._spark, str(path), is_steady=True) if who == OURS else Twin(self._spark, str(path))
        table._evaluation = self._frames
        return table

    def _outcome(self, who: str, setting: Setting, statement: Statement, kind: str, maker: str) -> str:
        base = self._base(kind, maker)
        path = self._folder / "table"
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(base, path)
        table = self._by(who, path)
        rows = given_rows(statement.step)
        if rows is not None:
            self._frames.frame(arrow_table(rows), rows.columns)
        found: Bag | None = None
        try:
            with set_to(self._spark, setting):
                if isinstance(statement.step, Probe):
                    found = self._rows(who, str(path), statement.step.condition, statement.way)
                else:
                    table.carry_out(statement.step)
        except Exception as error:  # noqa: BLE001 - whatever comes is an outcome
            refusal = f"refused {code_of(error) or type(error).__name__} {str(error)[:200]!r}"
            left = _difference(self._lake.bag(self._lake.first), self._rows(OURS, str(path)))
            return refusal if left == SAME else f"changed and {refusal}: {left}"
        if found is None:
            found = self._rows(OURS, str(path))
        return _difference(self._lake.bag(statement.rows), found)

    def _rows(self, who: str, path: str, condition: str | None = None, way: str = "") -> Bag:
        if who == THEIRS:
            rows = self._spark.read.format("delta").load(path)
        elif way == SOURCE:
            rows = self._spark.read.format("deltaresolver").load(path)
        else:
            rows = ds.read(self._spark, path)
        if condition not in (None, "true"):
            rows = rows.where(condition)
        return counted(conformed(rows.toArrow(), self._lake.columns))


def _difference(wanted: Bag, found: Bag) -> str:
    if wanted == found:
        return SAME
    lost, more = sorted((wanted - found).elements(), key=repr), sorted((found - wanted).elements(), key=repr)
    pairs = [(old, new) for old in lost for new in more if old[0] == new[0]]
    values = [f"{old!r} is {new!r}" for row in pairs[:3] for old, new in zip(*row, strict=True) if old != new]
    return f"{len(lost)} lost, {len(more)} more: {'; '.join(values) or (lost[:1], more[:1])}"[:700]


@contextlib.contextmanager
def set_to(spark: SparkSession, setting: Setting) -> Iterator[None]:
    """The session with the setting, and afterwards without it; the data source is told."""
    earlier = spark.conf.get(setting.key, None) if setting.key in dict(spark.conf.getAll) else None
    spark.conf.set(setting.key, setting.value)
    try:
        ds.register(spark)
        yield
    finally:
        if earlier is None:
            spark.conf.unset(setting.key)
        else:
            spark.conf.set(setting.key, earlier)
        ds.register(spark)


def outcomes(findings: Sequence[Finding]) -> dict[str, int]:
    """How many statements came to what."""
    kinds = ["same" if each.ours == SAME else "wrong" if each.is_wrong else
             "refused" if each.ours.startswith("refused") else "as delta-spark" for each in findings]  # fmt: skip
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}
