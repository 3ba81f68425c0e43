"""The tables of a real Hive metastore are audited by name and owner, through Spark, which has no JAR of Delta's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.peers.hive_metastore import run_metastore

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_a_metastore_names_tables_and_owners(tmp_path: Path, root: Path) -> None:
    target = tmp_path / "audits"
    with run_metastore(tmp_path) as uri:
        job = [sys.executable, "-m", "tests.spark.metastore_job", uri, str(tmp_path), str(target)]
        done = subprocess.run(job, cwd=root, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
    by_address, by_name = map(json.loads, target.read_text().splitlines())
    (asked,) = by_address["head"]["roots"]
    assert (asked["location"], asked["tables"], asked["error"]) == (f"hive:{uri}/sales", 2, None)
    tables = {one["name"]: (one["location"], one["owner"]) for one in by_address["tables"]}
    assert tables == {"sales.orders": (f"{tmp_path}/t0", "Ada"), "sales.lines_1": (f"{tmp_path}/t1", "Ada")}
    assert {one["name"] for one in by_name["tables"]} == tables.keys()
    assert by_name["head"]["roots"][0]["location"] == "catalog:spark_catalog"
