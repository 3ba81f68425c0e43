"""Which files of a snapshot a read needs: by partition values and statistics, before Spark hears of any."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import pyarrow as pa

from deltaresolver.errors import ReadOptionInvalidError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.declared_lengths import declared
from deltaresolver.spark.reading.read_options import find_zone
from deltaresolver.transaction.predicate_pruning import pruning_predicate
from deltaresolver.transaction.predicate_sql import PartitionJudge, SqlPredicate, parse_predicate
from deltaresolver.transaction.predicate_zone import without_zone

UTC_NAMES = frozenset({"UTC", "ETC/UTC", "GMT", "Z", "+00:00", "ETC/GMT", "ZULU", "UCT"})
EVERYTHING = "true"


def select_files(snapshot: Snapshot, where: str | None, time_zone: str) -> pa.Table:
    """The live files that may hold a row for which `where` (Spark SQL) is true; all of them without it.

    Raises `PredicateUnreadableError`.
    """
    if where is None:
        return snapshot.files()
    metadata = snapshot.metadata
    parts = [part for part in zoned_parts(where, metadata, time_zone) if part is not None]
    names = frozenset(name.lower() for name in metadata.partition_columns)
    on_partitions = [part for part in parts if part.looks_only_at(names)]
    on_data = tuple(part for part in parts if part not in on_partitions)
    files = snapshot.files(pruning_predicate(on_data, metadata))
    return _in_partitions(files, on_partitions, partition_judge(metadata, time_zone)) if on_partitions else files


def zoned_parts(where: str, metadata: Metadata, time_zone: str) -> list[SqlPredicate | None]:
    """The conditions that must all hold, moments in UTC; None for one that only a session in `time_zone` can judge.

    None, too, for one on a char(n) column: rows have it filled up with blanks, files and statistics may not.

    Raises `PredicateUnreadableError`.
    """
    zone = known_zone(time_zone)
    filled_up = {field.name.lower() for field in metadata.schema.fields if declared(field).pads}
    return [
        None if part.columns & filled_up else without_zone(part, metadata, zone)
        for part in parse_predicate(where).parts()
    ]


def texts_read(where: str, metadata: Metadata, time_zone: str) -> list[str]:
    """What a transaction is told that was read: the conditions, or everything for one that it could not judge."""
    return [EVERYTHING if part is None else part.text for part in zoned_parts(where, metadata, time_zone)]


def partition_judge(metadata: Metadata, time_zone: str) -> PartitionJudge:
    """Judges `zoned_parts` as a session in `time_zone` would."""
    return PartitionJudge.of(metadata, known_zone(time_zone) or datetime.UTC)


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
