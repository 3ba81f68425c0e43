"""Plans carried out on tables that delta-spark wrote: afterwards the target client does what it could not before.

delta-rs and delta-spark run for real; for other clients the catalogue decides.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from deltaresolver.errors import HistoryUsesFeatureError, PlanStepElsewhereError
from deltaresolver.planning.apply import apply_plan
from deltaresolver.planning.plan import Plan, plan
from deltaresolver.planning.steps import StepKind
from deltaresolver.spark import SparkRewriter
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = pytest.mark.peer

DELTA_RS = "delta-rs-python/native@1.6.6"
DAYS_AGO = 3 * 86_400


@attrs.frozen
class Situation:
    """How delta-spark makes a table of ten rows, and where it is to go."""

    properties: Mapping[str, str]
    target: Any
    then: tuple[str, ...] = ()
    """Statements after the first rows; `{table}` stands for the table."""


VECTORS = {"delta.enableDeletionVectors": "true"}
ROW_IDS = {"delta.enableRowTracking": "true"}
TIMES = {"delta.enableInCommitTimestamps": "true"}
V2 = {"delta.checkpointPolicy": "v2"}
WIDENING = {"delta.enableTypeWidening": "true"}
MAPPING = {"delta.columnMapping.mode": "name"}
# The row goes by a vector, since its file holds others, and comes back in a file of its own.
MARKS = ("DELETE FROM {table} WHERE id = 9", "INSERT INTO {table} VALUES (9, 's9', 9)")
CHECK = ("ALTER TABLE {table} ADD CONSTRAINT sane CHECK (n < 1000)",)

SITUATIONS = {
    "row_ids_for_delta_rs": Situation(ROW_IDS, DELTA_RS),
    "times_for_delta_rs": Situation(TIMES, DELTA_RS),
    "many_for_delta_rs": Situation({**ROW_IDS, **TIMES, **V2}, DELTA_RS),
    "domains_for_delta_rs": Situation({"delta.feature.domainMetadata": "supported"}, DELTA_RS),
    "vectors_and_row_ids_for_delta_rs": Situation({**VECTORS, **ROW_IDS}, DELTA_RS, MARKS),
    "widening_unused_for_delta_rs": Situation(WIDENING, DELTA_RS),
    "widening_gone": Situation(WIDENING, "-typeWidening", ("ALTER TABLE {table} ALTER COLUMN n TYPE INT",)),
    "widened_for_delta_rs": Situation(WIDENING, DELTA_RS, ("ALTER TABLE {table} ALTER COLUMN n TYPE INT",)),
    "guard_for_delta_rs": Situation(VECTORS, DELTA_RS, ("ALTER TABLE {table} DROP FEATURE deletionVectors",)),
    "two_clients": Situation({**ROW_IDS, **TIMES}, [DELTA_RS, "trino@468"]),
    "v2_for_trino": Situation({**V2, **ROW_IDS}, "trino@468"),
    "vectors_for_an_old_delta_rs": Situation(VECTORS, "delta-rs-python/native@0.25.5:read", MARKS),
    "mapping_to_the_lowest": Situation(MAPPING, "1,2"),
    "mapping_gone": Situation(MAPPING, "-columnMapping"),
    "constraint_to_the_lowest": Situation({}, "1,2", CHECK),
    "constraint_gone": Situation(ROW_IDS, "-checkConstraints", CHECK),
    "v2_gone": Situation(V2, "-v2Checkpoint"),
    "vacuum_check_gone": Situation({"delta.feature.vacuumProtocolCheck": "supported"}, "-vacuumProtocolCheck"),
    "vectors_gone": Situation(VECTORS, "-deletionVectors", MARKS),
    "vectors_and_v2_to_the_lowest": Situation({**VECTORS, **V2}, "1,2", MARKS),
    "times_to_the_lowest": Situation(TIMES, "1,2"),
    "one_addition_to_the_lowest": Situation(
        {"delta.ignoreProtocolDefaults": "true", "delta.appendOnly": "true"}, "1,2"
    ),
}
IN_SQL = ("widened_for_delta_rs", "mapping_gone", "vectors_gone")
"""Situations in which what rewrites files is done by the statements that the plan shows, not by this library."""


@attrs.frozen
class Walked:
    """A table that went its way."""

    path: Path
    first_plan: Plan
    ran_in_spark: tuple[str, ...]
    bytes_gone: int
    """The size of the data files that were live before and are not after."""


def make(spark: DeltaSpark, path: Path, situation: Situation) -> None:
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in situation.properties.items())
    properties = f"TBLPROPERTIES ({listed})" if listed else ""
    spark.sql(f"CREATE TABLE {{table}} (id BIGINT, s STRING, n SMALLINT) USING delta {properties}", path)
    rows = "SELECT id, concat('s', id), CAST(id AS SMALLINT) FROM range(0, 10, 1, 2)"
    spark.sql(f"INSERT INTO {{table}} {rows}", path)
    for statement in situation.then:
        spark.sql(statement, path)


def walk(spark: DeltaSpark, path: Path, target: Any, *, in_sql: bool) -> Walked:
    """Carries the plan out as a user would: what rewrites files here or in Spark SQL, and a wait passes."""
    first, before = plan(Table(path), target), live_files(path)
    rewriter = None if in_sql else SparkRewriter(spark.spark)
    in_spark: list[str] = []
    waits = 0
    for _ in range(12):
        try:
            list(apply_plan(Table(path), target, rewriter=rewriter))
        except PlanStepElsewhereError as error:
            for statement in error.details["sql"]:
                spark.jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
                spark.sql(statement)
                in_spark.append(statement)
        except HistoryUsesFeatureError:
            waits += 1
            assert waits <= 2, "waiting does not help"
            let_days_pass(path)
        else:
            break
    after = live_files(path)
    return Walked(path, first, tuple(in_spark), sum(size for name, size in before.items() if name not in after))


def live_files(path: Path) -> Mapping[str, int]:
    """The sizes of the data files by their paths."""
    return {add.path: add.size for add in Table(path).update().add_actions()}


def let_days_pass(path: Path) -> None:
    """As if everything in the log had been written days ago."""
    then = time.time() - DAYS_AGO
    for place, file in enumerate(sorted((path / "_delta_log").glob("*.*"))):
        os.utime(file, (then + place, then + place))


def delta_rs_acts(folder: Path) -> Mapping[str, Mapping[str, str]]:
    command = [sys.executable, "-m", "tests.peers.deltalake_acts", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    answer = json.loads(done.stdout)
    assert answer["version"] == DELTA_RS.partition("@")[2]
    tables: Mapping[str, Mapping[str, str]] = answer["tables"]
    return tables


@pytest.fixture(scope="module")
def folder(small_delta_spark: DeltaSpark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables as delta-spark made them."""
    folder = tmp_path_factory.mktemp("plans")
    for name, situation in SITUATIONS.items():
        make(small_delta_spark, folder / name, situation)
    return folder


