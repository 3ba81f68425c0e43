"""What delta-spark refuses about conditions, values and arguments is refused here, and what it takes is taken."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException

import deltaresolver.spark as ds
from deltaresolver.errors import WriteOptionError
from tests.nasty import UNSTABLE_CONDITIONS
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

SOURCE = "(select 1L id, 5 v, 'x' key union all select 100L, 1, 'y') s"
SUBQUERIES = "id in (select"


def refuses(act: Callable[[], object]) -> bool:
    try:
        act()
    except AnalysisException:
        return True
    return False


def test_conditions_and_values_that_delta_spark_refuses_are_refused(delta_spark: DeltaSpark, tmp_path: Path) -> None:
    spark = delta_spark.spark
    here, there = tmp_path / "here", tmp_path / "there"
    delta_spark.write(spark.range(10).selectExpr("id", "0 v", "cast(id as string) key").coalesce(1), there)
    shutil.copytree(there, here)
    source = spark.sql(f"select * from {SOURCE}").alias("s")
    table = ds.DeltaTable.forPath(spark, here).alias("t")
    name = f"delta.`{there}`"
    merge = f"merge into {name} t using {SOURCE} on t.id = s.id"
    builder = table.merge(source, "t.id = s.id")
    pairs: list[tuple[str, Callable[[], object]]] = [
        (
            f"update {name} set v = cast(rand() * 10 as int)",
            lambda: table.update(None, {"v": "cast(rand() * 10 as int)"}),
        ),
        (f"update {name} set key = uuid() where id = 1", lambda: table.update("id = 1", {"key": "uuid()"})),
        (
            f"update {name} set key = cast(now() as string)",
            lambda: table.update(None, {"key": "cast(now() as string)"}),
        ),
        (
            f"{merge} when matched then update set key = uuid()",
            lambda: builder.whenMatchedUpdate(set={"key": "uuid()"}).execute(),
        ),
        (
            f"{merge} when not matched then insert (id, key) values (s.id, uuid())",
            lambda: builder.whenNotMatchedInsert(values={"id": "s.id", "key": "uuid()"}).execute(),
        ),
        (
            f"delete from {name} where now() < timestamp'2000-01-01'",
            lambda: table.delete("now() < timestamp'2000-01-01'"),
        ),
        (f"delete from {name} where _metadata.file_name = 'x'", lambda: table.delete("_metadata.file_name = 'x'")),
        (f"delete from {name} where id", lambda: table.delete("id")),
        (f"delete from {name} where null", lambda: table.delete("null")),
        (f"delete from {name} where max(id) > 1", lambda: table.delete("max(id) > 1")),
        (f"delete from {name} where q = 1", lambda: table.delete("q = 1")),
    ]
    for condition in UNSTABLE_CONDITIONS:
        if SUBQUERIES not in condition:
            of_target = condition.replace("id ", "t.id ") if "id " in condition else condition
            pairs += [
                (f"delete from {name} where {condition}", lambda text=condition: table.delete(text)),  # type: ignore[misc]
                (
                    f"{merge} when matched and {of_target} then delete",
                    lambda text=of_target: builder.whenMatchedDelete(text).execute(),  # type: ignore[misc]
                ),
            ]
    for statement, act in pairs:
        assert refuses(lambda statement=statement: spark.sql(statement)) == refuses(act), statement  # type: ignore[misc]


def test_a_write_of_the_sessions_application_is_made_once_as_by_delta_spark(
    delta_spark: DeltaSpark, tmp_path: Path
) -> None:
    spark = delta_spark.spark
    here, there = tmp_path / "here", tmp_path / "there"
    delta_spark.write(spark.range(5), there)
    shutil.copytree(there, here)
    table = ds.DeltaTable.forPath(spark, here)
    app, version = "spark.databricks.delta.write.txnAppId", "spark.databricks.delta.write.txnVersion"
    sides: list[tuple[list[Callable[[], object]], Callable[[], int]]] = [
        (
            [
                lambda: delta_spark.write(spark.range(5, 6), there),
                lambda: spark.sql(f"delete from delta.`{there}` where id = 1"),
            ],
            lambda: delta_spark.read(there).count(),
        ),
        (
            [lambda: ds.write(spark.range(5, 6), here, mode="append"), lambda: table.delete("id = 1")],
            lambda: table.toDF().count(),
        ),
    ]
    found = []
    for auto in ("false", "true"):
        for acts, count in sides:
            counts: list[object] = []
            try:
                spark.conf.set(app, f"app-{auto}")
                spark.conf.set(f"{version}.autoReset.enabled", auto)
                for act in acts:
                    spark.conf.set(version, str(len(counts)))
                    act()
                    counts.append(count())
                    if auto == "false":
                        act()
                    counts.append(count())
                    counts.append(spark.conf.get(version, "-1"))
            finally:
                for key in (app, version, f"{version}.autoReset.enabled"):
                    spark.conf.unset(key)
            found.append(counts)
    assert found[0] == found[1]
    assert found[2] == found[3]
    spark.conf.set(app, "alone")
    try:
        with pytest.raises(WriteOptionError):
            table.delete("id = 2")
        with pytest.raises(Exception, match="DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS"):
            spark.sql(f"delete from delta.`{there}` where id = 2")
    finally:
        spark.conf.unset(app)
