"""Which files of a snapshot a read needs: by partition values and statistics, before Spark hears of any."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import EMPTY_SCHEMA, StructType, encode_schema
from deltaresolver.transaction.predicate_pruning import pruning_predicate
from deltaresolver.transaction.predicate_sql import PartitionJudge, SqlPredicate, parse_predicate

UTC_NAMES = frozenset({"UTC", "ETC/UTC", "GMT", "Z", "+00:00", "ETC/GMT", "ZULU", "UCT"})


def select_files(snapshot: Snapshot, where: str | None, time_zone: str) -> pa.Table:
    """The live files that may hold a row for which `where` (Spark SQL) is true; all of them without it.

    Raises `PredicateUnreadableError`.
    """
    if where is None:
        return snapshot.files()
    metadata = snapshot.metadata
    parts = [part for part in parse_predicate(where).parts() if _can_judge(part, metadata, time_zone)]
    names = frozenset(name.lower() for name in metadata.partition_columns)
    on_partitions = [part for part in parts if part.looks_only_at(names)]
    on_data = tuple(part for part in parts if part not in on_partitions)
    files = snapshot.files(pruning_predicate(on_data, metadata))
    return _in_partitions(files, on_partitions, PartitionJudge.of(metadata)) if on_partitions else files


def _can_judge(part: SqlPredicate, metadata: Metadata, time_zone: str) -> bool:
    """Moments are judged in UTC: in another session zone a condition on them is left to Spark."""
    if time_zone.upper() in UTC_NAMES:
        return True
    asked = part.columns
    kinds = encode_schema(_columns(metadata.schema, asked)) + part.text
    return "timestamp" not in kinds.lower()


def _columns(schema: StructType, lowered: frozenset[str]) -> StructType:
    fields = tuple(field for field in schema.fields if field.name.lower() in lowered)
    return StructType(fields) if fields else EMPTY_SCHEMA


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
