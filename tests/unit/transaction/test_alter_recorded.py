"""Recorded ALTER TABLE and DROP FEATURE of delta-spark, followed call by call: same states, commits and errors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.testing.conflicts_conformance import read_cases
from deltaresolver.testing.ddl_conformance import run_ddl, run_sequence
from deltaresolver.testing.recorded_ddl import steps_to_follow

RECORDED = Path(__file__).parents[4] / "shared" / "conformance" / "ddl.jsonl.gz"


def sequences() -> list[Mapping[str, Any]]:
    """The recorded sequences that can be followed, from their first statement on at least."""
    return [each for each in read_cases(RECORDED) if any(steps_to_follow(each))] if RECORDED.is_file() else []


SEQUENCES = sequences()


@pytest.mark.skipif(not SEQUENCES, reason="the recorded answers lie outside the project: cannot be installed")
@pytest.mark.parametrize("sequence", [pytest.param(each, id=each["id"]) for each in SEQUENCES])
def test_our_calls_do_what_the_statements_did(sequence: Mapping[str, Any]) -> None:
    assert run_sequence(sequence) == []


def test_a_changed_answer_is_found(tmp_path: Path) -> None:
    recorded = tmp_path / "ddl.jsonl"
    recorded.write_text(ONE_SEQUENCE.replace("9", "0") + "\n" + ONE_SEQUENCE + "\n" + FOREIGN + "\n")
    report = run_ddl(recorded)
    assert report.passed == 1
    assert [failure.detail for failure in report.failures] == [
        "CREATE TABLE {table} (id BIGINT) USING delta: version 0, recorded 9"
    ]
    assert [known.detail for known in report.known_differences] == ["OPTIMIZE {table}"]


ONE_SEQUENCE = (
    '{"id": "one", "steps": [{"sql": "CREATE TABLE {table} (id BIGINT) USING delta", "outcome": {"result": "ok"}, '
    '"tables": {"{table}": {"version": 9, "protocol": {"minReaderVersion": 1, "minWriterVersion": 2}, '
    '"properties": {}, "commits": []}}}]}'
)
FOREIGN = '{"id": "two", "steps": [{"sql": "OPTIMIZE {table}", "outcome": {"result": "ok"}, "tables": {}}]}'
