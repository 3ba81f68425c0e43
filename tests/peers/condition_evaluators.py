"""The library's evaluators, asked what Spark was asked: conditions on rows of every type."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from deltaresolver.errors import DeltaResolverError, PredicateUnreadableError
from deltaresolver.expressions.arrow import evaluate, parse_expression
from deltaresolver.expressions.conditions import standard_text
from deltaresolver.expressions.statistics import pruning_predicate
from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.log.pruning.prune import prune
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.reading.select_files import JudgedParts, judged_parts
from tests.peers.record_conditions import SETTINGS, ZONE

Row = Mapping[str, str | None]
OPEN = "?"
"""The answer of an evaluator that leaves the question open."""


class Case:
    """A recorded condition with the rows it was asked of."""

    def __init__(self, line: Mapping[str, Any], columns: Mapping[str, str], rows: Sequence[Row]) -> None:
        self.sql: str = line["sql"]
        self.unusual: Mapping[str, str] = line["settings"]
        self.settings = {**SETTINGS, **self.unusual}
        self.answers: str = line["answers"]
        self.columns = columns
        self.rows = rows

    @property
    def zone(self) -> str:
        """The session's time zone."""
        return str(self.settings[ZONE])

    @property
    def text(self) -> str:
        """The condition as the library takes it from such a session."""
        return standard_text(self.sql, SqlReading.of(self.settings.get))

    def metadata(self, *, partitioned: bool) -> Metadata:
        """Of a table with these columns."""
        return _metadata(tuple(self.columns.items()), partitioned=partitioned)

    def judged(self, metadata: Metadata) -> JudgedParts:
        """What the library makes of the condition."""
        return judged_parts(self.text, metadata, self.zone)

    @cached_property
    def unpartitioned(self) -> JudgedParts:
        """What it makes of the condition on a table without partitions; several evaluators begin with it."""
        return self.judged(self.metadata(partitioned=False))


@lru_cache(maxsize=16)
def _metadata(columns: Sequence[tuple[str, str]], *, partitioned: bool) -> Metadata:
    fields = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in columns]
    schema = json.dumps({"type": "struct", "fields": fields})
    return Metadata("t", schema_string=schema, partition_columns=tuple(dict(columns)) if partitioned else ())


def cases(lines: Iterable[Mapping[str, Any]]) -> Iterator[Case]:
    """The cases of a recorded set."""
    columns: Mapping[str, str] = {}
    rows: Sequence[Row] = ()
    for line in lines:
        if "columns" in line:
            columns = line["columns"]
        elif "rows" in line:
            rows = line["rows"]
        else:
            yield Case(line, columns, rows)


# --- values ------------------------------------------------------------------------------------


def value_of(text: str | None, kind: str) -> Any:
    """The value of a recorded text, in Python."""
    if text is None:
        return None
    if kind in ("byte", "short", "integer", "long"):
        return int(text)
    if kind in ("float", "double"):
        return float(np.float32(text)) if kind == "float" else float(text)
    if kind.startswith("decimal"):
        return Decimal(text).quantize(Decimal(1).scaleb(-int(kind.rstrip(")").split(",")[1])))
    if kind == "boolean":
        return text == "true"
    if kind == "date":
        return date.fromisoformat(text)
    if kind.startswith("timestamp"):
        return datetime.fromisoformat(text).replace(tzinfo=UTC if kind == "timestamp" else None)
    return text


