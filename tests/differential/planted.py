"""Bugs planted on purpose, of kinds that the library once had, with its own checks switched off."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import attrs
import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from deltaresolver.expressions import stored_values
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.expressions.stored_column import kind_of
from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.features.behaviour import row_tracking, row_tracking_domain
from deltaresolver.log import deletion_vector_encoding
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.pruning import file_bounds, parsed_stats
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.spark.changes import (
    changed_table,
    conditions,
    marked_files,
    new_rows,
    partition_answers,
    row_removal,
    whole_files,
)
from deltaresolver.spark.changes.merge import matching
from deltaresolver.spark.changes.merge import rows as row_merge
from deltaresolver.spark.reading import read, row_columns
from deltaresolver.spark.writing import data_folder, replaced_rows, row_balance, row_plan, table_write, written_data
from deltaresolver.spark.writing.fitted_columns import spark_type
from deltaresolver.spark.writing.statistics import file_statistics, footers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Fault = Callable[[pytest.MonkeyPatch], None]
_HOURS = 5


def without_nets(patch: pytest.MonkeyPatch) -> None:
    """Nothing is counted before a commit."""
    for module in (row_balance, written_data, changed_table, table_write, row_merge):
        for name in ("ensure_all_written", "ensure_all_named", "ensure_counted"):
            if hasattr(module, name):
                patch.setattr(module, name, lambda *_: None)
        if hasattr(module, "ensure_balanced"):
            patch.setattr(module, "ensure_balanced", lambda *_, **__: {})
    patch.setattr(whole_files, "_ensure_counted", lambda *_: None)
    patch.setattr(partition_answers, "_ensure_agreed", lambda *_: None)
    patch.setattr(partition_answers, "_denies", lambda *_: False)


def hidden_folders(patch: pytest.MonkeyPatch) -> None:
    """Folders of partitions whose column begins with `_` or `.` are taken for Spark's own."""
    patch.setattr(data_folder, "_is_hidden", lambda path: any(part[0] in "_." for part in path.split("/")))


def concatenated_literals(patch: pytest.MonkeyPatch) -> None:
    """`'a''b'` is read as two literals beside each other."""
    patch.setattr(SqlReading, "of", classmethod(lambda cls, setting: cls(concatenates=True)))


def single_bounds(patch: pytest.MonkeyPatch) -> None:
    """Bounds of DOUBLE columns are rounded to FLOAT."""
    typed = parsed_stats._typed

    def rounded(column: Any, values: pa.Array) -> pa.Array:
        found = typed(column, values)
        return found.cast(pa.float32()).cast(found.type) if kind_of(column) == "double" else found

    patch.setattr(parsed_stats, "_typed", rounded)


def dropped_conjunct(patch: pytest.MonkeyPatch) -> None:
    """Of a condition with several parts, only the first is asked about partitions, and taken for all of it."""
    answers = partition_answers.PartitionQuestion.answers

    def first(text: str) -> Any:
        found = parse_predicate(text)
        return SimpleNamespace(parts=lambda: list(found.parts())[:1], column_paths=found.column_paths)

    patch.setattr(partition_answers, "parse_predicate", first)
    patch.setattr(partition_answers.PartitionQuestion, "answers", lambda self: answers(attrs.evolve(self, given=None)))


def null_as_true(patch: pytest.MonkeyPatch) -> None:
    """Rows for which a condition is null are deleted as if it held."""

    def holding(given: Any) -> Any:
        from pyspark.sql import functions

        return functions.coalesce(conditions.as_column(given), functions.lit(True))

    patch.setattr(row_removal, "as_column", holding)


def written_twice(patch: pytest.MonkeyPatch) -> None:
    """The rows of a write are evaluated, and written, twice."""
    save = written_data.save_parquet

    def twice(*arguments: Any) -> None:
        save(*arguments)
        save(*arguments)

    patch.setattr(written_data, "save_parquet", twice)


def evaluated_again(patch: pytest.MonkeyPatch) -> None:
    """What a MERGE makes of its source is evaluated for the table, and once more for its change data."""
    from pyspark.sql.classic.dataframe import DataFrame as Classic

    patch.setattr(Classic, "localCheckpoint", lambda self, *_: self)


def lost_insert(patch: pytest.MonkeyPatch) -> None:
    """A MERGE forgets one of the rows to insert."""
    unmatched = row_merge.RowMerge._unmatched

    def fewer(self: Any, *arguments: Any) -> DataFrame:
        return unmatched(self, *arguments).offset(1)

    patch.setattr(row_merge.RowMerge, "_unmatched", fewer)


def miscounted_records(patch: pytest.MonkeyPatch) -> None:
    """Statistics have one row too many."""

    def more(*arguments: Any) -> str:
        found = msgspec.json.decode(file_statistics.file_statistics(*arguments), type=dict[str, msgspec.Raw])
        rows = msgspec.json.decode(found["numRecords"])
        return msgspec.json.encode({**found, "numRecords": rows + 1}).decode()

    patch.setattr(footers, "file_statistics", more)


def shifted_vectors(patch: pytest.MonkeyPatch) -> None:
    """Deletion vectors mark the row behind."""
    vectors = deletion_vector_encoding.vector_file
    patch.setattr(
        marked_files, "vector_file", lambda rows, *more: vectors([np.asarray(each) + 1 for each in rows], *more)
    )


