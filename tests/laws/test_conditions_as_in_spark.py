"""No evaluator contradicts Spark: each may leave open what a condition comes to, none may be wrong about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.peers.condition_evaluators import (
    Answered,
    Case,
    cases,
    contradicts,
    described,
    judged,
    leaves_out_a_match,
    open_shares,
)
from tests.peers.record_conditions import read_recorded


@pytest.fixture(scope="module")
def recorded(root: Path) -> list[Case]:
    """The recorded set."""
    return list(cases(read_recorded(root / "tests" / "recorded" / "conditions.jsonl.gz")))


@pytest.fixture(scope="module")
def found(recorded: list[Case]) -> list[Answered]:
    """Every evaluator's answers to the recorded set."""
    return list(judged(recorded))


def test_no_evaluator_contradicts_spark(found: list[Answered]) -> None:
    assert [described(case, name, ours) for name, case, ours in found if contradicts(case, ours)] == []


def test_no_file_is_left_out_that_holds_a_match(recorded: list[Case]) -> None:
    assert [described(case, "files") for case in recorded if leaves_out_a_match(case)] == []


def test_soundness_is_not_bought_by_leaving_everything_open(found: list[Answered]) -> None:
    """The shares are what they are; with an evaluator of its own for each they were 0.175, 0.709 and 0.54."""
    shares = open_shares(found)
    assert shares["partitions"] < 0.175
    assert shares["statistics"] < 0.70
    assert shares["arrow"] < 0.52
