"""Every Spark 4 that the extra `spark` lets in: the DataFrame API and the data source on each."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from deltaresolver.spark.source.spark_abilities import SPARK_ABILITIES
from tests.archives import unpack
from tests.conftest import ROOT, find_spark, missing_spark
from tests.spark_job import run_job, with_path

JOB = "tests.acceptance.spark_version_job"
RECORDED = ROOT / "tests" / "recorded" / "tables.tar.gz"
DOOR = {
    "now": [4, 9],
    "first": list(range(20)),
    "where": [9],
    "values": ["é4", "4.00", "2024-01-01 00:00:00.123456", "2024-01-01 00:00:00", [4], '{"a":1}'],
    "changes": [[7, "delete"]],
    "broken": ["CHECK constraint small (id < 1000) does not hold for the row with id = 1000", "DR713"],
}


@pytest.mark.spark
@pytest.mark.slow
# Each release and each kind of session once; the job takes the other two pairs by hand, and any newer release.
@pytest.mark.parametrize(("minor", "kind"), [("4.0", "classic"), ("4.1", "connect")])
def test_both_interfaces_work_on_an_earlier_release(tmp_path: Path, minor: str, kind: str) -> None:
    reason = missing_spark(minor)
    if reason is not None:
        pytest.skip(reason)
    unpack(RECORDED, tmp_path / "recorded")
    # Another test in this process may have pointed at the Spark that is installed, whose JARs would be taken.
    environment = {name: value for name, value in os.environ.items() if name != "SPARK_HOME"}
    variants = tmp_path / "recorded" / "tables" / "variant"
    found = run_job(JOB, kind, tmp_path / "tables", variants, environment=with_path(find_spark(minor), environment))
    release = tuple(map(int, minor.split(".")))
    assert found.pop("release").startswith(f"{minor}.")
    assert found == {
        "connect": kind == "connect",
        "abilities": {each.name: [release >= each.since] * 2 for each in SPARK_ABILITIES},
        "fast": DOOR,
        "source": DOOR,
        "stream": {"first": [4, 9], "then": [4, 9, 500, 501, 502], "limited": ["DR787", "maxFilesPerTrigger"]},
        "changed": [[4, "é4!m"], [5, "m"]],
        # Spark 4.0 knows Parquet's own type for variants not yet.
        "variants": {"fast": "DR782" if release < (4, 1) else "1", "source": "1"},
    }


def test_the_documentation_names_the_first_spark_release_with_each_ability(root: Path) -> None:
    text = (root / "docs" / "spark.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (\d\.\d) \| .+ \|$", text.partition("## Releases of Spark")[2], re.MULTILINE)
    assert dict(rows) == {each.name: each.release for each in SPARK_ABILITIES}


def test_the_releases_tried_are_those_that_the_extra_allows(root: Path) -> None:
    settings = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert set(re.findall(r'"pyspark(?:\[connect\])?(>=[^"]+)"', settings)) == {">=4.0,<4.4"}
    fetched = re.search(r'^spark_releases="(.+)"$', (root / "script" / "bootstrap").read_text(), re.MULTILINE)
    assert fetched is not None
    assert [each.rpartition(".")[0] for each in fetched[1].split()] == ["4.0", "4.1"]
