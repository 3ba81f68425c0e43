"""The facts two implementations read from the same table, and that a difference between them shows."""

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.peers.delta_spark import DeltaSpark
from tests.peers.snapshot_facts import delta_rs_facts, delta_spark_facts, differences, history

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = pytest.mark.peer

KEYED = "id BIGINT, day DATE, at TIMESTAMP, name STRING, price DOUBLE, big BOOLEAN"


@pytest.fixture(scope="module")
def table(delta_spark: DeltaSpark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with odd partition values, a row-tracking domain, a removed file and an application's transaction."""
    path = tmp_path_factory.mktemp("facts") / "table"
    delta_spark.sql(
        f"CREATE TABLE {{table}} ({KEYED}) USING DELTA PARTITIONED BY (day, at, name, price, big) "
        "TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        path,
    )
    delta_spark.sql(
        "INSERT INTO {table} VALUES (1, DATE'2020-01-02', TIMESTAMP'1900-01-01 03:04:05.678', 'a b/%', 1.5, true), "
        "(2, NULL, NULL, '', NULL, NULL), (3, DATE'2020-01-03', TIMESTAMP'2020-01-01 00:00:00', 'c', 1e30, false)",
        path,
    )
    delta_spark.sql("DELETE FROM {table} WHERE id = 3", path)
    more = delta_spark.read(path).limit(1)
    delta_spark.write(more, path, txnAppId="loader", txnVersion="7")
    return path


def test_both_implementations_read_the_same_state(table: Path) -> None:
    spark, rust = delta_spark_facts(table), delta_rs_facts(table, app_ids=("loader", "nobody"))
    assert differences(spark, rust) == []
    assert spark["table_version"] == 3
    assert len(spark["files"]) == 3
    assert spark["transactions"] == rust["transactions"] == {"loader": 7}
    assert set(spark["domains"]) == {"delta.rowTracking"}


def test_an_older_version_is_read_at_that_version(table: Path) -> None:
    spark, rust = delta_spark_facts(table, 0), delta_rs_facts(table, 0)
    assert differences(spark, rust) == []
    assert (spark["table_version"], spark["files"]) == (0, {})


def test_history_is_newest_first(table: Path) -> None:
    operations = [(row["version"], row["operation"]) for row in history(table)]
    assert operations == [(3, "WRITE"), (2, "DELETE"), (1, "WRITE"), (0, "CREATE TABLE")]


@pytest.mark.parametrize("place", ["table_version", "protocol", "metadata", "files", "size"])
def test_a_difference_is_named(table: Path, place: str) -> None:
    spark, rust = delta_spark_facts(table), delta_rs_facts(table)
    changed: dict[str, Any] = copy.deepcopy(rust)
    some_file = next(iter(changed["files"]))
    if place == "table_version":
        changed["table_version"] = 99
    elif place == "protocol":
        changed["protocol"]["minWriterVersion"] = 2
    elif place == "metadata":
        changed["metadata"]["configuration"]["delta.appendOnly"] = "true"
    elif place == "files":
        del changed["files"][some_file]
    else:
        changed["files"][some_file]["size"] += 1
    found = [line for line in differences(spark, changed) if not line.startswith("/transactions")]
    assert len(found) == 1
    assert place in found[0]
