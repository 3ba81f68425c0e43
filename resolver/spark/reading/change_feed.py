"""Changes of a table as rows: what each commit inserted, deleted and updated.

Commits that wrote change files are read from those alone; the others tell by the files they added and removed,
and by the rows whose deletion vector changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import pyarrow as pa

from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.columnar.file_rows import row_from_vector
from deltaresolver.log.deletion_vectors import ReadAbsolute, Rows, read_deletion_vectors
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile, ChangeFile, CommitInfo, RemoveFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField
from deltaresolver.spark.folding import union
from deltaresolver.spark.reading.change_range import ChangeCommit
from deltaresolver.spark.reading.scan import TableScan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CHANGE_TYPE, COMMIT_VERSION, COMMIT_TIMESTAMP = "_change_type", "_commit_version", "_commit_timestamp"
TYPE_FIELD = StructField(CHANGE_TYPE, "string", True, {})
COMMIT_FIELDS = (StructField(COMMIT_VERSION, "long", True, {}), StructField(COMMIT_TIMESTAMP, "timestamp", True, {}))
_ROWS_CHANGED = ("numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@attrs.frozen(slots=True, eq=False)
class ChangedFile:
    """A file whose rows are changes of one kind, all of them or those at some positions."""

    row: Mapping[str, Any]
    only: Rows | None = None
    tells_kind: bool = False
    """Whether each row says itself what kind of change it is."""


def change_rows(scan: TableScan, commits: Iterable[ChangeCommit]) -> DataFrame:
    """The changes of these commits; `scan.fields` are the table's columns. Raises as `TableScan.rows`."""
    found = changed_files(scan.store, scan.read_absolute, commits)
    written = [each for each in found if each.tells_kind]
    inferred = [each for each in found if not each.tells_kind]
    by_file = attrs.evolve(
        scan, fields=(*scan.fields, TYPE_FIELD, *COMMIT_FIELDS), metadata=_with_constants(scan.metadata, [])
    )
    by_log = attrs.evolve(by_file, metadata=_with_constants(scan.metadata, [CHANGE_TYPE]))
    whole = [each for each in inferred if each.only is None]
    partly = [each for each in inferred if each.only is not None]
    parts = [by_file.rows(_table(each)) for each in _without_repeats(written)]
    parts += [by_log.rows(_table(each)) for each in _without_repeats(whole)]
    parts += [by_log.only(_table(each), _positions(each)) for each in _without_repeats(partly)]
    return union(parts or [by_log.rows(_table([]))])


def changed_files(
    store: LogStore, read_absolute: ReadAbsolute | None, commits: Iterable[ChangeCommit]
) -> list[ChangedFile]:
    """The files whose rows are the changes of these commits. Raises `DeletionVectorUnreadableError`."""
    found: list[ChangedFile] = []
    for commit in commits:
        files = [action for action in commit.actions if isinstance(action, ChangeFile)]
        if files:
            found += [ChangedFile(_row(file, commit, None), tells_kind=True) for file in files]
        elif not _changed_nothing(commit):
            found += _infer(store, read_absolute, commit)
    return found


def _positions(files: Iterable[ChangedFile]) -> list[Rows]:
    return [file.only for file in files if file.only is not None]


def _with_constants(metadata: Metadata, more: Sequence[str]) -> Metadata:
    """Adds the values that are the same for all rows of a file, as partition values are added."""
    names = (*metadata.partition_columns, *(field.name for field in COMMIT_FIELDS), *more)
    return attrs.evolve(metadata, partition_columns=names)


def _changed_nothing(commit: ChangeCommit) -> bool:
    """Whether a MERGE says that it rewrote files without changing a row."""
    for action in commit.actions:
        if isinstance(action, CommitInfo) and action.find_text("operation") == "MERGE":
            metrics = action.fields.get("operationMetrics") or {}
            return all(str(metrics.get(name)) == "0" for name in _ROWS_CHANGED)
    return False


def _infer(store: LogStore, read_absolute: ReadAbsolute | None, commit: ChangeCommit) -> list[ChangedFile]:
    added = {each.path: each for each in commit.actions if isinstance(each, AddFile) and each.data_change}
    removed = {each.path: each for each in commit.actions if isinstance(each, RemoveFile) and each.data_change}
    found = [ChangedFile(_row(add, commit, "insert")) for path, add in added.items() if path not in removed]
    found += [ChangedFile(_row(remove, commit, "delete")) for path, remove in removed.items() if path not in added]
    for path in added.keys() & removed.keys():
        before, after = _marked(store, read_absolute, removed[path]), _marked(store, read_absolute, added[path])
        for kind, rows in (("delete", np.setdiff1d(after, before)), ("insert", np.setdiff1d(before, after))):
            if len(rows):
                found.append(ChangedFile(_row(added[path], commit, kind), rows))
    return found


def _marked(store: LogStore, read_absolute: ReadAbsolute | None, action: AddFile | RemoveFile) -> Rows:
    vector = action.deletion_vector
    if vector is None:
        return np.zeros(0, np.int64)
    return read_deletion_vectors(store, [vector], read_absolute)[vector.unique_id]


def _row(action: AddFile | RemoveFile | ChangeFile, commit: ChangeCommit, kind: str | None) -> Mapping[str, Any]:
    moment = (_EPOCH + timedelta(milliseconds=commit.timestamp_ms)).isoformat()
    constants = {COMMIT_VERSION: str(commit.table_version), COMMIT_TIMESTAMP: moment, CHANGE_TYPE: kind}
    values = {**(action.partition_values or {}), **constants}
    vector = None if isinstance(action, ChangeFile) else action.deletion_vector
    return {
        "path": action.path,
        "partitionValues": list(values.items()),
        "size": action.size,
        "modificationTime": commit.timestamp_ms,
        "deletionVector": row_from_vector(vector),
    }


def _table(files: Sequence[ChangedFile]) -> pa.Table:
    return pa.Table.from_pylist([dict(file.row) for file in files], schema=ADD_FILES)


def _without_repeats(files: Sequence[ChangedFile]) -> list[list[ChangedFile]]:
    """The files in rounds that name each path once: added in one version and removed in another, it is two changes."""
    rounds: list[list[ChangedFile]] = []
    seen: dict[str, int] = {}
    for file in files:
        number = seen.get(file.row["path"], 0)
        seen[file.row["path"]] = number + 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(file)
    return rounds
