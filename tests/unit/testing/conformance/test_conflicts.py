"""The conflicts runner finds what differs: a run that could not fail would prove nothing."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.testing.conformance.conflicts import RECORDED_ENGINE, run_case, run_conflicts
from tests.logs import PROTOCOL
from tests.transactions import SCHEMA

Json = dict[str, Any]
METADATA: Json = {
    "metaData": {
        "id": "t",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": SCHEMA,
        "partitionColumns": ["p"],
        "configuration": {},
        "createdTime": 1,
    }
}


def file(path: str, partition: str) -> Json:
    return {
        "add": {"path": path, "partitionValues": {"p": partition}, "size": 1, "modificationTime": 1, "dataChange": True}
    }


def committed() -> Json:
    info = {
        "timestamp": 0,
        "operation": "WRITE",
        "operationParameters": {"mode": "Append"},
        "readVersion": 0,
        "isolationLevel": "Serializable",
        "isBlindAppend": True,
        "operationMetrics": {},
        "engineInfo": RECORDED_ENGINE,
        "txnId": "{txnId}",
    }
    return {
        "id": "made up",
        "initial": [[PROTOCOL, METADATA]],
        "loser": {"reads": [], "actions": [file("new", "a")], "operation": {"name": "WRITE"}},
        "winners": [[[file("other", "b")]]],
        "outcome": {
            "result": "committed",
            "version": 2,
            "commit": [{"commitInfo": info}, file("new", "a")],
            "conflict_checks": 1,
            "isolation_level": "Serializable",
            "is_blind_append": True,
        },
    }


def conflicting() -> Json:
    case = committed()
    case["loser"]["reads"] = [{"kind": "filter_files", "predicates": ["p = 'b'"]}]
    case["outcome"] = {
        "result": "error",
        "exception": "ConcurrentAppendException",
        "condition": "DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT",
        "read_files": [],
        "conflict_checks": 1,
        "isolation_level": "Serializable",
        "is_blind_append": False,
    }
    return case


@pytest.mark.parametrize("case", [committed(), conflicting()])
def test_the_right_answer_passes(case: Json) -> None:
    assert run_case(case, delta_spark_catalog()) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 3),
        (("conflict_checks",), 0),
        (("isolation_level",), "WriteSerializable"),
        (("is_blind_append",), False),
        (("result",), "skipped"),
        (("commit", 0, "commitInfo", "operation"), "DELETE"),
        (("commit", 1, "add", "size"), 2),
        (("commit", 1, "add", "baseRowId"), 0),
    ],
)
def test_another_answer_fails(path: tuple[Any, ...], value: Any) -> None:
    case = copy.deepcopy(committed())
    place = case["outcome"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert run_case(case, delta_spark_catalog())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("condition", "DELTA_METADATA_CHANGED"),
        ("exception", "MetadataChangedException"),
        ("result", "committed"),
        ("conflict_checks", 2),
    ],
)
def test_another_error_fails(key: str, value: Any) -> None:
    case = conflicting()
    case["outcome"][key] = value
    assert run_case(case, delta_spark_catalog())


def test_order_counts_for_lines_and_fields() -> None:
    case = committed()
    case["outcome"]["commit"].reverse()
    assert run_case(case, delta_spark_catalog())
    case = committed()
    info = case["outcome"]["commit"][0]["commitInfo"]
    info["timestamp"] = info.pop("timestamp")
    assert run_case(case, delta_spark_catalog())


def test_a_report_counts_each_case_once(tmp_path: Path) -> None:
    wrong = conflicting()
    wrong["outcome"]["condition"] = "DELTA_METADATA_CHANGED"
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in (committed(), wrong)), encoding="utf-8")
    report = run_conflicts(path)
    assert (report.kind, report.passed, len(report.failures)) == ("conflicts", 1, 1)
