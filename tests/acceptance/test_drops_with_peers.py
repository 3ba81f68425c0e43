"""Drops repeated while the log ages, here and by delta-spark: as many are needed, with the same protocol at the end."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs
import pytest

from deltaresolver.errors import HistoryUsesFeatureError
from deltaresolver.model.protocol import Protocol
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = pytest.mark.peer

AGED = "the log ages by three days"
DAYS_AGO = 3 * 86_400


@attrs.frozen
class Situation:
    """How delta-spark makes a table, and which feature is to go with its history."""

    feature: str
    properties: Mapping[str, str]
    then: Sequence[str] = ()
    """Statements, or `AGED`."""
    truncate: bool = True


ROWS = "INSERT INTO {table} SELECT id, CAST(id AS SMALLINT) FROM range(0, 10, 1, 1)"
VECTORS = {"delta.enableDeletionVectors": "true"}
MARK = "DELETE FROM {table} WHERE id = 3"
EMPTY = "DELETE FROM {table}"
UNSET_VECTORS = "ALTER TABLE {table} UNSET TBLPROPERTIES ('delta.enableDeletionVectors')"
WIDENING = {"delta.enableTypeWidening": "true"}
V2 = {"delta.checkpointPolicy": "v2"}
OFTEN = {"delta.checkpointInterval": "1"}

SITUATIONS = {
    "vectors_unused": Situation("deletionVectors", VECTORS, (ROWS,)),
    "vectors_in_old_commits": Situation("deletionVectors", VECTORS, (ROWS, MARK, EMPTY, AGED)),
    "tombstones_with_vectors": Situation("deletionVectors", {**VECTORS, **OFTEN}, (ROWS, MARK, EMPTY)),
    "tombstones_in_old_checkpoints": Situation(
        "deletionVectors", {**VECTORS, **OFTEN}, (ROWS, MARK, EMPTY, ROWS, UNSET_VECTORS, ROWS, AGED)
    ),
    "vectors_given_up_long_ago": Situation("deletionVectors", VECTORS, (ROWS, MARK, EMPTY, UNSET_VECTORS, ROWS, AGED)),
    "vectors_given_up_now": Situation("deletionVectors", VECTORS, (ROWS, MARK, EMPTY, UNSET_VECTORS)),
    "vectors_under_protection": Situation("deletionVectors", VECTORS, (ROWS, MARK, EMPTY), truncate=False),
    "widening_unused": Situation("typeWidening", WIDENING, (ROWS,)),
    "widening_of_nothing": Situation("typeWidening", WIDENING, ("ALTER TABLE {table} ALTER COLUMN n TYPE INT",)),
    "v2_used": Situation("v2Checkpoint", {**V2, **OFTEN}, (ROWS, ROWS)),
    "v2_used_long_ago": Situation("v2Checkpoint", {**V2, **OFTEN}, (ROWS, ROWS, AGED)),
    "v2_given_up": Situation(
        "v2Checkpoint",
        {**V2, **OFTEN},
        (ROWS, ROWS, "ALTER TABLE {table} SET TBLPROPERTIES ('delta.checkpointPolicy' = 'classic')", ROWS, AGED),
    ),
    "vacuum_check": Situation("vacuumProtocolCheck", {"delta.feature.vacuumProtocolCheck": "supported"}, (ROWS,)),
    "mapping_of_nothing": Situation("columnMapping", {"delta.columnMapping.mode": "name"}),
    "protection": Situation("checkpointProtection", V2, (ROWS, "ALTER TABLE {table} DROP FEATURE v2Checkpoint")),
    "protection_long_ago": Situation(
        "checkpointProtection", V2, (ROWS, "ALTER TABLE {table} DROP FEATURE v2Checkpoint", ROWS, AGED)
    ),
}
FEWER_HERE = frozenset({"vectors_given_up_long_ago"})
"""delta-spark leaves the last old commit at its first clean-up where no checkpoint is as old."""
KEEPS_THE_LOG = {"delta.enableExpiredLogCleanup": "false"}


def age(path: Path) -> None:
    """As if everything in the log had been written days earlier than it was."""
    for file in (path / "_delta_log").glob("*.*"):
        before = file.stat().st_mtime
        os.utime(file, (before - DAYS_AGO, before - DAYS_AGO))


def make(spark: DeltaSpark, path: Path, situation: Situation, more: Mapping[str, str]) -> None:
    properties = {**situation.properties, **more}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    spark.sql(f"CREATE TABLE {{table}} (id BIGINT, n SMALLINT) USING delta TBLPROPERTIES ({listed})", path)
    for statement in situation.then:
        if statement == AGED:
            age(path)
        else:
            spark.sql(statement, path)


def drops_needed(path: Path, drop: Callable[[], bool]) -> int:
    """How often a drop has to be asked for, the log ageing in between."""
    for count in range(1, 5):
        time.sleep(0.01)
        if drop():
            return count
        age(path)
    raise AssertionError("waiting does not help")


def dropped_by_delta_spark(spark: DeltaSpark, path: Path, situation: Situation) -> bool:
    truncation = " TRUNCATE HISTORY" if situation.truncate else ""
    spark.jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    try:
        spark.sql(f"ALTER TABLE {{table}} DROP FEATURE {situation.feature}{truncation}", path)
    except Exception as error:
        if "WAIT_FOR_RETENTION_PERIOD" in str(error) or "HISTORICAL_VERSIONS_EXIST" in str(error):
            return False
        raise
    return True


def dropped_here(path: Path, situation: Situation) -> bool:
    try:
        Table(path).drop_feature(situation.feature, truncate_history=situation.truncate)
    except HistoryUsesFeatureError:
        return False
    return True


@attrs.frozen
class Ended:
    """How both came to the end."""

    theirs: int
    ours: int
    their_protocol: Protocol
    our_protocol: Protocol
    path: Path


def _ended(spark: DeltaSpark, folder: Path, situation: Situation, more: Mapping[str, str]) -> Ended:
    theirs, ours = folder / "theirs", folder / "ours"
    make(spark, theirs, situation, more)
    shutil.copytree(theirs, ours, copy_function=shutil.copy2)
    their_count = drops_needed(theirs, lambda: dropped_by_delta_spark(spark, theirs, situation))
    our_count = drops_needed(ours, lambda: dropped_here(ours, situation))
    return Ended(their_count, our_count, Table(theirs).protocol, Table(ours).protocol, ours)


@pytest.mark.parametrize("name", SITUATIONS)
def test_as_many_drops_are_needed_as_by_delta_spark(name: str, small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    ended = _ended(small_delta_spark, tmp_path, SITUATIONS[name], {})
    assert ended.our_protocol == ended.their_protocol
    assert ended.ours < ended.theirs if name in FEWER_HERE else ended.ours == ended.theirs
    small_delta_spark.jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    small_delta_spark.read(ended.path).count()
    small_delta_spark.sql(ROWS, ended.path)


@pytest.mark.parametrize("name", ["vectors_unused", "v2_used", "protection"])
def test_truncation_was_asked_for_even_where_the_log_is_kept(
    name: str, small_delta_spark: DeltaSpark, tmp_path: Path
) -> None:
    ended = _ended(small_delta_spark, tmp_path, SITUATIONS[name], KEEPS_THE_LOG)
    assert (ended.ours, ended.our_protocol) == (ended.theirs, ended.their_protocol)
