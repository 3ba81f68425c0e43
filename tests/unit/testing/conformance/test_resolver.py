"""The conformance runner: passes what agrees, and reports each difference without stopping."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.errors import InvalidInputError, MalformedJsonError
from deltaresolver.testing import run_resolver

NEW_TABLE: dict[str, Any] = {
    "id": "one",
    "kind": "new_table",
    "metadata": {"configuration": {"delta.appendOnly": "true"}},
    "expect": {"ok": {"minReaderVersion": 1, "minWriterVersion": 2}},
}
BAD_VALUE: dict[str, Any] = NEW_TABLE | {
    "metadata": {"configuration": {"delta.appendOnly": "yes"}},
    "expect": {"error": {"class": "IllegalArgumentException", "message": "whatever"}},
}


def written(path: Path, *cases: Any) -> Path:
    lines = "\n".join(json.dumps(case) for case in cases) + "\n\n"
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == ".gz" else lines.encode())
    return path


@pytest.mark.parametrize("name", ["cases.jsonl", "cases.jsonl.gz"])
def test_agreeing_cases_pass_plain_and_packed(tmp_path: Path, name: str) -> None:
    report = run_resolver(written(tmp_path / name, NEW_TABLE, BAD_VALUE))
    assert (report.kind, report.passed, report.failures, report.is_success) == ("resolver", 2, (), True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"expect": {"ok": {"minReaderVersion": 1, "minWriterVersion": 3}}}, '"minWriterVersion": 3'),
        ({"expect": {"ok": None}}, "expected"),
        ({"expect": {"error": {"class": "IllegalArgumentException"}}}, "IllegalArgumentException"),
        ({"expect": {}}, "no recorded answer"),
        ({"kind": "guess"}, "There is no question of kind guess"),
        ({"kind": "algebra", "op": "halve"}, "algebra halve"),
        ({"metadata": 1}, "not int"),
        ({"kind": "upgrade"}, "KeyError"),
    ],
)
def test_a_difference_is_reported_by_id(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    report = run_resolver(written(tmp_path / "cases.jsonl", NEW_TABLE | change, NEW_TABLE))
    assert (report.passed, [failure.id for failure in report.failures]) == (1, ["one"])
    assert words in report.failures[0].detail
    assert report.to_json()["failed"] == 1


@pytest.mark.parametrize("change", [{"class": "OtherException"}, {"condition": "DELTA_OTHER"}])
def test_an_error_of_another_class_or_condition_differs(tmp_path: Path, change: dict[str, str]) -> None:
    case = BAD_VALUE | {"expect": {"error": BAD_VALUE["expect"]["error"] | change}}
    assert not run_resolver(written(tmp_path / "cases.jsonl", case)).is_success


def test_of_several_faults_at_once_any_is_accepted(tmp_path: Path) -> None:
    configuration = {"delta.columnMapping.mode": "physical", "delta.appendOnly": "yes"}
    for name in ("ColumnMappingUnsupportedException", "IllegalArgumentException"):
        case = NEW_TABLE | {"metadata": {"configuration": configuration}, "expect": {"error": {"class": name}}}
        assert run_resolver(written(tmp_path / "cases.jsonl", case)).is_success


def test_a_refusal_that_is_not_about_protocols_is_counted_apart(tmp_path: Path) -> None:
    refusal = {"error": {"class": "SparkIllegalArgumentException", "condition": "INVALID_JSON_DATA_TYPE"}}
    report = run_resolver(written(tmp_path / "cases.jsonl", NEW_TABLE | {"expect": refusal}, NEW_TABLE))
    assert (report.is_success, report.passed) == (True, 1)
    assert [(known.id, bool(known.reason)) for known in report.known_differences] == [("one", True)]


def test_which_exception_a_json_library_raises_is_not_compared(tmp_path: Path) -> None:
    failed = {"error": {"class": "MismatchedInputException"}}
    assert run_resolver(written(tmp_path / "cases.jsonl", BAD_VALUE | {"expect": failed})).is_success
    assert not run_resolver(written(tmp_path / "cases.jsonl", NEW_TABLE | {"expect": failed})).is_success


def test_feature_lists_are_compared_as_sets(tmp_path: Path) -> None:
    protocol = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["rowTracking", "domainMetadata"]}
    case = NEW_TABLE | {
        "metadata": {"configuration": {"delta.enableRowTracking": "true", "delta.ignoreProtocolDefaults": "true"}},
        "expect": {"ok": protocol},
    }
    assert run_resolver(written(tmp_path / "cases.jsonl", case)).is_success


def test_files_that_hold_no_cases_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be read") as missing:
        run_resolver(tmp_path / "missing.jsonl")
    assert missing.value.fix
    broken = tmp_path / "broken.jsonl"
    for text in (b"{}\n{", b"{}\n[1]"):
        broken.write_bytes(text)
        with pytest.raises(MalformedJsonError, match="Line 2"):
            run_resolver(broken)
    for damaged in (b"\x1f\x8bnot gzip", b"\xff\xfe\x00", gzip.compress(b"{}" * 99)[:20]):
        broken.write_bytes(damaged)
        with pytest.raises(InvalidInputError):
            run_resolver(broken)
