"""Random programs over one table are judged after every step; some of them in the test command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.differential.generator import draw_program
from tests.differential.runner import run_program
from tests.differential.session import FOR_FEW_ROWS
from tests.differential.weaving import woven

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
SEEDS = range(8)
CHANGES = 3
"""Fewer than in long runs, since the test command is to stay short."""


@pytest.fixture(scope="module")
def small(spark: SparkSession) -> Iterator[SparkSession]:
    before = {key: spark.conf.get(key, None) for key in FOR_FEW_ROWS}
    for key, value in FOR_FEW_ROWS.items():
        spark.conf.set(key, value)
    yield spark
    for key, earlier in before.items():
        if earlier is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, earlier)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_leaves_the_rows_that_plain_dataframes_give(small: SparkSession, tmp_path: Path, seed: int) -> None:
    program = draw_program(seed, CHANGES)
    program = woven(program) if seed % 2 else program
    assert run_program(small, program, str(tmp_path)).failure is None, str(program)
