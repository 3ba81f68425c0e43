"""UPDATE and MERGE on two copies of a table, here and by delta-spark: equal rows, changes, row ids and protocol."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import deltaresolver.spark as ds
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark
from tests.spark.writing.changes_said_twice import Clause, Merge, Update

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

VECTORS, FEED = "delta.enableDeletionVectors", "delta.enableChangeDataFeed"
TRACKING, MAPPING = "delta.enableRowTracking", "delta.columnMapping.mode"
ROWS = "select id, cast(id % 3 as int) p, named_struct('a', id, 'b', 'x') s, cast(id as int) n from range(20)"
SOURCE = """
select id, cast(id % 3 as int) p, named_struct('a', id * 2, 'b', 'src') s, cast(100 + id as int) n from range(10, 25)
"""
WIDER = """
select id, named_struct('c', 'new', 'a', id * 2) s, 'added' extra, 5 n from range(18, 22)
"""
UPSERT = Merge("t.id = s.id", (Clause("matched", "update"), Clause("new", "insert")))
ALL_KINDS = Merge(
    "t.id = s.id and t.n < 15",
    (
        Clause("matched", "delete", "s.n % 2 = 0"),
        Clause("matched", "update", "t.n > 3", {"n": "t.n + s.n", "p": "2"}),
        Clause("new", "insert", "s.id > 21", {"id": "id", "n": "-1"}),
        Clause("lone", "delete", "t.n = 2"),
        Clause("lone", "update", None, {"s.a": "n * 100"}),
    ),
)
RULES = {
    "type": "struct",
    "fields": [
        {"name": "id", "type": "long", "nullable": False, "metadata": {}},
        {"name": "g", "type": "long", "nullable": True, "metadata": {"delta.generationExpression": "n * 10 + id"}},
        {"name": "n", "type": "integer", "nullable": True, "metadata": {}},
        {"name": "d", "type": "string", "nullable": True, "metadata": {"CURRENT_DEFAULT": "'dflt'"}},
    ],
}


@attrs.frozen
class Case:
    """A change of a table: its rows as SQL or its schema, its properties, and what is merged into it."""

    change: Merge | Update
    properties: Mapping[str, str] = attrs.field(factory=dict)
    partition_by: tuple[str, ...] = ("p",)
    source: str = SOURCE
    schema: Mapping[str, Any] | None = None


CASES = {
    "vectors, feed and ids": Case(ALL_KINDS, {VECTORS: "true", FEED: "true", TRACKING: "true"}),
    "rewritten with ids": Case(UPSERT, {TRACKING: "true", MAPPING: "name"}),
    "rewritten with a feed": Case(ALL_KINDS, {FEED: "true"}, ()),
    "only inserts": Case(Merge("t.id = s.id", (Clause("new", "insert", "s.n > 120"),)), {FEED: "true"}, ()),
    "only deletes, twice matched": Case(
        Merge("t.id = s.id % 16", (Clause("matched", "delete"),)), {VECTORS: "true", FEED: "true"}
    ),
    "new columns and fields": Case(
        attrs.evolve(UPSERT, evolves=True), {VECTORS: "true", MAPPING: "id"}, (), source=WIDER
    ),
    "filled in by the table": Case(
        Merge(
            "t.id = s.id",
            (
                Clause("matched", "update", "s.id < 2", {"n": "s.n"}),
                Clause("matched", "update", None, {"d": "cast(null as string)", "g": "t.g"}),
                Clause("new", "insert", None, {"id": "id", "n": "s.n + 1L"}),
            ),
        ),
        {"delta.feature.allowColumnDefaults": "supported"},
        (),
        source="select id, 7 n from range(4)",
        schema=RULES,
    ),
    "update, rewritten": Case(Update({"n": "n + 1L", "p": "9", "s.b": "upper(s.b)"}, "id > 12"), {TRACKING: "true"}),
    "update, marked": Case(
        Update({"s": "named_struct('b', 'q', 'A', n)"}, "p = 1 and n > 3"),
        {VECTORS: "true", FEED: "true", TRACKING: "true"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_update_and_merge_leave_the_same_as_by_delta_spark(
    small_delta_spark: DeltaSpark, tmp_path: Path, name: str
) -> None:
    case, spark = CASES[name], small_delta_spark.spark
    here, there = tmp_path / "here", tmp_path / "there"
    if case.schema is None:
        rows = spark.sql(ROWS).coalesce(1)
        ds.write(rows, here, partition_by=case.partition_by, properties=case.properties)
    else:
        Table.create(here, case.schema, properties=case.properties)
        ds.write(spark.sql("select id, cast(id as int) n from range(3)"), here, mode="append")
    before = Table(here).snapshot().table_version
    shutil.copytree(here, there)

    case.change.run_here(spark, here, spark.sql(case.source))
    case.change.run_there(spark, there, spark.sql(case.source))
    assert texts(small_delta_spark.read(here)) == texts(small_delta_spark.read(there))
    assert texts(ds.read(spark, here)) == texts(small_delta_spark.read(there))
    assert Table(here).protocol == Table(there).protocol
    if FEED in case.properties:
        wanted = changes(small_delta_spark, there, before + 1)
        assert changes(small_delta_spark, here, before + 1) == wanted
        feed = ds.ChangeFeed(starting_version=before + 1)
        assert texts(ds.read(spark, here, change_feed=feed).drop("_commit_timestamp")) == wanted
    if TRACKING in case.properties:
        known = len(spark.sql(ROWS).collect())
        assert ids(small_delta_spark, here, known) == ids(small_delta_spark, there, known)
    ours, theirs = (Table(path).history(1)[0].info.fields for path in (here, there))
    assert ours["operation"] == theirs["operation"]
    assert ours["operationParameters"].keys() == theirs["operationParameters"].keys()
    told = [key for key in ours["operationMetrics"] if key.startswith("num") and "Rows" in key and "Copied" not in key]
    assert {key: ours["operationMetrics"][key] for key in told if key != "numOutputRows"} == {
        key: theirs["operationMetrics"][key] for key in told if key != "numOutputRows"
    }


def texts(rows: DataFrame) -> list[str]:
    """All rows, comparable."""
    return sorted(map(str, rows.collect()))


def changes(peer: DeltaSpark, path: Path, since: int) -> list[str]:
    """The change data feed as delta-spark reads it."""
    reader = peer.spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", since)
    return texts(reader.load(str(path)).drop("_commit_timestamp"))


def ids(peer: DeltaSpark, path: Path, known: int) -> dict[int, tuple[int | None, int]]:
    """Row ids and commit versions of all rows; which new ids are given is everybody's own business."""
    rows = peer.read(path).select("id", "_metadata.row_id", "_metadata.row_commit_version").collect()
    assert len({row.row_id for row in rows}) == len(rows)
    return {row.id: (row.row_id if row.row_id < known else None, row.row_commit_version) for row in rows}
