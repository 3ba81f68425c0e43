"""Recorded ALTER TABLE and DROP FEATURE of delta-spark, followed call by call: same states, commits and errors."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.errors import DeltaResolverError
from tests.unit.transaction.recorded_ddl import Follower, Step, can_follow, steps_until_rewrite

RECORDED = Path(__file__).parents[4] / "shared" / "conformance" / "ddl.jsonl.gz"

ONLY_OF_SQL = {"TABLE_OR_VIEW_NOT_FOUND", "UNSUPPORTED_TABLE_CHANGE", None}
"""Conditions that Spark puts around what Delta says, or that say only that there is some error."""

RANDOM = ("delta.rowTracking.materialized", "delta.inCommitTimestampEnablementTimestamp")
"""Properties whose values are new each time."""


def sequences() -> list[Mapping[str, Any]]:
    """The recorded sequences that can be followed."""
    if not RECORDED.is_file():
        return []
    with gzip.open(RECORDED, "rt", encoding="utf-8") as lines:
        return [each for each in map(json.loads, lines) if can_follow(each)]


SEQUENCES = sequences()

REMOVES_MAPPING = "delta-spark takes unsetting the mode as an order to rewrite the table without column mapping"
DIFFERENT = {
    "iceberg/v2": "delta-spark looks at Iceberg first, here the mode change is refused first",
    "prop-set/delta.columnMapping.mode=bogus": REMOVES_MAPPING,
    "prop-set/delta.columnMapping.mode=id": REMOVES_MAPPING,
    "prop-set/delta.columnMapping.mode=name": REMOVES_MAPPING,
}
"""Sequences in which we differ, and why. One that agrees again fails, so that it leaves this list."""


def as_parameter(sequence: Mapping[str, Any]) -> Any:
    """A sequence under its id, expected to fail where we differ."""
    reason = DIFFERENT.get(sequence["id"])
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(sequence, id=sequence["id"], marks=marks)


@pytest.mark.skipif(not SEQUENCES, reason="the recorded answers lie outside the project: cannot be installed")
@pytest.mark.parametrize("sequence", [as_parameter(each) for each in SEQUENCES])
def test_our_calls_do_what_the_statements_did(sequence: Mapping[str, Any], tmp_path: Path) -> None:
    follower = Follower(tmp_path / "t", sequence.get("conf") or {})
    for step in steps_until_rewrite(sequence):
        expected = step["outcome"]
        if expected["result"] == "ok":
            follower.follow(step["sql"])
        else:
            with pytest.raises(DeltaResolverError) as raised:
                follower.follow(step["sql"])
            assert_same_error(raised.value, expected, step["sql"])
        if "{table}" in step["tables"]:
            assert_same_state(follower, step)


def assert_same_error(error: DeltaResolverError, expected: Mapping[str, Any], sql: str) -> None:
    """The condition, where it is one of Delta's."""
    if expected.get("condition") not in ONLY_OF_SQL:
        assert error.delta_condition == expected["condition"], f"{sql}: {error.code} {error.message}"


def assert_same_state(follower: Follower, step: Step) -> None:
    """Version, protocol and properties, and what the new commits say of themselves."""
    recorded = step["tables"]["{table}"]
    table = follower.table
    snapshot = table.snapshot()
    assert snapshot.table_version == recorded["version"], step["sql"]
    assert snapshot.protocol.to_json() == _sorted(recorded["protocol"]), step["sql"]
    assert _stable(snapshot.metadata.configuration) == _stable(recorded["properties"]), step["sql"]
    ours = {entry.table_version: entry for entry in table.history()}
    for commit in recorded["commits"]:
        if commit.get("missing"):
            continue
        lines = [
            json.loads(line)
            for line in (follower.location / "_delta_log" / f"{commit['version']:020}.json").read_text().splitlines()
        ]
        info = lines[0]["commitInfo"]
        assert commit["version"] in ours
        assert info["operation"] == commit["operation"], step["sql"]
        assert sorted(key for line in lines for key in line) == sorted(commit["actions"]), step["sql"]
        assert info["isolationLevel"] == commit["isolationLevel"], step["sql"]
        assert info["isBlindAppend"] == commit["isBlindAppend"], step["sql"]
        assert (info.get("tags") or {}) == (commit["tags"] or {}), step["sql"]
        if info["operation"] != "WRITE":
            assert _parameters(info["operationParameters"]) == _parameters(commit["operationParameters"]), step["sql"]


def _sorted(protocol: Mapping[str, Any]) -> dict[str, Any]:
    return {key: sorted(value) if isinstance(value, list) else value for key, value in protocol.items()}


def _stable(properties: Mapping[str, str]) -> dict[str, str]:
    return {key: "*" if key.startswith(RANDOM) else value for key, value in properties.items()}


def _parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with their JSON read, lists of features as sets; whether a catalog manages the table is not ours."""
    told = {key: value for key, value in parameters.items() if key != "isManaged"}
    for key, value in told.items():
        if isinstance(value, str) and value[:1] in "[{":
            told[key] = json.loads(value)
    protocol = told.get("newProtocol")
    if protocol is not None:
        told["newProtocol"] = _sorted(protocol)
    if isinstance(told.get("properties"), dict):
        told["properties"] = _stable(told["properties"])
    return told