def feed_without_deletes(patch: pytest.MonkeyPatch) -> None:
    """Change data of files written anew lacks the rows deleted."""
    patch.setattr(row_removal.RowRemoval, "changes", lambda self, rows, kind: ())


def reused_ids(patch: pytest.MonkeyPatch) -> None:
    """The high-water mark of row ids is not read."""
    patch.setattr(row_tracking, "high_water_mark", lambda _: row_tracking_domain.MISSING)


def shifted_ntz(patch: pytest.MonkeyPatch) -> None:
    """Bounds and partition values of TIMESTAMP_NTZ columns are taken for moments of another zone."""
    typed, ranged = parsed_stats._typed, stored_values.stored_value

    def shifted(column: Any, values: pa.Array) -> pa.Array:
        found = typed(column, values)
        if kind_of(column) != "timestamp_ntz":
            return found
        return pc.add(found.cast(pa.int64()), _HOURS * 3_600_000_000).cast(found.type)

    def shifted_value(column: Any, value: Any) -> Any:
        found = ranged(column, value)
        if kind_of(column) != "timestamp_ntz" or found is None:
            return found
        return found + datetime.timedelta(hours=_HOURS) if found.year < 9999 else found

    patch.setattr(parsed_stats, "_typed", shifted)
    patch.setattr(file_bounds, "stored_value", shifted_value)


def earlier_version(patch: pytest.MonkeyPatch) -> None:
    """Time travel ends one version too early."""
    snapshot = DeltaLog.snapshot

    def earlier(self: DeltaLog, version: int | None = None, timestamp: Any = None) -> Snapshot:
        return snapshot(self, version - 1 if version else version, timestamp)

    patch.setattr(DeltaLog, "snapshot", earlier)


def stale_schema(patch: pytest.MonkeyPatch) -> None:
    """A table is shown with the columns it had when it was first read."""
    scan, first = read.table_scan, dict[str, Any]()

    def stale(spark: Any, snapshot: Any, location: str, **more: Any) -> Any:
        found = scan(spark, snapshot, location, **more)
        return attrs.evolve(found, fields=first.setdefault(location, found.fields))

    patch.setattr(read, "table_scan", stale)


def kept_file(patch: pytest.MonkeyPatch) -> None:
    """An overwrite leaves one file of several."""
    find = replaced_rows.WholeTable._find
    patch.setattr(replaced_rows.WholeTable, "_find", lambda self, adds: _all_but_second(find(self, adds)))


def _all_but_second(files: Sequence[Any]) -> Sequence[Any]:
    return [*files[:1], *files[2:]]


def null_partition_kept(patch: pytest.MonkeyPatch) -> None:
    """Dynamic partition overwrite does not find the partition of null."""
    find = replaced_rows.WrittenPartitions._find

    def some(self: Any, adds: Any) -> Any:
        return [file for file in find(self, adds) if None not in file.partition_values.values()]

    patch.setattr(replaced_rows.WrittenPartitions, "_find", some)


def unfilled_chars(patch: pytest.MonkeyPatch) -> None:
    """Columns declared char(n) are read as they lie in the files, without their blanks."""
    patch.setattr(row_columns, "padded", lambda column, *_: column)


def forgotten_defaults(patch: pytest.MonkeyPatch) -> None:
    """Rows that leave a column out get null there, also where the table declares a default."""
    from pyspark.sql import functions

    patch.setattr(row_plan, "checked_column", lambda _: functions.lit(None))


def accepted_ambiguity(patch: pytest.MonkeyPatch) -> None:
    """A MERGE takes several rows of the source for one of the table."""
    patch.setattr(matching.Matching, "_ensure_matched_once", lambda *_: None)


def whole_structs(patch: pytest.MonkeyPatch) -> None:
    """A value assigned to a field of a struct makes null of its other fields."""
    changed = new_rows._changed

    def alone(field: Any, path: Any, before: Any, own: Any, making: Any) -> Any:
        from pyspark.sql import functions

        if not path and any(len(each.path) > 1 for each in own):
            before = functions.lit(None).cast(spark_type(field.type))
        return changed(field, path, before, own, making)

    patch.setattr(new_rows, "_changed", alone)


WIDE = frozenset(
    {
        "concatenated_literals",
        "evaluated_again",
        "unfilled_chars",
        "forgotten_defaults",
        "accepted_ambiguity",
        "whole_structs",
    }
)
"""Those that wide programs are searched for, which alone can meet most of them."""

PLANTED: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        hidden_folders,
        concatenated_literals,
        single_bounds,
        dropped_conjunct,
        null_as_true,
        written_twice,
        evaluated_again,
        lost_insert,
        miscounted_records,
        shifted_vectors,
        feed_without_deletes,
        reused_ids,
        shifted_ntz,
        earlier_version,
        stale_schema,
        kept_file,
        null_partition_kept,
        unfilled_chars,
        forgotten_defaults,
        accepted_ambiguity,
        whole_structs,
    )
}


def plant(name: str, patch: pytest.MonkeyPatch) -> None:
    """Put one of them in, until the patch is undone."""
    without_nets(patch)
    PLANTED[name](patch)
