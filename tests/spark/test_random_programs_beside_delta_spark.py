"""The same random programs on a table of the library and on one of delta-spark leave the same rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.differential.generator import draw_program
from tests.differential.peer_run import run_beside
from tests.differential.weaving import woven
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.spark, pytest.mark.peer]
SEEDS = range(2)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_leaves_the_same_rows_as_by_delta_spark(
    small_delta_spark: DeltaSpark, tmp_path: Path, seed: int
) -> None:
    program = draw_program(seed)
    program = woven(program) if seed % 2 else program
    assert run_beside(small_delta_spark.spark, program, str(tmp_path)).failure is None, str(program)
