"""Recorded DDL of delta-spark, followed statement by statement: same states, commits and errors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.testing.conformance.ddl import NEEDS_AN_ENGINE, NOTHING_COMPARED, run_ddl, run_sequence
from deltaresolver.testing.conformance.recorded_cases import recorded_cases

RECORDED = Path(__file__).parents[4] / "shared" / "conformance" / "ddl.jsonl.gz"
SEQUENCES = list(recorded_cases(RECORDED)) if RECORDED.is_file() else []


@pytest.mark.skipif(not SEQUENCES, reason="the recorded answers lie outside the project: cannot be installed")
@pytest.mark.parametrize("sequence", [pytest.param(each, id=each["id"]) for each in SEQUENCES])
def test_our_calls_do_what_the_statements_did(sequence: Mapping[str, Any]) -> None:
    followed = run_sequence(sequence)
    assert followed.known is not None or followed.differences == ()


def test_a_changed_answer_is_found(tmp_path: Path) -> None:
    recorded = tmp_path / "ddl.jsonl"
    recorded.write_text(ONE_SEQUENCE.replace("9", "0") + "\n" + ONE_SEQUENCE + "\n" + FOREIGN + "\n")
    report = run_ddl(recorded)
    assert report.passed == 1
    assert [failure.detail for failure in report.failures] == [
        "CREATE TABLE {table} (id BIGINT) USING delta: version 0, recorded 9"
    ]
    assert [(known.reason, known.detail) for known in report.known_differences] == [(NOTHING_COMPARED, "SELECT 1")]


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ('"partitionColumns": ["v"]', '"partitionColumns": []'),
        ('"name": "v"', '"name": "w"'),
        ('"clusteringColumns": null', '"clusteringColumns": ["id"]'),
    ],
)
def test_partitioning_columns_and_clustering_are_compared(tmp_path: Path, key: str, other: str) -> None:
    recorded = tmp_path / "ddl.jsonl"
    recorded.write_text(WHOLE_STATE + "\n")
    assert run_ddl(recorded).passed == 1
    assert key in WHOLE_STATE
    recorded.write_text(WHOLE_STATE.replace(key, other) + "\n")
    assert len(run_ddl(recorded).failures) == 1


def test_what_an_engine_changed_ends_a_sequence(tmp_path: Path) -> None:
    recorded = tmp_path / "ddl.jsonl"
    merged = '{"sql": "MERGE INTO {table} ...", "outcome": {"result": "ok"}, "tables": {"{table}": {"commits": [{}]}}}'
    after = merged.replace("MERGE INTO {table} ...", "ALTER TABLE {table} DROP COLUMN nothing")
    recorded.write_text(ONE_SEQUENCE.replace("9", "0").replace("}}}]}", "}}}, " + merged + ", " + after + "]}") + "\n")
    report = run_ddl(recorded)
    assert [(known.reason, known.detail) for known in report.known_differences] == [
        (NEEDS_AN_ENGINE, "MERGE INTO {table} ...")
    ]


def test_a_difference_that_is_not_the_known_one_is_a_failure(tmp_path: Path) -> None:
    recorded = tmp_path / "ddl.jsonl"
    recorded.write_text(REFUSED.format(condition="DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION") + "\n")
    assert "refused statement leaves nothing" in run_ddl(recorded).known_differences[0].reason
    recorded.write_text(REFUSED.format(condition="DELTA_SOMETHING_ELSE") + "\n")
    assert run_ddl(recorded).failures[0].detail.endswith("done, recorded DELTA_SOMETHING_ELSE")


ONE_SEQUENCE = (
    '{"id": "one", "steps": [{"sql": "CREATE TABLE {table} (id BIGINT) USING delta", "outcome": {"result": "ok"}, '
    '"tables": {"{table}": {"version": 9, "protocol": {"minReaderVersion": 1, "minWriterVersion": 2}, '
    '"properties": {}, "commits": []}}}]}'
)
WHOLE_STATE = (
    '{"id": "one", "steps": [{"sql": "CREATE TABLE {table} (id BIGINT, v STRING) USING delta PARTITIONED BY (v)", '
    '"outcome": {"result": "ok"}, "tables": {"{table}": {"version": 0, "properties": {}, "commits": [], '
    '"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}, "partitionColumns": ["v"], '
    '"clusteringColumns": null, "schema": {"type": "struct", "fields": ['
    '{"name": "id", "type": "long", "nullable": true, "metadata": {}}, '
    '{"name": "v", "type": "string", "nullable": true, "metadata": {}}]}}}}]}'
)
REFUSED = (
    '{{"id": "one", "steps": [{{"sql": "CREATE TABLE {{table}} (id BIGINT) USING delta", '
    '"outcome": {{"result": "error", "condition": "{condition}"}}, "tables": {{}}}}]}}'
)
FOREIGN = '{"id": "two", "steps": [{"sql": "SELECT 1", "outcome": {"result": "ok"}, "tables": {}}]}'
