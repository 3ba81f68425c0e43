"""After a statement that needs an engine the recorded state is taken over, and the comparison continues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.table import Table
from deltaresolver.testing.conformance.ddl import run_ddl, run_sequence
from deltaresolver.testing.conformance.pseudo_statements import grow_older, seconds_of, tables_named

LONG = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}


def commit(version: int, operation: str, *actions: str, **more: Any) -> dict[str, Any]:
    return {
        "version": version,
        "actions": list(actions),
        "operation": operation,
        "operationParameters": {},
        "isolationLevel": "Serializable",
        "isBlindAppend": False,
        "tags": None,
        "domainMetadata": [],
        **more,
    }


def step(sql: str, version: int, *commits: dict[str, Any], result: str = "ok", **state: Any) -> dict[str, Any]:
    whole = {
        "version": version,
        "protocol": {"minReaderVersion": 1, "minWriterVersion": 2},
        "properties": {},
        "partitionColumns": [],
        "schema": LONG,
        "clusteringColumns": None,
        "commits": list(commits),
        **state,
    }
    return {"sql": sql, "outcome": {"result": result}, "tables": {state.pop("named", "{table}"): whole}}


CREATE = step("CREATE TABLE {table} (id BIGINT) USING delta", 0)
MERGE = step("MERGE INTO {table} t USING x", 1, commit(1, "MERGE", "commitInfo", "add", "add", "remove"))
SET = "ALTER TABLE {table} SET TBLPROPERTIES ('a'='b')"
PROPERTIES: dict[str, Any] = {"properties": {"a": "b"}}


def test_statements_after_an_engines_statement_are_compared() -> None:
    right = run_sequence({"id": "one", "steps": [CREATE, MERGE, step(SET, 2, **PROPERTIES)]})
    assert (right.steps, right.differences, right.foreign) == (2, (), None)
    wrong = run_sequence({"id": "one", "steps": [CREATE, MERGE, step(SET, 2, properties={"a": "c"})]})
    assert "properties {'a': 'b'}, recorded {'a': 'c'}" in wrong.differences[0]


def test_columns_protocol_and_properties_are_taken_up() -> None:
    wider = {
        "type": "struct",
        "fields": [*LONG["fields"], {"name": "s", "type": "string", "nullable": True, "metadata": {}}],
    }
    changed: dict[str, Any] = {
        "schema": wider,
        "protocol": {"minReaderVersion": 1, "minWriterVersion": 4},
        "properties": {"delta.enableChangeDataFeed": "true"},
    }
    merge = step("MERGE ...", 1, commit(1, "MERGE", "commitInfo", "protocol", "metaData", "add"), **changed)
    after = step("ALTER TABLE {table} DROP COLUMN nothing", 1, result="error", **changed)
    assert run_sequence({"id": "one", "steps": [CREATE, merge, after]}).differences == ()


def test_a_table_that_was_dropped_is_gone() -> None:
    drop = {"sql": "DROP TABLE {table}", "outcome": {"result": "ok"}, "tables": {}}
    again = run_sequence({"id": "one", "steps": [CREATE, drop, CREATE]})
    assert (again.steps, again.differences) == (2, ())


def test_a_state_that_cannot_be_read_ends_the_sequence(tmp_path: Path) -> None:
    lost = {"sql": "MERGE ...", "outcome": {"result": "ok"}, "tables": {"{table}": {"unreadable": {}}}}
    recorded = tmp_path / "ddl.jsonl"
    recorded.write_text(json.dumps({"id": "one", "steps": [CREATE, lost, step(SET, 1, **PROPERTIES)]}) + "\n")
    report = run_ddl(recorded)
    assert (report.passed, len(report.known_differences)) == (0, 1)
    assert report.summary().endswith("1 of 3 statements compared")


def test_tables_by_path_and_with_a_location_are_the_same_table() -> None:
    sql = "CREATE TABLE {table} (id BIGINT) USING delta LOCATION '{path}'"
    both = step(sql, 0)
    both["tables"]["{path}"] = both["tables"]["{table}"]
    after = step("ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('a'='b')", 1, **PROPERTIES)
    after["tables"]["{path}"] = after["tables"]["{table}"]
    followed = run_sequence({"id": "one", "steps": [both, after]})
    assert (followed.steps, followed.differences) == (2, ())


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("{table} 25 hours", 90_000),
        ("25h", 90_000),
        ("{table} 25", 90_000),
        ("{table} 90000000", 90_000),
        ("{table} 90000000 ms", 90_000),
        ("31 days {table}", 31 * 86_400),
        ("1.5 minutes", 90),
        ("{table}", None),
    ],
)
def test_ages_are_read_with_any_unit(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


def test_a_table_that_grew_older_was_committed_to_earlier(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", schema="id BIGINT")
    before = table.snapshot().timestamp_ms
    grow_older(tmp_path / "t", 90_000)
    assert Table(tmp_path / "t").snapshot().timestamp_ms == pytest.approx(before - 90_000_000, abs=5)
    assert tables_named("{source} 3", ["{table}", "{source}"]) == ["{source}"]
    assert tables_named("3", ["{table}", "{source}"]) == ["{table}", "{source}"]


def test_statements_done_by_code_are_taken_up_too() -> None:
    by_code = step("@commit {table} whatever", 1, commit(1, "Manual Update", "commitInfo", "add"))
    checkpoint = step("@checkpoint {table}", 1)
    aged = step("@age {table} 25 hours", 1)
    steps = [CREATE, by_code, checkpoint, aged, step(SET, 2, **PROPERTIES)]
    followed = run_sequence({"id": "one", "steps": steps})
    assert (followed.steps, followed.differences, followed.foreign) == (4, (), None)
