"""Pages of the documentation that need Spark: every block runs, in one empty folder, in the session of these tests.

The page about moving from delta-spark enables a session, which takes a JVM without its JARs: sql/enabled_cases.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.pages import run_page

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PAGES = ("docs/tutorial/data-engineer.md", "docs/how-to/clean-and-compact.md", "docs/explanation/conservation.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_the_page_runs(spark: SparkSession, page: str, root: Path, tmp_path: Path) -> None:
    assert spark.version
    run_page(root / page, tmp_path)
