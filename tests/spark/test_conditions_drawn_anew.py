"""Freshly drawn conditions: the library never contradicts Spark's answers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from deltaresolver.errors import PredicateUnreadableError
from deltaresolver.expressions.conditions import parse_predicate, standard_text
from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.expressions.text.written import written
from tests.peers.condition_evaluators import cases, contradicts, described, judged, leaves_out_a_match
from tests.peers.record_conditions import asked_again, record

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SEED = os.environ.get("DELTARESOLVER_CONDITION_SEED", "7")
"""Another seed asks about other conditions."""
COUNT = 60


@pytest.fixture(scope="module")
def drawn(spark: SparkSession) -> list[dict[str, Any]]:
    """Conditions, and what Spark answers."""
    return list(record(spark, SEED, COUNT))


def test_no_freshly_drawn_condition_is_contradicted(drawn: list[dict[str, Any]]) -> None:
    asked = list(cases(drawn))
    wrong = [described(case, name, ours) for name, case, ours in judged(asked) if contradicts(case, ours)]
    assert wrong + [described(case, "files") for case in asked if leaves_out_a_match(case)] == []


def test_a_condition_that_is_written_again_has_the_same_answers(
    spark: SparkSession, drawn: list[dict[str, Any]]
) -> None:
    assert [(sql, before, now) for sql, before, now in asked_again(spark, drawn, rewritten) if before != now] == []


def rewritten(sql: str, settings: Mapping[str, str]) -> str:
    """As the library writes the tree that it has read."""
    reading = SqlReading.of(settings.get)
    try:
        text = written(parse_predicate(sql, reading).tree)
    except PredicateUnreadableError:
        return standard_text(sql, reading)
    # What is not read is written so that no engine takes it.
    return standard_text(sql, reading) if "UNREADABLE(" in text else text
