"""Spark's own answers to a condition over the partitions of a table.

Where a statement leaves partitions out, or takes whole ones, a misread condition would lose rows that nobody asked for.
So Spark itself evaluates the condition over the distinct partition values: a local relation, which takes no job and
works on Connect. Where this library's own reading has an answer, it must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs
import pyarrow as pa

from deltaresolver.errors import PartitionReadingError
from deltaresolver.expressions.conditions import SqlPredicate, parse_predicate, standard_text
from deltaresolver.expressions.names import EVERYTHING
from deltaresolver.expressions.statistics import pruning_predicate
from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.spark.large.large_log import large_log
from deltaresolver.spark.large.partitions import LargePartitions, Partitions
from deltaresolver.spark.reading.file_facts import PREFIX
from deltaresolver.spark.reading.select_files import JudgedParts, judged_parts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.log.snapshot import Snapshot
    from deltaresolver.spark.reading.scan import TableScan

Answers: TypeAlias = "Sequence[bool | None]"
"""One for each partition."""


@attrs.frozen(slots=True, eq=False)
class AsGiven:
    """A condition as somebody wrote it, which Spark reads by itself.

    name      what it calls the table
    reading   how the session reads literals
    is_all    whether it is all of what files are chosen by; else more must hold
    on_table  what it says of the table alone, as this library has read it
    beside    rows that it looks at as well, in a join
    """

    text: str
    name: str | None
    reading: SqlReading
    is_all: bool
    on_table: str
    beside: DataFrame | None = None


@attrs.frozen(slots=True, eq=False)
class Narrowed:
    """Files that may hold rows of a condition, and whether every row of them satisfies it."""

    files: pa.Table
    all_hold: bool


def narrowed(
    snapshot: Snapshot, scan: Callable[[], TableScan], text: str, zone: str, given: AsGiven | None = None
) -> Narrowed:
    """The files that may hold rows for which `text` is true, which is all or a part of `given`.

    Raises `PredicateUnreadableError`, and `PartitionReadingError` where Spark reads the condition in another way.
    """
    if text == EVERYTHING:
        return Narrowed(snapshot.files(), all_hold=True)
    judged = judged_parts(text, snapshot.metadata, zone)
    parts = list(parse_predicate(text).parts())
    on_partitions = [part for part in parts if part.looks_only_at(judged.partition_columns)]
    scanned = scan()
    partitions = _partitions(scanned.spark, snapshot, judged, are_asked=bool(on_partitions))
    if not on_partitions or not len(partitions.examples):
        return Narrowed(partitions.all_files(), all_hold=False)
    is_all = len(on_partitions) == len(parts)
    names = judged.partition_columns
    question = PartitionQuestion(scanned, partitions.examples, on_partitions, names, given, is_all=is_all)
    answers = question.answers()
    if answers is None:
        # It fails for some partition: what becomes of that is up to the scan, which looks at rows one by one.
        return Narrowed(partitions.all_files(), all_hold=False)
    _ensure_agreed(snapshot, text if given is None else given.text, judged, partitions, answers)
    return Narrowed(partitions.files_of([answer is True for answer in answers]), all_hold=is_all)


def _partitions(spark: SparkSession, snapshot: Snapshot, judged: JudgedParts, *, are_asked: bool) -> Partitions:
    """The partitions of the files that statistics leave; without the partitions themselves where nobody asks."""
    predicate = pruning_predicate(judged.on_data, snapshot.metadata)
    large = large_log(spark, snapshot)
    if large is not None:
        found = LargePartitions.on_spark(large, predicate, are_asked=are_asked)
        if found is not None:
            return found
    return Partitions.of(snapshot.files(predicate))


@attrs.frozen(slots=True, eq=False)
class PartitionQuestion:
    """What Spark is asked of partitions: conditions that look at nothing else, or the one that was given.

    With other columns in it, the one that was given is asked as well, with null for all of these: where a part that
    must hold is false, the whole is false whatever else is in it.
    """

    scan: TableScan
    examples: pa.Table
    parts: Sequence[SqlPredicate]
    names: frozenset[str]
    given: AsGiven | None
    is_all: bool

    def answers(self) -> Answers | None:
        """For which partitions the conditions hold; None where Spark fails to evaluate them for some of these.

        Raises `PartitionReadingError` if the condition that was given denies it.
        """
        given, text = self.given, _all_of(self.parts)
        if given is None:
            return self._asked([text], None)
        if self.is_all and given.is_all:
            return self._asked([], given)
        own = _all_of([part for part in parse_predicate(given.on_table).parts() if part.looks_only_at(self.names)])
        answers = self._asked([text, own], given)
        if answers is None:
            return None
        pairs = list(zip(answers[1::3], answers[2::3], strict=True))
        denied = [place for place, (part, whole) in enumerate(pairs) if _denies(part, whole)]
        if denied:
            part, whole = pairs[denied[0]]
            reading = f"finds in it {own}, which Spark finds {_WORDS[part]}"
            raise _differs(self.scan.root.location, given.text, self.examples, denied, whole, reading)
        return answers[::3]

    def _asked(self, texts: Sequence[str], given: AsGiven | None) -> Answers | None:
        """Partition by partition the answers to conditions on the table alone, and then to the one that was given."""
        from pyspark.errors import PySparkException
        from pyspark.sql import functions

        names = [f"{PREFIX}answer_{place}" for place in range(len(texts))]
        try:
            # Before others are beside them, whose columns may have the same names.
            own = [functions.expr(text).alias(name) for text, name in zip(texts, names, strict=True)]
            rows = self._rows(given).select("*", *own)
            asked = (
                rows.select(*names)
                if given is None
                else _with_others(rows, given).select(*names, functions.expr(given.text))
            )
            return [answer for row in asked.collect() for answer in row]
        except PySparkException:
            return None

    def _rows(self, given: AsGiven | None) -> DataFrame:
        """A row for each partition, with the columns that conditions look at."""
        wanted = {name for part in self.parts for name in part.columns}
        if given is not None:
            tree = parse_predicate(standard_text(given.text, given.reading))
            wanted |= {name for path in tree.column_paths for name in path}
        fields = tuple(field for field in self.scan.metadata.schema.fields if field.name.lower() in wanted)
        return attrs.evolve(self.scan, fields=fields).partition_rows(self.examples)


def _with_others(rows: DataFrame, given: AsGiven) -> DataFrame:
    """Rows as the condition calls them, with null for all columns of others that it looks at."""
    from pyspark.sql import functions

    named = rows if given.name is None else rows.alias(given.name)
    # Spark drops this join, as it never holds, before it looks at a row of the others.
    never = functions.lit(False)
    return named if given.beside is None else named.join(given.beside.where(never), never, "left")


def _all_of(parts: Sequence[SqlPredicate]) -> str:
    return " AND ".join(f"({part.text})" for part in parts) or EVERYTHING


def _denies(part: bool | None, whole: bool | None) -> bool:
    """Whether a condition cannot have this answer, with null for what else it looks at, if a part of it has that."""
    return whole is not False if part is False else (part is None and whole is True)


def _ensure_agreed(
    snapshot: Snapshot, text: str, judged: JudgedParts, partitions: Partitions, answers: Answers
) -> None:
    """Raises `PartitionReadingError` where this library's reading has another answer than Spark's."""
    names, judge = judged.partition_columns, judged.judge
    parts = [part for part in judged.parts if part.looks_only_at(names)]
    is_complete = not any(part.looks_only_at(names) for part in judged.missing)
    for ours in (False, True):
        differing = []
        for place, (values, answer) in enumerate(zip(partitions.values(), answers, strict=True)):
            if (answer is True) is ours:
                continue
            if ours and not is_complete:
                continue
            asked = judge.surely_holds if ours else judge.may_hold
            if all(asked(part, values) for part in parts) is ours:
                differing.append(place)
        if differing:
            reading = f"finds it {_WORDS[ours]} for all rows there"
            location = snapshot.store.location
            raise _differs(location, text, partitions.examples, differing, answers[differing[0]], reading)


def _differs(
    location: str, text: str, examples: pa.Table, places: Sequence[int], answer: bool | None, ours: str
) -> PartitionReadingError:
    values = dict(examples.column("partitionValues")[places[0]].as_py() or ())
    shown = ", ".join(f"{name}={value!r}" for name, value in values.items())
    return PartitionReadingError(
        f"Spark finds {text!r} {_WORDS[answer]} for the partition {shown} of {location}, and this "
        f"library {ours}. They differ in {len(places):,} of {len(examples):,} partitions, so nothing was changed.",
        fix="Give the condition as a Column (pyspark.sql.functions.expr), which Spark alone reads, or spell it in "
        "another way, and report it with the partition's values.",
        details={
            "location": location,
            "condition": text,
            "partition": values,
            "spark": _WORDS[answer],
            "here": ours,
            "partitions": len(places),
        },
    )


_WORDS = {True: "true", False: "false", None: "null"}
