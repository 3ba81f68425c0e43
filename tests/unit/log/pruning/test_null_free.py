"""Columns that hold no null in any file, by the files' own counts."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from deltaresolver.log.pruning.null_free import null_free
from deltaresolver.model.metadata import Metadata

FIELDS = [
    {"name": "a", "type": "long", "nullable": False, "metadata": {}},
    {
        "name": "l",
        "type": {"type": "array", "elementType": "long", "containsNull": True},
        "nullable": False,
        "metadata": {},
    },
    {
        "name": "s",
        "type": {"type": "struct", "fields": [{"name": "x.y", "type": "date", "nullable": False, "metadata": {}}]},
        "nullable": False,
        "metadata": {},
    },
]
METADATA = Metadata.from_json(
    {
        "id": "i",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": FIELDS}),
        "partitionColumns": [],
        "configuration": {},
    }
)
PATHS = [("a",), ("l",), ("s", "x.y")]
NONE = {"numRecords": 2, "nullCount": {"a": 0, "l": 0, "s": {"x.y": 0}}, "minValues": {"a": "what"}}


def free(*stats: Any) -> set[tuple[str, ...]]:
    texts = [each if each is None or isinstance(each, str) else json.dumps(each) for each in stats]
    return set(null_free(pa.table({"stats": pa.array(texts, pa.string())}), METADATA, PATHS))


def test_a_column_is_free_of_null_only_if_every_file_promises_it() -> None:
    assert free(NONE) == free(NONE, NONE) == free() == set(PATHS)
    assert free(NONE, {**NONE, "nullCount": {"a": 0, "l": 1, "s": {"x.y": 0}}}) == {("a",), ("s", "x.y")}
    assert free(NONE, {**NONE, "nullCount": {"a": 0}}) == {("a",)}


@pytest.mark.parametrize(
    "stats", [None, "", "{", "[]", {}, {"numRecords": 0}, {"nullCount": 0}, {"nullCount": {"a": "0"}}]
)
def test_counts_that_are_missing_or_odd_promise_nothing(stats: Any) -> None:
    assert free(NONE, stats) == set()
