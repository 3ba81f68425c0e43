"""Law: what is read from a checkpoint, whatever its kind and version, is what replaying the commits gives."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.defaults import built_in_catalog
from deltaresolver.log.build_segment import build_segment
from deltaresolver.log.checkpoint.state import read_state
from deltaresolver.log.checkpoint.stats import parse_stats
from deltaresolver.log.checkpoint.typed_text import stored_as
from deltaresolver.log.checkpoint.v2 import write_v2
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.names import commit_path
from deltaresolver.log.replay.reference import add_table, tombstone_table
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.upkeep.checksum_totals import totals_of_table
from deltaresolver.log.upkeep.write_compaction import compact_log
from tests.laws.random_logs import RandomLog, random_logs, replay_of

CATALOG = built_in_catalog()

WEEK_MS = 7 * 24 * 3_600_000
KINDS = ["classic", "parts", "json", "parquet"]

limits = st.integers(0, 9)


def snapshot_of(log: RandomLog, table_version: int | None = None, now_ms: int = WEEK_MS) -> Snapshot:
    store = log.builder.store
    return Snapshot(store, build_segment(store, table_version), clock=lambda: now_ms)


def write(snapshot: Snapshot, kind: str, part_size: int) -> None:
    if kind in ("json", "parquet"):
        write_v2(snapshot.store, read_state(snapshot), part_size, kind, snapshot.clock())
    else:
        write_checkpoint(snapshot, snapshot.store, CATALOG, part_size=part_size if kind == "parts" else None)


def rows(table: pa.Table) -> list[str]:
    """Rows in no order; a checkpoint changes no data, so what commits said of that does not count."""
    return sorted(json.dumps({**row, "dataChange": False}, sort_keys=True) for row in table.to_pylist())


def kept_rows(table: pa.Table, limit: int) -> list[str]:
    return rows(
        pa.Table.from_pylist([row for row in table.to_pylist() if row["deletionTimestamp"] > limit], table.schema)
    )


@settings(deadline=None)
@given(random_logs(), st.data(), st.sampled_from(KINDS), st.integers(1, 4), limits)
def test_the_state_behind_a_checkpoint_is_the_replay(
    log: RandomLog, data: st.DataObject, kind: str, part_size: int, limit: int
) -> None:
    last = len(log.commits) - 1
    at = data.draw(st.integers(0, last), label="checkpoint of")
    for file in list(log.builder.store.list_from("_delta_log/")):
        if "checkpoint" in file.path:
            log.builder.delete(file.path)
    write(snapshot_of(log, at, WEEK_MS + limit), kind, part_size)
    for table_version in range(at):
        log.builder.delete(commit_path(table_version))

    found, expected = snapshot_of(log), log.state(last)
    assert found.segment.checkpoint is not None
    assert found.segment.checkpoint.table_version == at
    assert (found.protocol, found.metadata) == (expected.current_protocol, expected.current_metadata)
    assert found.transactions == expected.transactions
    assert found.domains == expected.domains
    assert rows(found.files()) == rows(add_table(expected.active_files.values()))
    tombstones = tombstone_table(expected.tombstones.values())
    without_details = [*tombstones.schema.names[:3], "deletionVector"]
    assert kept_rows(found.tombstones().select(without_details), limit) == kept_rows(
        tombstones.select(without_details), limit
    )


@settings(deadline=None)
@given(random_logs(), limits)
def test_a_checkpoint_holds_no_tombstone_that_has_expired(log: RandomLog, limit: int) -> None:
    last = len(log.commits) - 1
    state = read_state(snapshot_of(log, last, WEEK_MS + limit))
    assert all(row["deletionTimestamp"] > limit for row in state.removes.to_pylist())
    assert state.removes.num_rows == sum(each.deleted_at > limit for each in log.state(last).tombstones.values())


@settings(deadline=None)
@given(random_logs(), st.data())
def test_a_compaction_stands_for_its_commits(log: RandomLog, data: st.DataObject) -> None:
    last = len(log.commits) - 1
    if last == 0:
        return
    first, end = sorted(data.draw(st.sets(st.integers(0, last), min_size=2, max_size=2), label="range"))
    path = compact_log(log.builder.store, first, end)
    lines = [json.loads(line) for line in log.builder.store.read(path).splitlines()]
    if path.startswith("_delta_log/" + f"{first:020d}.{end:020d}"):
        replayed = replay_of([*log.commits[:first], lines, *log.commits[end + 1 :]])
        expected = log.state(last)
        assert replayed.active_files == expected.active_files
        assert replayed.tombstones == expected.tombstones
        assert replayed.transactions == expected.transactions
        assert replayed.domains == expected.domains
        assert (replayed.current_protocol, replayed.current_metadata) == (
            expected.current_protocol,
            expected.current_metadata,
        )


@settings(deadline=None)
@given(random_logs())
def test_totals_count_the_live_files(log: RandomLog) -> None:
    last = len(log.commits) - 1
    files = log.state(last).active_files.values()
    totals = totals_of_table(snapshot_of(log, last).files())
    assert totals.file_count == len(files) == sum(totals.bin_counts) == sum(totals.deleted_counts)
    assert totals.total_bytes == sum(file.size for file in files) == sum(totals.bin_bytes)
    assert totals.deleted_records == sum(file.deletion_vector.cardinality for file in files if file.deletion_vector)


# --- statistics ------------------------------------------------------------------------------------

BOUNDS = pa.struct(
    {
        "whole": pa.int32(),
        "number": pa.float64(),
        "price": pa.decimal128(9, 2),
        "day": pa.date32(),
        "at": pa.timestamp("us", "UTC"),
        "deep": pa.struct({"name": pa.string()}),
    }
)
COUNTS = pa.struct({"whole": pa.int64(), "deep": pa.struct({"name": pa.int64()})})
STATS = pa.struct(
    {"numRecords": pa.int64(), "minValues": BOUNDS, "maxValues": BOUNDS, "nullCount": COUNTS, "tightBounds": pa.bool_()}
)
_odd: st.SearchStrategy[Any] = st.sampled_from(
    [None, "", "x", True, 2**40, -3, 1.5, 1e300, {"a": 1}, [], "2024-01-02", "NaN"]
)


def _struct(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


def bounds(odd: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return _struct(
        whole=st.integers(-(2**31), 2**31 - 1) | odd,
        number=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9) | odd,
        price=st.integers(-999_999, 999_999) | odd,
        day=st.dates().map(str) | odd,
        at=st.sampled_from(["2024-01-02T03:04:05.678Z", "1969-12-31T23:59:59.999-08:00", "2024-01-02T03:04:05Z"]) | odd,
        deep=_struct(name=st.text(max_size=3) | odd) | odd,
        unknown=odd,
    )


def stats_values(odd: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return _struct(
        numRecords=st.integers(0, 2**62) | odd,
        minValues=bounds(odd) | odd,
        maxValues=bounds(odd) | odd,
        nullCount=_struct(whole=st.integers(0, 9) | odd, deep=_struct(name=st.integers(0, 9))) | odd,
        tightBounds=st.booleans() | odd,
    )


maybe_stats = st.none() | st.booleans().flatmap(lambda plain: stats_values(st.none() if plain else _odd))


def as_wanted(value: Any, wanted: pa.DataType) -> Any:
    if pa.types.is_struct(wanted):
        return {f.name: as_wanted(value.get(f.name), f.type) for f in wanted} if isinstance(value, dict) else None
    return stored_as(wanted, value)


def flat(value: Any) -> Any:
    """A struct of nothing and no struct are the same statistics."""
    if isinstance(value, dict):
        kept = {key: flat(item) for key, item in value.items()}
        return kept if any(item is not None for item in kept.values()) else None
    return value


@settings(deadline=None)
@given(
    st.lists(st.none() | st.booleans().flatmap(lambda plain: stats_values(st.none() if plain else _odd)), max_size=5)
)
def test_statistics_parsed_together_equal_those_parsed_one_by_one(values: list[Any]) -> None:
    texts = pa.array([None if value is None else json.dumps(value) for value in values], pa.string())
    expected = pa.array([as_wanted(value, STATS) for value in values], STATS)
    found, wanted = ([flat(row) for row in array.to_pylist()] for array in (parse_stats(texts, STATS), expected))
    # By their spelling, as no NaN equals another.
    assert repr(found) == repr(wanted)
