"""Pages of the documentation that need Spark: every block runs, in one empty folder, in the session of these tests.

The page about moving from delta-spark enables a session, which takes a JVM without its JARs: sql/enabled_cases.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark_job import run_job
from tests.unit.cli.pages import run_page

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PAGES = (
    "docs/tutorial/data-engineer.md",
    "docs/how-to/write-rows.md",
    "docs/how-to/clean-and-compact.md",
    "docs/explanation/conservation.md",
)
ON_CONNECT = "docs/how-to/write-from-connect.md"


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_the_page_runs(spark: SparkSession, page: str, root: Path, tmp_path: Path) -> None:
    assert spark.version
    run_page(root / page, tmp_path)


@pytest.mark.slow
def test_every_block_runs_on_connect(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio")
    assert run_job("tests.spark.connect.page_job", root / ON_CONNECT, tmp_path) == {"is_remote": True}
