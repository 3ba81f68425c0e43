"""Casts, declared lengths and comparisons in sessions that read them otherwise, by the library and by delta-spark."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

import deltaresolver.spark as ds
from tests.differential.peer import Twin
from tests.differential.program import WRITE, Column, Create, Delete, Optimize, Rows, Step, Update
from tests.differential.subject import Subject
from tests.differential.values import Bag, counted
from tests.sessions.settings import Setting
from tests.sessions.sweep import set_to

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = (
    Column("id", "INT"),
    Column("b", "BYTE"),
    Column("n", "DECIMAL(10,2)"),
    Column("f", "FLOAT"),
    Column("d", "DATE"),
    Column("s", "STRING"),
    Column("c", "CHAR(4)"),
    Column("v", "VARCHAR(4)"),
)
ROWS = Rows(
    COLUMNS,
    (
        (1, 1, "1.50", "0.1", "2024-01-01", "1", "ab", "ab"),
        (2, 127, "0.00", "NaN", "1500-01-01", "01", "ab  ", "ab  "),
        (3, -128, "99999999.99", "-0.0", None, "x", "", ""),
        (4, None, None, None, "9999-12-31", None, None, None),
        (5, 0, "-0.01", "Infinity", "1970-01-01", "1.0", "abcd", "abcd"),
        (6, 2, "2", "2", "2024-02-29", "2024-01-01", " ab", "a"),
    ),
)

REFUSED = "refused: "
ANSI, POLICY = "spark.sql.ansi.enabled", "spark.sql.storeAssignmentPolicy"
AS_STRINGS = Setting("spark.sql.legacy.charVarcharAsString", "true")
"""Texts are shown as they are stored."""
CAST_SESSIONS = [
    (Setting(ANSI, ansi), Setting(POLICY, policy))
    for ansi, policy in itertools.product(("true", "false"), ("ANSI", "LEGACY", "STRICT"))
]
LENGTH_SESSIONS = [
    (AS_STRINGS,),
    (Setting("spark.sql.readSideCharPadding", "false"),),
    (Setting("spark.sql.legacy.noCharPaddingInPredicate", "true"),),
    (Setting("spark.sql.preserveCharVarcharTypeInfo", "true"),),
    (Setting("spark.sql.charAsVarchar", "true"),),
    (Setting("spark.sql.readSideCharPadding", "false"), Setting("spark.sql.legacy.noCharPaddingInPredicate", "true")),
]

_ASSIGNED = (
    ("b", "300"), ("b", "id + 125"), ("b", "'5'"), ("b", "'x'"), ("b", "'300'"), ("b", "1.5"), ("b", "1e10"),
    ("b", "true"),
    ("b", "s"), ("n", "123456789.99"), ("n", "1.005"), ("n", "'1.5'"), ("n", "f"), ("n", "1e30"), ("f", "1e39"),
    ("f", "'0.1'"), ("f", "n"), ("d", "'2024-01-02'"), ("d", "'soon'"), ("d", "timestamp'2024-01-02 03:04:05'"),
    ("d", "5"), ("s", "5"), ("s", "f"), ("s", "n"), ("s", "d"), ("s", "true"), ("id", "n"), ("id", "3000000000"),
    ("id", "cast('NaN' as float)"), ("id", "null"),
)  # fmt: skip
_CONDITIONS = (
    "s = 1", "s > 1", "s IN (1, 2)", "b = '127'", "b = '127.0'", "b = 'x'", "b > '1'", "f = 0.1", "f = '0.1'",
    "f = 0", "f > 1",
    "n = '1.5'", "n = 1.5", "d = '2024-01-01'", "d = 'soon'", "d > '2024'", "d < '2024-1-5'", "cast(s as int) = 1",
    "id / 0 > 1",
    "b + id > 0", "b * 2 > 100", "s IN ('1', 2)", "d IN ('2024-01-01', 'soon')", "cast(n as byte) = 1", "s = true",
    "id = true",
    "s BETWEEN 0 AND 5", "NOT s = 1", "s <=> 1", "id % 0 = 1", "b = 300", "n > 1e10", "coalesce(s, 0) = 0",
)  # fmt: skip
_OF_LENGTHS = (
    "c = 'ab'", "c = 'ab  '", "c IN ('ab', 'x')", "c LIKE 'ab'", "c LIKE 'ab%'", "c > 'ab'", "c < 'ab'",
    "c <=> 'ab'", "c = ''",
    "length(c) = 4", "c = v", "c = s", "v = 'ab'", "v = 'ab  '", "c = 'abcdef'", "NOT c = 'ab'",
    "c BETWEEN 'a' AND 'ab'",
    "concat(c, 'x') = 'abx'", "c IS NULL OR c = 'ab'", "v IN ('ab  ')",
)  # fmt: skip
_LENGTHS_ASSIGNED = (
    ("c", "'xy'"),
    ("c", "'toolong'"),
    ("c", "v"),
    ("v", "c"),
    ("v", "'toolong'"),
    ("v", "'abcd   '"),
    ("s", "c"),
)
_APPENDED = (
    "select 7 id, 300 b", "select 7 id, 5 b", "select 7L id", "select 3000000000L id", "select '7' id", "select 'x' id",
    "select 7 id, 1.005 n", "select 7 id, 1 n", "select 7 id, 1e10 f", "select 7 id, '2024-01-01' d",
    "select 7 id, 5 s",
    "select 7 id, timestamp'2024-01-01 01:02:03' d", "select 7 id, 123456789012.5 n", "select 7 id, 'toolong' c",
    "select 7 id, 'xy' c, 'xy' v", "select 7 id, 'toolong' v", "select 7 id, cast('xy' as char(6)) c", "select null id",
)  # fmt: skip


@attrs.frozen
class Case:
    """What both do in a session: a text that says what, and the act on a table of either."""

    settings: tuple[Setting, ...]
    text: str
    act: Callable[[Subject | Twin], object]
    is_unfilled: bool = False
    """Whether texts of char(n) have fewer characters, as sessions leave them that take it for a string."""


def _step(step: Step) -> Callable[[Subject | Twin], object]:
    return lambda table: table.carry_out(step)


def _appended(query: str) -> Callable[[Subject | Twin], object]:
    def append(table: Subject | Twin) -> object:
        rows = table.spark.sql(query)
        if isinstance(table, Twin):
            rows.write.format("delta").mode("append").save(table.path)
            return None
        return ds.write(rows, table.path, mode="append")

    return append


def cases() -> Iterator[Case]:
    """Every statement in every session that may read it otherwise."""
    lists = ((CAST_SESSIONS, _ASSIGNED, _CONDITIONS), (LENGTH_SESSIONS, _LENGTHS_ASSIGNED, _OF_LENGTHS))
    for sessions, assigned, conditions in lists:
        for settings in sessions:
            for name, value in assigned:
                yield Case(settings, f"SET {name} = {value}", _step(Update("id IN (1, 5)", ((name, value),))))
            for condition in conditions:
                yield Case(settings, f"DELETE WHERE {condition}", _step(Delete(condition)))
            for query in _APPENDED:
                yield Case(settings, f"append {query}", _appended(query))
    copying: tuple[Step, ...] = (
        Delete("id = 3"),
        Update("id = 3", (("v", "'new'"),)),
        Optimize(),
        Delete("c = 'ab'"),
        Delete("c = 'ab  '"),
    )
    for settings, step in itertools.product([(), *LENGTH_SESSIONS], copying):
        yield Case(settings, f"{step!r} beside texts that are not filled up", _step(step), is_unfilled=True)


class Beside:
    """Both, on copies of one table."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark, self._folder = spark, folder
        Twin(spark, str(folder / "base")).carry_out(Create(ROWS, COLUMNS, (), (), WRITE))
        with set_to(spark, AS_STRINGS):
            Twin(spark, str(folder / "unfilled")).carry_out(Create(ROWS, COLUMNS, (), (), WRITE))

    def differences(self, some: Sequence[Case]) -> Iterator[tuple[Case, str, str]]:
        """The cases in which both do not come to the same, and what they come to."""
        for case in some:
            ours, theirs = (self._of(kind, case) for kind in (Subject, Twin))
            if ours != theirs and not (ours.startswith(REFUSED) and theirs.startswith(REFUSED)):
                yield case, ours, theirs

    def _of(self, kind: type[Subject | Twin], case: Case) -> str:
        path = self._folder / kind.__name__
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(self._folder / ("unfilled" if case.is_unfilled else "base"), path)
        with ExitStack() as stack:
            for setting in case.settings:
                stack.enter_context(set_to(self._spark, setting))
            try:
                case.act(kind(self._spark, str(path)))
            except Exception as error:  # noqa: BLE001 - compared with the other's
                return REFUSED + str(error)[:200]
        with set_to(self._spark, AS_STRINGS):
            return _shown(counted(ds.read(self._spark, path).toArrow()))


def _shown(rows: Bag) -> str:
    return repr(sorted(rows.elements(), key=repr))
