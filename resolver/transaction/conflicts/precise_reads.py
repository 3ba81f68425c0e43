"""Finer than delta-spark: which added files a read concerns, judged by their statistics too.

A file is left out only when its partition values or its statistics prove that no row of it can match, by the
same rules that let a scan skip files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from deltaresolver.expressions.conditions import PartitionJudge, SqlPredicate
from deltaresolver.expressions.statistics import pruning_predicate
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.pruning.prune import prune
from deltaresolver.model.actions import AddFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.conflicts.read_scope import Read

_COLUMNS = ("path", "partitionValues", "stats")
_SCHEMA = pa.schema([ADD_FILES.field(name) for name in _COLUMNS])


def first_concerned(
    files: Sequence[AddFile], reads: Iterable[Read], metadata: Metadata, judge: PartitionJudge
) -> AddFile | None:
    """The first file that may hold a row some read selects; None if there is none."""
    names = frozenset(judge.columns)
    for read in reads:
        parts = [part for each in (*read.partition_predicates, *read.data_predicates) for part in each.parts()]
        candidates = [file for file in files if _partition_may_match(file, parts, names, judge)]
        found = _first_by_statistics(candidates, parts, metadata)
        if found is not None:
            return found
    return None


def _partition_may_match(
    file: AddFile, parts: Iterable[SqlPredicate], names: frozenset[str], judge: PartitionJudge
) -> bool:
    return all(judge.may_hold(part, file.partition_values) for part in parts if part.looks_only_at(names))


def _first_by_statistics(files: Sequence[AddFile], parts: Sequence[SqlPredicate], metadata: Metadata) -> AddFile | None:
    predicate = pruning_predicate(tuple(parts), metadata)
    if predicate is None or not files:
        return files[0] if files else None
    rows = [
        {"path": str(number), "partitionValues": list(file.partition_values.items()), "stats": file.stats}
        for number, file in enumerate(files)
    ]
    kept = prune(pa.Table.from_pylist(rows, _SCHEMA), metadata, predicate)
    return files[int(kept.column("path")[0].as_py())] if len(kept) else None
