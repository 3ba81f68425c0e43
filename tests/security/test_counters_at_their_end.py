"""Counters of a table that have no next number: no commit is written that nobody could read afterwards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import (
    ActionMalformedError,
    ColumnMappingError,
    RowTrackingError,
    SchemaMalformedError,
    SourceRuleUnsupportedError,
)
from deltaresolver.features.identity_columns import with_farthest_marks
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.actions import AddFile
from deltaresolver.model.facts.columns import identity_step, next_identity
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.spark.source.batch.shaped_rows import RowShaper
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from tests.fuzz.tables import name_of
from tests.logs import Json, domain, info, lines, metadata
from tests.security.test_odd_statistics import field, listing, struct

LAST = 2**63 - 1
NOW_MS = 1_700_000_000_000


def table_of(*actions: Json) -> Table:
    store = MemoryStore(clock_ms=lambda: NOW_MS)
    store.put(name_of(0), lines(actions))
    table = Table("/nowhere", catalog=built_in_catalog())
    table.log = DeltaLog(store)
    return table


def append(table: Table, stats: str = '{"numRecords":10}') -> int:
    file = AddFile("new", {}, 1, NOW_MS, data_change=True, stats=stats)
    return table.start_transaction().commit([file], operations.write("Append"))


def versions(table: Table) -> int:
    return len(list(table.log.store.list_from("_delta_log/")))


def row_tracking(mark: Any) -> Sequence[Json]:
    return (
        listing("rowTracking", "domainMetadata"),
        metadata({"delta.enableRowTracking": "true"}),
        domain("delta.rowTracking", json.dumps({"rowIdHighWaterMark": mark})),
    )


@pytest.mark.parametrize("mark", [LAST, LAST - 9, LAST + 1, -2, 1.5, "5", True, None, [1], 1e300])
def test_row_ids_beyond_64_bits_are_never_given(mark: Any) -> None:
    table = table_of(*row_tracking(mark))
    with pytest.raises(RowTrackingError):
        append(table)
    assert versions(table) == 1


def test_row_ids_begin_anew_where_the_feature_is_dropped_and_added_again() -> None:
    table = table_of(*row_tracking(LAST))
    table.drop_feature("rowTracking")
    append(table)
    table.alter({"delta.feature.rowTracking": "supported"})
    file = AddFile("newer", {}, 1, NOW_MS, data_change=True, stats='{"numRecords":3}')
    table.start_transaction().commit([file], operations.write("Append"))
    assert max(table.log.snapshot().files().column("baseRowId").drop_null().to_pylist()) < 20


def test_the_last_row_ids_are_given() -> None:
    table = table_of(*row_tracking(LAST - 10))
    append(table)
    assert table.log.snapshot().files().column("baseRowId").to_pylist() == [LAST - 9]


def test_a_negative_count_takes_no_row_ids_back() -> None:
    table = table_of(*row_tracking(100))
    with pytest.raises(RowTrackingError):
        append(table, '{"numRecords":-50}')
    assert versions(table) == 1


@pytest.mark.parametrize("last", [LAST, LAST + 1, 2**200])
def test_no_commit_is_dated_beyond_64_bits_and_the_way_out_works(last: int) -> None:
    table = table_of(
        info(inCommitTimestamp=last), listing("inCommitTimestamp"), metadata({"delta.enableInCommitTimestamps": "true"})
    )
    with pytest.raises(ActionMalformedError, match="nothing later fits in 64 bits"):
        append(table)
    assert versions(table) == 1
    table.alter({"delta.enableInCommitTimestamps": "false"})
    table.alter({"delta.enableInCommitTimestamps": "true"})
    append(table)
    found = table.log.snapshot().timestamp_ms
    assert found is not None
    assert found < 2**43


@pytest.mark.parametrize("highest", [2**31 - 1, 2**31, LAST, 2**70])
def test_column_ids_have_32_bits(highest: int) -> None:
    mapped = field("id", **{"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "c"})
    properties = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": str(highest)}
    table = table_of(listing("columnMapping"), metadata(properties, json.dumps(struct(mapped))))
    with pytest.raises(ColumnMappingError, match=r"Column x would have the id \d+, which is not a number from 0 to"):
        table.sql("ALTER TABLE t ADD COLUMNS (x INT)")
    assert versions(table) == 1


@pytest.mark.parametrize("found", [[1], {"a": 1}, "1", 1.0, True, None, -1, 2**31])
def test_an_invalid_column_id_is_named(found: Any) -> None:
    mapped = field("id", **{"delta.columnMapping.id": found, "delta.columnMapping.physicalName": "c"})
    properties = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "5"}
    table = table_of(listing("columnMapping"), metadata(properties, json.dumps(struct(mapped))))
    with pytest.raises(ColumnMappingError):
        table.sql("ALTER TABLE t ADD COLUMNS (x INT)")
    assert versions(table) == 1


NO_NUMBERS: tuple[Any, ...] = ([1], "1", 1.5, True, 2**63, -(2**63) - 1, {})


def counted(**notes: Any) -> StructField:
    keys = {"start": 1, "step": 1, "allowExplicitInsert": False, **notes}
    return StructField("n", "long", True, {f"delta.identity.{key}": value for key, value in keys.items()})


@pytest.mark.parametrize(
    "notes",
    [
        *({key: value} for key in ("step", "highWaterMark") for value in NO_NUMBERS),
        {"step": 0},
        {"step": None},
        {"start": None},
        {"start": "x"},
        {"highWaterMark": LAST},
        {"highWaterMark": -LAST, "step": -5},
    ],
)
def test_an_identity_column_that_cannot_count_is_named(notes: Any) -> None:
    with pytest.raises(SchemaMalformedError, match="the column cannot be numbered"):
        next_identity(counted(**notes)), identity_step(counted(**notes))


def test_an_identity_column_counts() -> None:
    assert next_identity(counted(start=7)) == 7
    assert next_identity(counted(start=7, highWaterMark=None)) == 7
    assert next_identity(counted(step=-3, highWaterMark=9)) == 6
    assert next_identity(counted(highWaterMark=LAST - 1)) == LAST


def numbered(rows: int, partition: int = 0, **notes: Any) -> list[int]:
    """Numbers as a task of `format("deltaresolver")` gives them."""
    fields = (StructField("x", "long"), counted(**notes))
    shaper = RowShaper(fields, (), (ColumnExpression("n", ColumnSource.IDENTITY),), partition)
    batch = pa.RecordBatch.from_pydict({"x": pa.array(range(rows), pa.int64())})
    found: list[int] = shaper.shape(batch).column("n").to_pylist()
    return found


@pytest.mark.parametrize(
    ("rows", "partition", "notes"),
    [
        (1, 0, {"highWaterMark": LAST}),
        (1, 1, {"highWaterMark": LAST - 1}),
        (3, 0, {"highWaterMark": LAST - 2000}),
        (2, 0, {"step": 2**62}),
        (2, 0, {"step": -(2**62), "start": -1}),
        (1, 4, {"step": 2**62, "start": -(2**63)}),
    ],
)
def test_no_number_wraps_around(rows: int, partition: int, notes: Any) -> None:
    with pytest.raises((SchemaMalformedError, SourceRuleUnsupportedError)):
        numbered(rows, partition, **notes)


def test_the_last_numbers_are_given() -> None:
    assert numbered(1, highWaterMark=LAST - 1) == [LAST]
    assert numbered(3, highWaterMark=LAST - 2001) == [LAST - 2000, LAST - 1000, LAST]
    assert numbered(1, 2, step=2**62, start=-(2**63)) == [0]
    assert numbered(0, highWaterMark=LAST - 1) == []


def test_a_restore_refuses_invalid_marks() -> None:
    schemas = [StructType((counted(highWaterMark=mark),)) for mark in (5, [9])]
    with pytest.raises(SchemaMalformedError):
        with_farthest_marks(*schemas)
