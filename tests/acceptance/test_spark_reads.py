"""What delta-spark wrote, our reader gives row by row as delta-spark's own: data, changes and row ids."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import ChangeFeedRangeError, ChangeFeedSchemaError, ChangeFeedUnavailableError
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.slow]

CHANGES = (
    "INSERT INTO {table} SELECT id, id % 3, concat('n', id) FROM range(0, 12, 1, 1)",
    "UPDATE {table} SET name = 'changed' WHERE id % 4 = 0",
    "DELETE FROM {table} WHERE p = 1 AND id < 8",
    (
        "MERGE INTO {table} t USING (SELECT id + 9 AS id, 0 AS p, 'merged' AS name FROM range(5)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ),
    "RESTORE TABLE {table} TO VERSION AS OF 2",
    "DELETE FROM {table} WHERE p = 2",
    "INSERT INTO {table} VALUES (100, NULL, 'a b%c/d'), (101, 7, NULL)",
)
PROPERTIES = {
    "plain": {},
    "all at once": {
        "delta.columnMapping.mode": "name",
        "delta.enableDeletionVectors": "true",
        "delta.enableInCommitTimestamps": "true",
        "delta.enableRowTracking": "true",
    },
}
"""Whatever a feature changes alone is in the interop matrix."""
VERSIONS = (1, 3, 4, 5, 7)


def rows(frame: Any) -> list[str]:
    """The rows as text, sorted, with the columns' names."""
    return [
        str(frame.columns),
        *sorted(json.dumps(row.asDict(True), default=str, sort_keys=True) for row in frame.collect()),
    ]


@pytest.fixture(scope="module", params=list(PROPERTIES))
def changed_table(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, small_delta_spark: DeltaSpark
) -> Path:
    """A partitioned table with the change data feed on, changed by every kind of statement."""
    path = tmp_path_factory.mktemp("changed") / "t a%b"
    properties = {"delta.enableChangeDataFeed": "true", **PROPERTIES[request.param]}
    texts = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    create = (
        f"CREATE TABLE {{table}} (id LONG, p INT, name STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES ({texts})"
    )
    for statement in (create, *CHANGES):
        small_delta_spark.sql(statement, path)
    return path


def test_every_version_has_the_same_rows(changed_table: Path, small_delta_spark: DeltaSpark) -> None:
    for version in VERSIONS:
        ours = ds.read(small_delta_spark.spark, changed_table, version=version)
        assert rows(ours) == rows(small_delta_spark.read(changed_table, version))


@pytest.mark.parametrize(("first", "last"), [(0, 7), (1, 1), (3, None)])
def test_changes_are_the_same(changed_table: Path, small_delta_spark: DeltaSpark, first: int, last: int | None) -> None:
    theirs = (
        small_delta_spark.spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", first)
    )
    if last is not None:
        theirs = theirs.option("endingVersion", last)
    ours = ds.read(
        small_delta_spark.spark, changed_table, change_feed=ds.ChangeFeed(starting_version=first, ending_version=last)
    )
    assert rows(ours) == rows(theirs.load(str(changed_table)))


@pytest.mark.parametrize("where", ["p IS NULL", "name = 'changed' AND p <> 2", "id % 2 = 0 OR p = 1"])
def test_a_condition_leaves_the_same_rows(changed_table: Path, small_delta_spark: DeltaSpark, where: str) -> None:
    ours = ds.read(small_delta_spark.spark, changed_table, where=where, columns=["name", "ID"])
    assert rows(ours) == rows(small_delta_spark.read(changed_table).where(where).select("name", "id"))


def test_ranges_in_time_mean_the_same(changed_table: Path, small_delta_spark: DeltaSpark) -> None:
    commits = small_delta_spark.sql("DESCRIBE HISTORY {table}", changed_table).orderBy("version").collect()
    start, end = (str(commits[place].timestamp) for place in (2, 5))
    reader = small_delta_spark.spark.read.format("delta").option("readChangeFeed", "true")
    theirs = reader.option("startingTimestamp", start).option("endingTimestamp", end).load(str(changed_table))
    options = {"READCHANGEFEED": "true", "startingTimestamp": start, "endingTimestamp": end}
    assert rows(ds.read(small_delta_spark.spark, changed_table, options=options)) == rows(theirs)


