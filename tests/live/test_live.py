"""A small share of what `python -m tests.live` asks, and the record that its runs go on from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs
import pytest

from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from tests.live.__main__ import answered_batches
from tests.live.kinds import KINDS, compare
from tests.live.record import Record
from tests.peers.answering_jvm import Answers, answering_jvm
from tests.peers.record_resolver import read_cases
from tests.peers.unavailable import PeerUnavailableError

Json = dict[str, Any]

SEED = 440
"""That of the recorded answers, so that no test run depends on luck; new seeds are for `python -m tests.live`."""
SHARE = {"resolver": 3_000, "conflicts": 20, "ddl": 6, "columns": 4, "transitions": 6}


@pytest.mark.peer
@pytest.mark.slow
def test_both_answer_alike() -> None:
    try:
        with answering_jvm() as answers:
            reports = [_report_of(name, answers) for name in sorted(SHARE)]
    except PeerUnavailableError as error:
        pytest.skip(f"delta-spark cannot be run: {error}")
    assert [f"{one.id}: {one.detail}" for report in reports for one in report.failures] == []
    assert all(report.passed for report in reports)


def _report_of(name: str, answers: Answers) -> ConformanceReport:
    kind = KINDS[name]
    return compare(kind, kind.ask(kind.cases(SEED, SHARE[name]), answers))[0]


def test_an_interrupted_run_goes_on_from_its_record(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    meant = ConformanceReport("ddl", 8, (), (KnownDifference("b", "why"),), 40, 31)
    Record.open(path).add("ddl", 7, 10, meant, Counter(ok=39, DELTA_SOMETHING=1), 2.4)
    again = Record.open(path)
    assert again.has("ddl", 7, 10)
    assert not again.has("ddl", 7, 11)
    assert not again.has("ddl", 8, 1)
    again.add("ddl", 8, 5, ConformanceReport("ddl", 5, statements=20, compared=20), Counter(ok=20), 1.0)
    totals = Record.open(path).totals("ddl")
    assert (totals["asked"], totals["cases"], totals["passed"], totals["failures"]) == (15, 14, 13, 0)
    assert (totals["compared"], totals["statements"], totals["known"], totals["answers"]) == (51, 60, 1, 2)
    assert again.content["ddl"]["known"] == {"why": 1}
    assert Record.open(None).totals("ddl")["cases"] == 0


def test_a_batch_with_differences_is_asked_again(tmp_path: Path) -> None:
    record = Record.open(tmp_path / "runs.json")
    differing = ConformanceReport("ddl", 8, (Failure("a", "x" * 900),))
    record.add("ddl", 7, 9, differing, Counter(ok=9), 2.4)
    assert len(record.content["ddl"]["batches"]["7"]["failed"]["a"]) == 500
    assert not record.has("ddl", 7, 9)
    record.add("ddl", 7, 9, ConformanceReport("ddl", 9), Counter(ok=9), 2.4)
    assert record.has("ddl", 7, 9)
    assert record.content["ddl"]["reached"] == {"ok": 9}


def test_the_next_batch_is_asked_while_one_is_looked_at() -> None:
    asked: list[int] = []

    def ask(cases: Iterable[Json], _: Answers) -> list[Json]:
        found = list(cases)
        asked.append(len(found))
        return found

    kind = attrs.evolve(KINDS["ddl"], ask=ask, cases=lambda seed, count: iter([{"seed": seed}] * count))
    answered = list(answered_batches(kind, [(1, 3), (2, 2)], lambda *_: []))
    assert answered == [((1, 3), [{"seed": 1}] * 3), ((2, 2), [{"seed": 2}] * 2)]
    assert asked == [3, 2]


@pytest.mark.parametrize("name", sorted(set(KINDS) - {"transitions"}))
def test_answers_that_were_recorded_are_compared_like_new_ones(name: str, root: Path, tmp_path: Path) -> None:
    recorded = read_cases(root / "tests" / "recorded" / f"{name}.jsonl.gz")[:300]
    report, reached = compare(KINDS[name], recorded, tmp_path / "kept.jsonl")
    assert report.failures == ()
    assert report.passed + len(report.known_differences) == len(recorded)
    assert sum(reached.values()) >= len(recorded)
    assert read_cases(tmp_path / "kept.jsonl") == recorded


def test_the_page_states_what_the_record_has(root: Path) -> None:
    record = Record.open(root / "tests" / "live" / "recorded_runs.json")
    assert record.table() in (root / "docs" / "same-answers.md").read_text(encoding="utf-8")
    assert sum(record.totals(kind)["failures"] for kind in record.content) == 0
