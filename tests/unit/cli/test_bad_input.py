"""Whatever is handed in, the answer is a code, a sentence and a fix, and never a traceback."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.unit.cli.running import Outcome, column, first_commit, metadata, nested, run, struct, write_table

STDIN: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "DR101"),
    "only spaces": (" \n ", "DR101"),
    "not JSON": ("{configuration: {}}", "DR101"),
    "half a file": ('{"metaData": {"configuration"', "DR101"),
    "second line broken": ('{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}\n{"metaData"', "DR101"),
    "Latin-1": (b'{"name": "caf\xe9"}', "DR101"),
    "UTF-16": ('{"configuration": {}}'.encode("utf-16"), "DR101"),
    "bytes": (bytes(range(256)), "DR101"),
    "JSON of 100,000 levels": ("[" * 100_000, "DR101"),
    "array": ("[]", "DR103"),
    "null": ("null", "DR103"),
    "number": ("7", "DR103"),
    "string": ('"metaData"', "DR103"),
    "another object": ('{"schema": {"type": "struct"}}', "DR103"),
    "commit without metaData": ('{"commitInfo": {}}\n{"add": {"path": "x"}}', "DR103"),
    "metaData is null": ('{"metaData": null}', "DR103"),
    "metaData is a number": ('{"metaData": 5}', "DR103"),
    "properties are a list": ('{"configuration": []}', "DR103"),
    "property is a boolean": ('{"configuration": {"delta.appendOnly": true}}', "DR103"),
    "property is null": ('{"configuration": {"delta.appendOnly": null}}', "DR103"),
    "schema is an object": ('{"schemaString": {}}', "DR103"),
    "partition columns are text": ('{"partitionColumns": "a"}', "DR103"),
    "creation time is text": ('{"createdTime": "now"}', "DR103"),
    "schema is not JSON": ('{"schemaString": "id BIGINT"}', "DR104"),
    "schema is an array": ('{"schemaString": "[]"}', "DR104"),
    "field without a type": (metadata({"type": "struct", "fields": [{"name": "a"}]}), "DR104"),
    "field name is a number": (metadata({"type": "struct", "fields": [{"name": 1, "type": "long"}]}), "DR104"),
    "unknown complex type": (metadata(struct(column("a", {"type": "set"}))), "DR104"),
    # How many levels are too many depends on the release of Python.
    "schema of 20,000 levels": (metadata(nested(20_000)), "DR104"),
    "half an identity column": (
        metadata(struct({**column("a"), "metadata": {"delta.identity.start": 1}})),
        "DR104",
    ),
    "protocol of wrong type": ('{"protocol": [1, 2]}\n{"metaData": {}}', "DR102"),
    "protocol version is text": ('{"protocol": {"minReaderVersion": "1"}}\n{"metaData": {}}', "DR102"),
    "features are text": (
        '{"protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": "x"}}\n{"metaData": {}}',
        "DR102",
    ),
}

ARGUMENTS: dict[str, tuple[list[str], str]] = {
    "reader 3 with writer 6": (["--protocol", "3,6"], "DR102"),
    "one list of features": (["--protocol", "3,7,[deletionVectors]"], "DR102"),
    "list below 7": (["--protocol", "1,6,None,[appendOnly]"], "DR102"),
    "no protocol": (["--protocol", "newest"], "DR102"),
    "half a protocol": (["--protocol", '{"minReaderVersion": 1'], "DR102"),
    "unknown feature": (["--protocol", "3,7,[deletionVector],[deletionVector]"], "DR201"),
    "unknown feature asked for": (["--set", "delta.feature.rowTraking=supported"], "DR201"),
    "status is true": (["--set", "delta.feature.rowTracking=true"], "DR107"),
    "version is a word": (["--set", "delta.minWriterVersion=seven"], "DR106"),
    "version is empty": (["--set", "delta.minReaderVersion="], "DR106"),
    "version is too large": (["--set", "delta.minReaderVersion=99999999999"], "DR106"),
    "switch is ' true'": (["--set", "delta.enableRowTracking= true"], "DR105"),
    "switch is 1": (["--set", "delta.enableRowTracking=1"], "DR105"),
    "switch is yes": (["--set", "delta.enableRowTracking=yes"], "DR105"),
    "switch is empty": (["--set", "delta.enableRowTracking="], "DR105"),
    "policy in the wrong case": (["--set", "delta.checkpointPolicy=V2"], "DR105"),
    "mapping mode unknown": (["--set", "delta.columnMapping.mode=ids"], "DR105"),
    "mapping mode empty": (["--set", "delta.columnMapping.mode="], "DR105"),
    "defaults maybe ignored": (["--set", "delta.ignoreProtocolDefaults=maybe"], "DR105"),
    "--set without a value": (["--set", "delta.enableRowTracking"], "DR109"),
    "--set without a key": (["--set", "=true"], "DR109"),
    "--session without a value": (["--session", "x"], "DR109"),
    "--set with two values": (["--set", "delta.appendOnly=true", "--set", "delta.appendOnly=false"], "DR109"),
    "--set and --unset of one key": (["--set", "delta.appendOnly=true", "--unset", "delta.appendOnly"], "DR109"),
    "unknown option": (["--sett", "a=b"], "DR109"),
    "unknown policy": (["--policy", "newest"], "DR109"),
    "unknown profile": (["--profile", "databrick"], "DR208"),
    "two sources": (["-", "-"], "DR109"),
}


def assert_told(outcome: Outcome, code: str) -> None:
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    assert set(outcome.error) >= {"code", "message", "fix", "details"}
    assert outcome.error["code"] == code, outcome.err
    assert outcome.error["message"]
    assert outcome.error["fix"]
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("name", STDIN)
def test_bad_input_from_stdin_is_refused_with_a_fix(name: str) -> None:
    stdin, code = STDIN[name]
    assert_told(run("resolve", "--json", stdin=stdin), code)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_bad_arguments_are_refused_with_a_fix(name: str) -> None:
    arguments, code = ARGUMENTS[name]
    assert_told(run("explain", "--json", *arguments, stdin=metadata()), code)


@pytest.mark.parametrize("value", ["true", "TRUE", "True", "tRuE"])
def test_true_in_any_case_is_true(value: str) -> None:
    outcome = run("resolve", "--json", "--set", f"delta.enableRowTracking={value}", stdin=metadata())
    assert "rowTracking" in outcome.data["features"]


def test_a_missing_path_is_reported(tmp_path: Path) -> None:
    assert_told(run("resolve", "--json", str(tmp_path / "nowhere")), "DR410")


def test_a_folder_that_is_not_a_table_is_reported(tmp_path: Path) -> None:
    assert_told(run("explain", "--json", str(tmp_path)), "DR410")


def test_a_file_instead_of_a_folder_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "metadata.json"
    file.write_text(metadata())
    assert_told(run("resolve", "--json", str(file)), "DR406")


def test_a_location_of_an_unknown_kind_is_reported() -> None:
    assert_told(run("resolve", "--json", "sftp://host/table"), "DR406")


def test_a_broken_commit_is_reported(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t", first_commit())
    (table / "_delta_log" / f"{1:020}.json").write_text('{"metaData": {half')
    assert_told(run("resolve", "--json", str(table)), "DR415")


def test_a_log_without_metadata_is_reported(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t", first_commit()[:1])
    assert_told(run("resolve", "--json", str(table)), "DR418")


def test_a_new_column_type_on_an_existing_table_is_reported() -> None:
    schema = struct(column("at", "timestamp_ntz"))
    outcome = run("resolve", "--json", "--protocol", "1,2", stdin=metadata(schema))
    assert_told(outcome, "DR204")
    assert outcome.error["delta_condition"] == "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT"


def test_without_json_an_error_is_two_lines_on_stderr() -> None:
    outcome = run("resolve", "--set", "delta.enableRowTracking=yes", stdin=metadata())
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        "error DR105: delta.enableRowTracking is 'yes', which is neither true nor false.\n"
        "  fix: Set delta.enableRowTracking to 'true' or 'false', without spaces.\n"
    )


def test_several_bad_properties_are_reported_together() -> None:
    outcome = run("resolve", "--set", "delta.appendOnly=1", "--set", "delta.enableRowTracking=2", stdin=metadata())
    assert "delta.appendOnly is '1'" in outcome.err
    assert "also: delta.enableRowTracking is '2'" in outcome.err


def test_a_name_cannot_control_the_terminal() -> None:
    outcome = run("resolve", "--protocol", "1,7,None,[\x1b[31mred]", stdin=metadata())
    assert outcome.code == 2
    assert "\x1b" not in outcome.err


def test_ten_levels_are_nothing_special() -> None:
    outcome = run("explain", "--json", stdin=metadata(nested(10)))
    timestamp = next(one for one in outcome.data["features"] if one["feature"] == "timestampNtz")
    assert timestamp["reasons"][0]["path"] == ["level"] * 9 + ["leaf"]


def test_ten_thousand_columns_are_explained_in_few_lines_and_quickly() -> None:
    schema = struct(*({**column(f"c{n}", "timestamp_ntz"), "nullable": False} for n in range(10_000)))
    started = time.monotonic()
    outcome = run("explain", stdin=metadata(schema))
    # Far above what it takes on an idle machine: it shall catch a square, not a busy afternoon.
    assert time.monotonic() - started < 20
    assert outcome.code == 0
    assert len(outcome.out.splitlines()) < 50
    assert "c0, c1, c2, c3 and 9,996 more" in outcome.out


def test_json_may_stand_anywhere_and_errors_obey_it() -> None:
    assert run("--json", "resolve", stdin="").error["code"] == "DR109"
    assert run("explain", "--format", "json", stdin="").error["code"] == "DR101"
    assert json.loads(run("features", "--json", "nothing-like-it").err)["code"] == "DR201"
