"""Statements in sessions with odd settings find and leave the rows that plain values say; some in the test command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.sessions.settings import all_settings
from tests.sessions.sweep import Sweep

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
FEW = (
    "spark.sql.retainGroupColumns",
    "spark.sql.sources.useV1SourceList",
    "spark.sql.parquet.datetimeRebaseModeInWrite",
)
PART = 6
"""Three statements for each setting: the test command is to stay short."""


@pytest.mark.parametrize("key", FEW)
def test_a_setting_loses_and_changes_no_row(spark: SparkSession, tmp_path: Path, key: str) -> None:
    setting = next(each for each in all_settings() if each.key == key)
    found = list(Sweep(spark, tmp_path, 0, with_peer=False).run(setting, PART))
    assert len(found) == 3
    assert not [each for each in found if each.ours != "same"]
