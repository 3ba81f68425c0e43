"""A few kills of each kind of upkeep; `python -m tests.killed_maintenance` makes many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.killed_maintenance import Template, measured, trial
from tests.maintenance_to_kill import COMMANDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
SEEDS = 2


@pytest.fixture(scope="module")
def template(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Template:
    return Template.made(spark, tmp_path_factory.mktemp("template"))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_loses_nothing_and_a_second_run_finishes(spark: SparkSession, template: Template, name: str) -> None:
    duration = measured(spark, name, template)
    assert [wrong for seed in range(SEEDS) if (wrong := trial(spark, name, seed, template, duration)[1])] == []
