"""A small share of what `python -m tests.live` asks, and the record that its runs go on from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import attrs
import pytest

from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from tests.live.kinds import KINDS, compare
from tests.live.record import Record
from tests.peers.record_resolver import read_cases
from tests.peers.unavailable import PeerUnavailableError

SEED = 440
"""That of the recorded answers, so that no test run depends on luck; new seeds are for `python -m tests.live`."""
SHARE = {"resolver": 3_000, "conflicts": 60, "ddl": 12, "columns": 12, "transitions": 12}


@pytest.mark.peer
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KINDS))
def test_both_answer_alike(name: str) -> None:
    try:
        report, _ = compare(KINDS[name], SEED, SHARE[name])
    except PeerUnavailableError as error:
        pytest.skip(f"delta-spark cannot be run: {error}")
    assert [f"{one.id}: {one.detail}" for one in report.failures] == []
    assert report.passed


def test_an_interrupted_run_goes_on_from_its_record(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    report = ConformanceReport("ddl", 8, (Failure("a", "x" * 900),), (KnownDifference("b", "why"),), 40, 31)
    Record.open(path).add("ddl", 7, 10, report, Counter(ok=39, DELTA_SOMETHING=1), 2.4)
    again = Record.open(path)
    assert again.has("ddl", 7, 10)
    assert not again.has("ddl", 7, 11)
    assert not again.has("ddl", 8, 1)
    again.add("ddl", 8, 5, ConformanceReport("ddl", 5, statements=20, compared=20), Counter(ok=20), 1.0)
    totals = Record.open(path).totals("ddl")
    assert (totals["cases"], totals["passed"], totals["failures"], totals["known"]) == (15, 13, 1, 1)
    assert (totals["compared"], totals["statements"], totals["answers"]) == (51, 60, 2)
    assert len(again.content["ddl"]["7"]["failed"]["a"]) == 500
    assert Record.open(None).totals("ddl")["cases"] == 0


@pytest.mark.parametrize("name", sorted(KINDS))
def test_answers_that_were_recorded_are_compared_like_new_ones(name: str, root: Path, tmp_path: Path) -> None:
    recorded = read_cases(root / "tests" / "recorded" / f"{name}.jsonl.gz")[:300]
    asked = attrs.evolve(KINDS[name], ask=lambda _: recorded)
    report, reached = compare(asked, 1, 1, tmp_path)
    assert report.failures == ()
    assert report.passed + len(report.known_differences) == len(recorded)
    assert sum(reached.values()) >= len(recorded)
    assert (tmp_path / "1.jsonl.gz").is_file()