ARROW: Mapping[str, pa.DataType] = {
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal(10,2)": pa.decimal128(10, 2),
    "decimal(38,18)": pa.decimal128(38, 18),
    "boolean": pa.bool_(),
    "string": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
SPECIAL = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def partition_text(text: str | None, kind: str) -> str | None:
    """As delta-spark names a partition."""
    if text is None or text == "":
        return None if text is None or kind != "string" else ""
    if kind == "timestamp":
        return text.replace(" ", "T").split(".")[0] + "." + (text.partition(".")[2] or "0").ljust(6, "0") + "Z"
    return SPECIAL.get(text, text)


def statistic(value: Any, kind: str) -> Any:
    """As writers put a bound into statistics."""
    if isinstance(value, float):
        return float(str(np.float32(value))) if kind == "float" and math.isfinite(value) else value
    if isinstance(value, datetime):
        cut = value.replace(microsecond=value.microsecond // 1000 * 1000)
        return cut.replace(tzinfo=None).isoformat(timespec="milliseconds") + ("Z" if kind == "timestamp" else "")
    if isinstance(value, date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value


def statistics(rows: Sequence[Row], columns: Mapping[str, str]) -> str:
    """Those of a file with these rows."""
    return _statistics(texts_of(rows, columns), tuple(columns.items()))


def texts_of(rows: Sequence[Row], columns: Mapping[str, str]) -> tuple[tuple[str | None, ...], ...]:
    """Rows as what a cache can be asked for: many conditions are put to the same ones."""
    return tuple(tuple(row[name] for name in columns) for row in rows)


@lru_cache(maxsize=1024)
def _statistics(rows: Sequence[Sequence[str | None]], columns: Sequence[tuple[str, str]]) -> str:
    least: dict[str, Any] = {}
    greatest: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    for place, (name, kind) in enumerate(columns):
        values = [value_of(row[place], kind) for row in rows]
        known = [value for value in values if value is not None and not (isinstance(value, float) and value != value)]
        nulls[name] = values.count(None)
        if known and kind != "boolean" and all(abs(value) != math.inf for value in known if isinstance(value, float)):
            least[name], greatest[name] = statistic(min(known), kind), statistic(max(known), kind)
    return json.dumps({"numRecords": len(rows), "minValues": least, "maxValues": greatest, "nullCount": nulls})


# --- evaluators: a letter for every row --------------------------------------------------------


def by_partition_values(case: Case) -> str:
    """T and F: every row of such a partition matches, or none does."""
    metadata = case.metadata(partitioned=True)
    judged = case.judged(metadata)
    found = ""
    for row in case.rows:
        values = {name: partition_text(row[name], kind) for name, kind in case.columns.items()}
        if not all(judged.judge.may_hold(part, values) for part in judged.parts):
            found += "F"
        else:
            found += "T" if judged.surely_holds(values) else OPEN
    return found


def kept(case: Case, files: Sequence[Sequence[Row]]) -> list[bool]:
    """Which of the files with these rows statistics keep."""
    metadata = case.metadata(partitioned=False)
    predicate = pruning_predicate(case.unpartitioned.parts, metadata)
    table = pa.table(
        {
            "path": [str(number) for number in range(len(files))],
            "partitionValues": pa.array([[]] * len(files), pa.map_(pa.string(), pa.string())),
            "stats": [statistics(rows, case.columns) for rows in files],
        }
    )
    found = set((table if predicate is None else prune(table, metadata, predicate)).column("path").to_pylist())
    return [str(number) in found for number in range(len(files))]


def by_statistics(case: Case) -> str:
    """F for a row alone in a file that is left out."""
    return "".join(OPEN if keeps else "F" for keeps in kept(case, [[row] for row in case.rows]))


@lru_cache(maxsize=128)
def _batch(rows: Sequence[Sequence[str | None]], columns: Sequence[tuple[str, str]]) -> pa.RecordBatch:
    arrays = [
        pa.array([value_of(row[place], kind) for row in rows], ARROW[kind]) for place, (_, kind) in enumerate(columns)
    ]
    return pa.RecordBatch.from_arrays(arrays, names=[name for name, _ in columns])


def by_arrow(case: Case) -> str:
    """What a task computes."""
    judged = case.unpartitioned
    batch = _batch(texts_of(case.rows, case.columns), tuple(case.columns.items()))
    if not judged.is_complete:
        return OPEN * len(case.rows)
    try:
        trees = [parse_expression(part.text, "A test") for part in judged.parts]
    except DeltaResolverError:
        return OPEN * len(case.rows)
    return "".join(_arrow_answer(trees, batch.slice(number, 1)) for number in range(len(case.rows)))


def _arrow_answer(trees: Sequence[Any], row: pa.RecordBatch) -> str:
    answers = []
    for tree in trees:
        try:
            found = evaluate(tree, row)
        except (pa.ArrowException, DeltaResolverError):
            return OPEN
        answers.append(found.as_py() if isinstance(found, pa.Scalar) else found[0].as_py())
    return "F" if False in answers else "N" if None in answers else "T" if set(answers) == {True} else OPEN


Answered = tuple[str, Case, str]
"""An evaluator, a case, and a letter for every row."""
EVALUATORS: Mapping[str, Callable[[Case], str]] = {
    "partitions": by_partition_values,
    "statistics": by_statistics,
    "arrow": by_arrow,
}


def contradicts(case: Case, ours: str) -> bool:
    """Whether an answer is wrong. Where Spark refuses a row, only finding it a match is."""
    wrong = {"T": "FN", "F": "T", "N": "T", "E": "T", "!": ""}
    return any(mine in wrong[theirs] for mine, theirs in zip(ours, case.answers, strict=True))


def judged(among: Iterable[Case]) -> Iterator[Answered]:
    """Every evaluator's answers to every case."""
    for case in among:
        for name, ask in EVALUATORS.items():
            try:
                yield name, case, ask(case)
            except PredicateUnreadableError:
                yield name, case, OPEN * len(case.rows)


def leaves_out_a_match(case: Case) -> bool:
    """Whether statistics of several rows leave out a file with one that matches."""
    answers = case.answers, case.answers[::2], case.answers[1::2]
    try:
        keeps = kept(case, [case.rows, case.rows[::2], case.rows[1::2]])
    except PredicateUnreadableError:
        return False
    return any("T" in answer and not keep for keep, answer in zip(keeps, answers, strict=True))


def described(case: Case, name: str, ours: str = "") -> str:
    """A case for somebody who has to look into it."""
    return f"{name}: {case.sql!r} {case.unusual} Spark {case.answers} here {ours}"


def open_shares(found: Iterable[Answered]) -> dict[str, float]:
    """By evaluator, how much of what Spark answers with true or not it leaves open; of statistics, what is not true."""
    asked, left = Counter[str](), Counter[str]()
    for name, case, ours in found:
        for mine, theirs in zip(ours, case.answers, strict=True):
            if theirs in ("FN" if name == "statistics" else "TFN"):
                asked[name] += 1
                left[name] += mine == OPEN
    return {name: round(left[name] / asked[name], 3) for name in asked}
