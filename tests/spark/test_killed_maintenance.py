"""A few kills of each kind of upkeep; `python -m tests.killed_maintenance` makes many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.killed_maintenance import COMMANDS, measured, prepare, trial

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
SEEDS = 2


@pytest.fixture(scope="module")
def template(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    prepare(spark, folder)
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_loses_nothing_and_a_second_run_finishes(spark: SparkSession, template: Path, name: str) -> None:
    duration = measured(spark, name, template)
    assert [wrong for seed in range(SEEDS) if (wrong := trial(spark, name, seed, template, duration))] == []
