"""What pruning drops in plain cases, and what it must keep."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pyarrow as pa
import pytest

from deltaresolver.errors import UnknownColumnError
from deltaresolver.expressions.predicates import Predicate, col
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.pruning.prune import prune
from deltaresolver.model.metadata import Metadata

UTC = dt.timezone.utc  # noqa: UP017 - the oldest supported Python spells it so
TYPES = {
    "id": "long",
    "name": "string",
    "amount": "double",
    "price": "decimal(10,2)",
    "on": "date",
    "at": "timestamp",
    "day": "date",
    "region": "string",
    "part_at": "timestamp",
    "where": {"type": "struct", "fields": [{"name": "lat", "type": "integer", "nullable": True, "metadata": {}}]},
    "tags": {"type": "array", "elementType": "string", "containsNull": True},
}
METADATA = Metadata(
    schema_string=json.dumps(
        {
            "type": "struct",
            "fields": [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in TYPES.items()],
        }
    ),
    partition_columns=("day", "region", "part_at"),
)


def file(path: str, low: Any, high: Any, nulls: Any = None, count: int = 10, **partition: str | None) -> dict[str, Any]:
    stats = {"numRecords": count, "minValues": low, "maxValues": high, "nullCount": nulls or {}}
    return {"path": path, "partitionValues": list(partition.items()), "stats": json.dumps(stats)}


FILES = pa.Table.from_pylist(
    [
        file(
            "low",
            {
                "id": 0,
                "name": "aa",
                "price": 1.5,
                "on": "2024-01-01",
                "at": "2024-01-01T00:00:00.000Z",
                "where": {"lat": 1},
            },
            {
                "id": 9,
                "name": "ff",
                "price": 2.5,
                "on": "2024-01-31",
                "at": "2024-01-01T10:00:00.000Z",
                "where": {"lat": 5},
            },
            {"id": 0, "name": 10, "where": {"lat": 0}},
            day="2024-01-01",
            region="eu",
            part_at="2024-01-01 00:00:00",
        ),
        file(
            "high",
            {
                "id": 10,
                "name": "gg",
                "price": 3.0,
                "on": "2024-02-01",
                "at": "2024-02-01T00:00:00.000Z",
                "where": {"lat": 6},
            },
            {
                "id": 19,
                "name": "zz",
                "price": 4.0,
                "on": "2024-02-28",
                "at": "2024-02-01T10:00:00.000Z",
                "where": {"lat": 9},
            },
            {"id": 3, "name": 0, "where": {"lat": 10}},
            day="2024-02-01",
            region=None,
            part_at="2024-02-01T00:00:00.000000Z",
        ),
        {"path": "bare", "partitionValues": [], "stats": None},
    ],
    ADD_FILES,
)


def kept(predicate: Predicate, files: pa.Table = FILES) -> set[str]:
    return set(prune(files, METADATA, predicate).column("path").to_pylist()) - {"bare"}


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (col("id") == 5, {"low"}),
        (col("ID") == 15, {"high"}),
        (col("id") == 100, set()),
        (col("id") < 10, {"low"}),
        (col("id") <= 10, {"low", "high"}),
        (col("id") > 9, {"high"}),
        (col("id") >= 9, {"low", "high"}),
        (col("id") > 9.5, {"high"}),
        (~(col("id") < 10), {"high"}),
        (~(col("id") >= 10), {"low"}),
        (col("id") != 5, {"low", "high"}),
        (col("id").is_in([3, 4]), {"low"}),
        (col("id").is_in([]), set()),
        (col("id").is_null(), {"high"}),
        (col("id") == None, set()),  # noqa: E711 - the comparison is the builder's
        (col("id").null_safe_equal(None), {"high"}),
        (col("id").null_safe_equal(12), {"high"}),
        (col("name").is_not_null(), {"high"}),
        (col("name") == "hh", {"high"}),
        (col("name").starts_with("h"), {"high"}),
        (col("name").starts_with("zzz"), {"high"}),
        (col("where", "lat").is_not_null(), {"low"}),
        (col("where", "lat") > 6, set()),
        (col("price") > 2, {"low", "high"}),
        (col("price") >= 2.75, {"high"}),
        (col("on") < dt.date(2024, 1, 15), {"low"}),
        (col("at") > dt.datetime(2024, 1, 15, tzinfo=UTC), {"high"}),
        (col("at") > dt.datetime(2024, 2, 1, 10, 0, 0, 500, tzinfo=UTC), {"high"}),
        (col("at") > dt.datetime(2024, 2, 1, 10, 0, 0, 1000, tzinfo=UTC), set()),
        (col("day") == dt.date(2024, 2, 1), {"high"}),
        (col("day") != dt.date(2024, 2, 1), {"low"}),
        (col("region") == "eu", {"low"}),
        (col("region") != "eu", set()),
        (col("region").is_null(), {"high"}),
        (col("region").starts_with("u"), set()),
        (~col("region").starts_with("e"), set()),
        (col("part_at") == dt.datetime(2024, 1, 1, 17, tzinfo=UTC), {"low"}),
        (col("part_at") == dt.datetime(2024, 2, 1, 1, tzinfo=UTC), set()),
        ((col("id") < 10) & (col("region").is_null()), set()),
        ((col("id") < 10) | (col("region").is_null()), {"low", "high"}),
        (~((col("id") < 10) | (col("id") > 15)), {"high"}),
        (col("id") == "five", {"low", "high"}),
        (col("tags").is_null(), {"low", "high"}),
    ],
)
def test_files_that_cannot_match_are_dropped(predicate: Predicate, expected: set[str]) -> None:
    assert kept(predicate) == expected


def test_a_file_without_statistics_is_kept() -> None:
    assert "bare" in prune(FILES, METADATA, col("id") == 100).column("path").to_pylist()


def test_files_read_without_statistics_are_pruned_by_partition_only() -> None:
    assert kept((col("id") == 100) & (col("region") == "eu"), FILES.drop_columns(["stats"])) == {"low"}


def test_an_upper_bound_that_may_be_cut_keeps_longer_strings() -> None:
    files = pa.Table.from_pylist([file("cut", {"name": "ab"}, {"name": "ab"})], ADD_FILES)
    assert kept(col("name") == "abc", files) == {"cut"}
    assert kept(col("name") > "ab", files) == {"cut"}
    assert kept(col("name") != "ab", files) == {"cut"}
    assert kept(col("name") == "b", files) == set()


def test_nan_may_hide_above_the_greatest_number() -> None:
    files = pa.Table.from_pylist([file("f", {"amount": 1.0}, {"amount": 2.0})], ADD_FILES)
    assert kept(col("amount") > 5.0, files) == {"f"}
    assert kept(col("amount") < 1.0, files) == set()


@pytest.mark.parametrize("text", ["{", "null", " null", "", "5", "[]", '{"numRecords":1}{}', '{}\n{"numRecords":1}'])
@pytest.mark.parametrize("is_first", [True, False])
def test_one_unreadable_text_spoils_no_other_file(text: str, is_first: bool) -> None:
    broken = pa.Table.from_pylist([{"path": "broken", "partitionValues": [], "stats": text}], ADD_FILES)
    files = pa.concat_tables([broken, FILES] if is_first else [FILES, broken])
    assert kept(col("id") == 5, files) == {"low", "broken"}


def test_texts_that_hold_two_and_none_are_not_shifted() -> None:
    low, high = (json.dumps({"numRecords": 1, "minValues": {"id": n}, "maxValues": {"id": n}}) for n in (5, 50))
    rows = [{"path": name, "partitionValues": [], "stats": text} for name, text in (("a", ""), ("b", high + low))]
    assert kept(col("id") == 5, pa.Table.from_pylist(rows, ADD_FILES)) == {"a", "b"}


def test_no_files_stay_no_files() -> None:
    assert prune(FILES.slice(0, 0), METADATA, col("id") == 5).num_rows == 0


def test_an_unknown_column_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownColumnError, match="did you mean region"):
        prune(FILES, METADATA, col("regoin") == "eu")


def test_a_predicate_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="combine predicates"):
        bool(col("id") == 1)
