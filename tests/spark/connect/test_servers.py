"""Both interfaces on Spark Connect and on a cluster, each in a process of its own: one process has one JVM."""

from __future__ import annotations

import contextlib
import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltaresolver.table import Table
from tests.conftest import find_spark_client
from tests.peers.jars import get_s3a_jars
from tests.peers.skipping import skip_or_fail
from tests.spark.connect.java_process import run_java, wait_for
from tests.spark_job import QUIET, run_job, with_path

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ODD = [1, 5, 7, 9, 11, 13, 15, 17, 19]
BOTH_DOORS = {
    "connect": True,
    "changed": [[18, 1], [21, 1], [117, 0]],
    "accounted": ["0", "1", "0", "4", "0", "2", "2", "4"],
    "blind": {
        "other": True,
        "version 0": True,
        **dict.fromkeys(("select", "columns", "cache", "source", "source view", "source in SQL"), False),
        **dict.fromkeys(("view", "subquery"), "DR601"),
        "block": [True, True, "2"],
    },
    "fast": [ODD, ODD],
    "slow": [sorted([3, *ODD])] * 2,
    "view": sum(range(20)),
    "stream": 20,
    "upkeep": [300, 200, ["CONVERT", "OPTIMIZE", "RESTORE"], ["CLONE", "DELETE", "OPTIMIZE"]],
    "errors": ["DR782 True True 100", "DR752 True True None"],
}
CONNECT_JOB = "tests.spark.connect.connect_job"
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
SETTINGS = {
    **QUIET,
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    "spark.pyspark.python": sys.executable,
}


@contextlib.contextmanager
def run_connect_server(log: Path) -> Iterator[str]:
    """A server of Spark Connect, as users start it; gives its address."""
    settings = [part for setting in SETTINGS.items() for part in ("--conf", "=".join(setting))]
    submit = ("org.apache.spark.deploy.SparkSubmit", "--class", SERVER, "--master", "local[2]", *settings)
    with run_java(log, *submit, "spark-internal", memory="1g"):
        yield "sc://127.0.0.1:" + wait_for(log, r"Spark Connect server started at: \S+:(\d+)\s")


def test_both_interfaces_work_on_spark_connect(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio")
    assert run_job(CONNECT_JOB, tmp_path) == {"whole": True, **BOTH_DOORS}


def test_sql_and_names_work_on_spark_connect(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio")
    assert run_job("tests.spark.connect.sql_job", tmp_path) == {
        "t": [[1, "a", 0], [4, "D", 1], [9, "n", 9]],
        "v": [[2], [3]],
        "join": [[1]],
        "conflict": "DR602",
        "enabled": [4, 4, 2],
        "disabled": True,
        "relocated": [2, 2],
        "tables": ["t", "w"],
        "left": [],
    }


def test_a_client_without_spark_itself_is_enough(tmp_path: Path) -> None:
    client = find_spark_client()
    if client is None:
        pytest.skip("pyspark-client is missing: run script/bootstrap --servers")
    with run_connect_server(tmp_path / "server.log") as address:
        found = run_job(CONNECT_JOB, tmp_path, address, environment=with_path(client))
    assert found == {"whole": False, **BOTH_DOORS}


def test_both_interfaces_work_on_a_cluster_that_loses_an_executor_and_repeats_tasks(tmp_path: Path) -> None:
    found = run_job("tests.spark.connect.cluster_job", tmp_path)
    for door in ("fast", "source"):
        assert found[door] == {"killed": 1, "counts": [[60_100, 60_100]] * 2, "accounted": "60000"}
        # What the first attempts had written before they failed, or were beaten by one on the other host, is gone.
        hosts = ["127.0.0.1", "127.0.0.2"]
        assert found[f"{door} twice"] == {"counts": [400, 400], "accounted": "400", "attempts": [1], "hosts": hosts}
        for name, version in ((door, 1), (f"{door} twice", 0)):
            snapshot = Table(tmp_path / name).snapshot()
            assert snapshot.table_version == version
            known = {urllib.parse.unquote(add.path) for add in snapshot.add_actions()}
            assert _shown(tmp_path / name) == known


@pytest.mark.s3
def test_the_dataframe_api_works_on_a_bucket_with_hadoops_file_system(tmp_path: Path) -> None:
    with skip_or_fail():
        get_s3a_jars()
    found = run_job("tests.spark.connect.s3a_job", tmp_path)
    assert found == {scheme: [3, 3, 5, 5, 7, 7] for scheme in ("s3", "s3a")}


def _shown(table: Path) -> set[str]:
    """Data files that a reader of the folder would see."""
    files = (file.relative_to(table) for file in table.rglob("*.parquet"))
    return {file.as_posix() for file in files if not any(part.startswith(("_", ".")) for part in file.parts)}
