"""The files of a snapshot that a read concerns."""

from __future__ import annotations

from deltaresolver.expressions.conditions import PartitionJudge
from deltaresolver.expressions.statistics import pruning_predicate
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import AddFile
from deltaresolver.transaction.conflicts.read_scope import Read


def scan_files(snapshot: Snapshot, read: Read) -> list[AddFile]:
    """The live files that may hold a match: by statistics for data columns, by value for partition columns."""
    metadata = snapshot.metadata
    table = snapshot.files(pruning_predicate(read.data_predicates, metadata))
    judge = PartitionJudge.of(metadata)
    answers: dict[tuple[tuple[str, str | None], ...], bool] = {}
    found: list[AddFile] = []
    for row in iterate_rows(table):
        file = add_from_row(row)
        key = tuple(file.partition_values.items())
        answer = answers.get(key)
        if answer is None:
            answer = answers[key] = all(
                judge.may_hold(predicate, file.partition_values) for predicate in read.partition_predicates
            )
        if answer:
            found.append(file)
    return found