def test_row_ids_are_the_same(tmp_path: Path, small_delta_spark: DeltaSpark) -> None:
    path = tmp_path / "t"
    small_delta_spark.sql(
        "CREATE TABLE {table} USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true', "
        "'delta.enableDeletionVectors' = 'true') AS SELECT id, id % 2 AS odd FROM range(0, 40, 1, 2)",
        path,
    )
    for statement in (
        "UPDATE {table} SET odd = 9 WHERE id < 7",
        "DELETE FROM {table} WHERE id = 20",
        "OPTIMIZE {table}",
    ):
        small_delta_spark.sql(statement, path)
        theirs = small_delta_spark.read(path).selectExpr("*", "_metadata.row_id", "_metadata.row_commit_version")
        assert rows(ds.read(small_delta_spark.spark, path, row_tracking=True)) == rows(theirs)


Reader = Callable[[], Any]


def refusal(read: Reader) -> str:
    """The Delta condition of the error that a read ends in."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - Spark's and ours have no common class
        read().collect()
    error: Any = caught.value
    return str(getattr(error, "delta_condition", None) or error.getCondition())


SWITCH_OFF = "ALTER TABLE {table} UNSET TBLPROPERTIES ('delta.enableChangeDataFeed')"
MAP_BY_NAME = "ALTER TABLE {table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
RENAME = "ALTER TABLE {table} RENAME COLUMN a TO b"


@pytest.mark.parametrize(
    ("statements", "options", "kind"),
    [
        ([SWITCH_OFF], {"startingVersion": "0"}, ChangeFeedUnavailableError),
        ([], {"startingVersion": "9"}, ChangeFeedRangeError),
        ([], {"startingVersion": "1", "endingVersion": "0"}, ChangeFeedRangeError),
        ([MAP_BY_NAME, RENAME], {"startingVersion": "0"}, ChangeFeedSchemaError),
    ],
    ids=["off", "late", "backwards", "renamed"],
)
def test_refusals_carry_the_same_condition(
    tmp_path: Path,
    small_delta_spark: DeltaSpark,
    statements: Sequence[str],
    options: dict[str, str],
    kind: type[Exception],
) -> None:
    path = tmp_path / "t"
    create = "CREATE TABLE {table} USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true') AS SELECT 1 AS a"
    for statement in (create, "INSERT INTO {table} VALUES (2)", *statements):
        small_delta_spark.sql(statement, path)
    asked = {"readChangeFeed": "true", **options}
    ours = refusal(lambda: ds.read(small_delta_spark.spark, path, options=asked))
    assert ours == refusal(lambda: small_delta_spark.spark.read.format("delta").options(**asked).load(str(path)))
    with pytest.raises(kind):
        ds.read(small_delta_spark.spark, path, options=asked)


def test_types_are_those_that_delta_spark_returns(tmp_path: Path, small_delta_spark: DeltaSpark) -> None:
    path = tmp_path / "t"
    moment = datetime.datetime(2024, 5, 1, 12, 30, tzinfo=datetime.UTC)
    small_delta_spark.sql(
        "CREATE TABLE {table} (id INT COMMENT 'key', d DECIMAL(10,2), t TIMESTAMP, n TIMESTAMP_NTZ, v VARIANT, "
        "c VARCHAR(5), s STRUCT<a: ARRAY<STRUCT<x: INT>>, m: MAP<STRING, STRUCT<y: DATE>>>) "
        "USING delta PARTITIONED BY (t) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true')",
        path,
    )
    values = (
        f"(1, 2.5, TIMESTAMP '{moment:%Y-%m-%d %H:%M:%S}', TIMESTAMP_NTZ '2024-05-01 01:02:03', "
        "parse_json('{\"k\": [1]}'), 'c', "
        "named_struct('a', array(named_struct('x', 1), NULL), 'm', map('k', named_struct('y', DATE '2024-05-01')))), "
        "(2, NULL, NULL, NULL, NULL, NULL, NULL)"
    )
    for statement in (
        f"INSERT INTO {{table}} VALUES {values}",
        "ALTER TABLE {table} ALTER COLUMN id TYPE BIGINT",
        "ALTER TABLE {table} ALTER COLUMN d TYPE DECIMAL(20,4)",
        "ALTER TABLE {table} RENAME COLUMN s.a TO b",
        "ALTER TABLE {table} ADD COLUMN s.z STRING",
        "INSERT INTO {table} SELECT id + 5, d, t, n, v, c, named_struct('b', s.b, 'm', s.m, 'z', 'new') FROM {table}",
    ):
        small_delta_spark.sql(statement, path)
    ours, theirs = ds.read(small_delta_spark.spark, path), small_delta_spark.read(path)
    text = "CAST(v AS STRING) AS v"
    assert rows(ours.drop("v")) == rows(theirs.drop("v"))
    assert rows(ours.selectExpr("id", text)) == rows(theirs.selectExpr("id", text))
    assert [(field.name, field.dataType) for field in ours.schema] == [
        (field.name, field.dataType) for field in theirs.schema
    ]
    assert ours.schema["id"].metadata == {"comment": "key"}
