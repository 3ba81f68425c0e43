"""Which files of a snapshot a read needs: by partition values and statistics, before Spark hears of any."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa

from deltaresolver.errors import ReadOptionInvalidError
from deltaresolver.expressions.conditions import PartitionJudge, SqlPredicate, parse_predicate
from deltaresolver.expressions.predicates import Predicate
from deltaresolver.expressions.statistics import pruning_predicate
from deltaresolver.expressions.zones import without_zone
from deltaresolver.log.pruning.prune import prune
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.declared_lengths import declared
from deltaresolver.spark.large.large_log import chosen_files
from deltaresolver.spark.names.partition_path import PartitionPath
from deltaresolver.spark.reading.read_options import find_zone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UTC_NAMES = frozenset({"UTC", "ETC/UTC", "GMT", "Z", "+00:00", "ETC/GMT", "ZULU", "UCT"})
EVERYTHING = "true"


def select_files(snapshot: Snapshot, where: str | None, time_zone: str, spark: SparkSession | None = None) -> pa.Table:
    """The live files that may hold a row for which `where` (Spark SQL) is true; all of them without it.

    With a session, executors choose them where the log is large. Raises `PredicateUnreadableError`.
    """
    if where is None:
        return snapshot.files()
    metadata = snapshot.metadata
    judged = judged_parts(where, metadata, time_zone)
    on_partitions = tuple(part for part in judged.parts if part.looks_only_at(judged.partition_columns))
    predicate = pruning_predicate(judged.on_data, metadata)
    if predicate is None and not on_partitions:
        return snapshot.files()
    return chosen_files(spark, snapshot, FileChoice(metadata, predicate, on_partitions, judged.judge))


@attrs.frozen(slots=True, eq=False)
class FileChoice:
    """Leaves of some files those that may hold a match. It can be sent to another process."""

    metadata: Metadata
    predicate: Predicate | None
    on_partitions: tuple[SqlPredicate, ...]
    judge: PartitionJudge

    def __call__(self, files: pa.Table) -> pa.Table:
        if self.predicate is not None:
            files = prune(files, self.metadata, self.predicate)
        return _in_partitions(files, self.on_partitions, self.judge) if self.on_partitions else files


def ensure_partition(
    path: PartitionPath, snapshot: Snapshot, time_zone: str, spark: SparkSession | None = None
) -> None:
    """The path names partition columns, and some file is in that partition.

    Raises `ReadOptionInvalidError`.
    """
    if not path.values:
        return
    named = "/".join(f"{name}={value}" for name, value in path.values)
    details = {"table": str(path.table), "partition": named}
    wrong = [name for name, _ in path.values if name not in snapshot.metadata.partition_columns]
    if wrong:
        raise ReadOptionInvalidError(
            f"{path.table} is not partitioned by {', '.join(wrong)}, which the path {named} in it names.",
            fix="Read the table, and choose rows with where.",
            details=details,
            delta_class="DeltaAnalysisException",
            delta_condition="DELTA_NON_PARTITION_COLUMN_SPECIFIED",
        )
    if not select_files(snapshot, path.condition, time_zone, spark).num_rows:
        raise ReadOptionInvalidError(
            f"{path.table} has no partition {named}.",
            fix="Read the table, and choose rows with where.",
            details=details,
            delta_class="DeltaAnalysisException",
            delta_condition="DELTA_PATH_DOES_NOT_EXIST",
        )


@attrs.frozen(slots=True, eq=False)
class JudgedParts:
    """The conditions that must all hold, as far as partition values and statistics can judge them, moments in UTC.

    `parts` may leave files out, as each must hold. Whether a file holds matching rows only can be asked of the whole
    alone, and the answer is no where something is missing from `parts`.
    """

    parts: tuple[SqlPredicate, ...]
    missing: tuple[SqlPredicate, ...]
    """What else must hold, as it was given."""
    partition_columns: frozenset[str]
    """Lowered."""
    judge: PartitionJudge

    @property
    def on_data(self) -> tuple[SqlPredicate, ...]:
        """The parts that look at more than partition values, for statistics to judge."""
        return tuple(part for part in self.parts if not part.looks_only_at(self.partition_columns))

    @property
    def is_complete(self) -> bool:
        """Whether the parts are all of the condition; else rows for which they hold may not satisfy it."""
        return not self.missing

    def surely_holds(self, partition_values: Mapping[str, str | None]) -> bool:
        """Whether every row of a file with these partition values satisfies the condition."""
        return (
            self.is_complete
            and all(part.looks_only_at(self.partition_columns) for part in self.parts)
            and all(self.judge.surely_holds(part, partition_values) for part in self.parts)
        )

    @property
    def texts_read(self) -> list[str]:
        """The predicates that a transaction has read by: with everything where a part could not be judged."""
        return [*(part.text for part in self.parts), *(() if self.is_complete else (EVERYTHING,))]


def judged_parts(where: str, metadata: Metadata, time_zone: str) -> JudgedParts:
    """What can be judged of a condition in a session's time zone.

    A condition on timestamps may need the session itself. One on a char(n) column cannot be judged: rows have it filled
    up with blanks, files and statistics may not. Raises `PredicateUnreadableError`.
    """
    zone = known_zone(time_zone)
    filled_up = {field.name.lower() for field in metadata.schema.fields if declared(field).pads}
    names = frozenset(name.lower() for name in metadata.partition_columns)
    judge = PartitionJudge.of(metadata, zone or datetime.UTC)
    parts: list[SqlPredicate] = []
    missing: list[SqlPredicate] = []
    for part in parse_predicate(where).parts():
        judged = None if part.columns & filled_up else without_zone(part, metadata, zone)
        if judged is None:
            missing.append(part)
        else:
            parts.append(judged)
    return JudgedParts(tuple(parts), tuple(missing), names, judge)


def texts_read(where: str, metadata: Metadata, time_zone: str) -> list[str]:
    """The predicates that a transaction has read by: the conditions, or everything for one that cannot be judged."""
    return judged_parts(where, metadata, time_zone).texts_read


def known_zone(name: str) -> datetime.tzinfo | None:
    """The session's zone; None where Python does not know it."""
    if name.upper() in UTC_NAMES:
        return datetime.UTC
    try:
        return find_zone(name)
    except ReadOptionInvalidError:
        return None


def _in_partitions(files: pa.Table, parts: Sequence[SqlPredicate], judge: PartitionJudge) -> pa.Table:
    answers: dict[tuple[tuple[str, str | None], ...], bool] = {}
    kept: list[bool] = []
    for items in files.column("partitionValues").to_pylist():
        key = tuple(items or ())
        answer = answers.get(key)
        if answer is None:
            values = dict(key)
            answer = answers[key] = all(judge.may_hold(part, values) for part in parts)
        kept.append(answer)
    return files.filter(pa.array(kept, pa.bool_()))