@pytest.fixture(scope="module")
def acts_before(folder: Path) -> Mapping[str, Mapping[str, str]]:
    return delta_rs_acts(folder)


@pytest.fixture(scope="module")
def walked(
    small_delta_spark: DeltaSpark, folder: Path, acts_before: Mapping[str, Mapping[str, str]]
) -> Mapping[str, Walked]:
    assert acts_before, "delta-rs looks at the tables before they change"
    return {
        name: walk(small_delta_spark, folder / name, situation.target, in_sql=name in IN_SQL)
        for name, situation in SITUATIONS.items()
    }


@pytest.fixture(scope="module")
def acts_after(folder: Path, walked: Mapping[str, Walked]) -> Mapping[str, Mapping[str, str]]:
    assert walked
    return delta_rs_acts(folder)


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_target_is_missed_before_and_reached_after(name: str, walked: Mapping[str, Walked]) -> None:
    one = walked[name]
    assert one.first_plan.is_possible
    assert one.first_plan.steps, "the target was not met before"
    after = plan(Table(one.path), SITUATIONS[name].target)
    assert after.steps == ()
    assert after.start.protocol == one.first_plan.end.protocol


@pytest.mark.parametrize("name", [name for name, one in SITUATIONS.items() if DELTA_RS in one.target])
def test_delta_rs_does_after_the_plan_what_it_refused_before(
    name: str, acts_before: Mapping[str, Mapping[str, str]], acts_after: Mapping[str, Mapping[str, str]]
) -> None:
    assert acts_before[name]["native append"] != "ok"
    assert acts_after[name] == {**acts_after[name], "open": "ok", "native read": "ok", "native append": "ok"}


@pytest.mark.parametrize("name", SITUATIONS)
def test_delta_spark_reads_the_same_rows_and_appends(
    name: str, small_delta_spark: DeltaSpark, walked: Mapping[str, Walked], acts_after: Mapping[str, Mapping[str, str]]
) -> None:
    assert acts_after, "delta-rs has looked before a row is added"
    path = walked[name].path
    small_delta_spark.jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    rows = {(row.id, row.s) for row in small_delta_spark.read(path).collect()}
    assert rows == {(number, f"s{number}") for number in range(10)}
    small_delta_spark.sql("INSERT INTO {table} VALUES (99, 's99', 1)", path)
    assert small_delta_spark.read(path).count() == 11


def test_files_are_rewritten_here_and_by_the_statements_shown(walked: Mapping[str, Walked]) -> None:
    for name, one in walked.items():
        rewriting = [step for step in one.first_plan.steps if step.kind.rewrites]
        assert len(one.ran_in_spark) == (len(rewriting) if name in IN_SQL else 0), name
        assert all(step.cost.files > 0 and step.cost.bytes > 0 for step in rewriting), name
    for names in (set(IN_SQL), SITUATIONS.keys() - set(IN_SQL)):
        kinds = {step.kind for name in names for step in walked[name].first_plan.steps}
        assert {StepKind.PURGE, StepKind.DROP_REWRITING} <= kinds
    assert {step.kind for one in walked.values() for step in one.first_plan.steps} == set(StepKind)


def test_as_many_bytes_are_written_again_as_the_plan_predicts(walked: Mapping[str, Walked]) -> None:
    """Where one step writes files again: of files that two steps write again, only the first is there before."""
    compared = 0
    for name, one in walked.items():
        rewriting = [step for step in one.first_plan.steps if step.kind.rewrites]
        if len(rewriting) == 1:
            compared += 1
            assert rewriting[0].cost.bytes == pytest.approx(one.bytes_gone, rel=0.1), name
    assert compared >= 5
