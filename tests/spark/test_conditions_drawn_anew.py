"""Conditions drawn anew: what Spark answers and what the library makes of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.peers.condition_evaluators import cases, contradicts, described, judged, leaves_out_a_match
from tests.peers.record_conditions import record

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SEED = os.environ.get("DELTARESOLVER_CONDITION_SEED", "7")
"""Another seed asks about other conditions."""
COUNT = 60


def test_nothing_drawn_anew_is_contradicted(spark: SparkSession) -> None:
    asked = list(cases(record(spark, SEED, COUNT)))
    wrong = [described(case, name, ours) for name, case, ours in judged(asked) if contradicts(case, ours)]
    assert wrong + [described(case, "files") for case in asked if leaves_out_a_match(case)] == []
