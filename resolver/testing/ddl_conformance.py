"""Run recorded DDL: CREATE TABLE, ALTER TABLE and DROP FEATURE followed call by call, as delta-spark carried them out.

The file holds one sequence a line (or the same, gzipped); its README gives the format. After every statement the
table's version, protocol, properties and new commits are compared, or the error. Statements that only an engine
can run (those that write or rewrite rows, and SQL for which there is no call) are not followed, nor is anything after
them, and reported apart.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.testing.conflicts_conformance import read_cases
from deltaresolver.testing.recorded_ddl import Follower, Step, first_without_call, steps_to_follow
from deltaresolver.testing.report import ConformanceReport, Failure, KnownDifference

ONLY_OF_SQL = frozenset(
    {
        "ALL_PARTITION_COLUMNS_NOT_ALLOWED",
        "COLUMN_ALREADY_EXISTS",
        "INVALID_PARTITION_COLUMN_DATA_TYPE",
        "TABLE_OR_VIEW_NOT_FOUND",
        "UNSUPPORTED_TABLE_CHANGE",
        None,
    }
)
"""Conditions that Spark puts around or in front of what Delta says, or that say only that there is some error."""

RANDOM = ("delta.rowTracking.materialized", "delta.inCommitTimestampEnablementTimestamp")
"""Properties whose values are new each time."""

NEEDS_AN_ENGINE = "followed as recorded up to a statement of SQL that has no call here"
REWRITES = "followed as recorded up to a statement that rewrites rows, which takes an engine"


def run_ddl(path: str | Path, catalog: FeatureCatalog | None = None) -> ConformanceReport:
    """Run every sequence in the file at `path`, each on a table of its own in a temporary folder."""
    passed = 0
    failures: list[Failure] = []
    known: list[KnownDifference] = []
    for sequence in read_cases(path):
        name, foreign = str(sequence["id"]), first_without_call(sequence)
        found = run_sequence(sequence, catalog)
        if found:
            failures.append(Failure(name, "; ".join(found)))
        elif foreign is not None:
            known.append(KnownDifference(name, NEEDS_AN_ENGINE, foreign))
        elif len(list(steps_to_follow(sequence))) < len(sequence["steps"]):
            known.append(KnownDifference(name, REWRITES))
        else:
            passed += 1
    return ConformanceReport("ddl", passed, tuple(failures), tuple(known))


def run_sequence(sequence: Mapping[str, Any], catalog: FeatureCatalog | None = None) -> list[str]:
    """How the first statement that goes differently differs from the recorded one; nothing if all go alike."""
    known = delta_spark_catalog() if catalog is None else catalog
    with tempfile.TemporaryDirectory(prefix="recorded-ddl-") as folder:
        follower = Follower(Path(folder, "t"), sequence.get("conf") or {}, known)
        for step in steps_to_follow(sequence):
            differences = _run_step(follower, step)
            if differences:
                return [f"{step['sql']}: {difference}" for difference in differences]
    return []


def _run_step(follower: Follower, step: Step) -> list[str]:
    expected = step["outcome"]
    try:
        follower.follow(step["sql"])
    except DeltaResolverError as error:
        differences = _differences_in_error(error, expected)
    except Exception as error:  # noqa: BLE001 - any other exception is a difference to report
        differences = [f"raised {type(error).__name__}: {error}"]
    else:
        answer = expected.get("condition") or expected.get("exception")
        differences = [] if expected["result"] == "ok" else [f"done, recorded {answer}"]
    state = step["tables"].get("{table}")
    # A table that could not be read where it was recorded, as one that a catalog manages, tells nothing more.
    if not differences and state is not None and "unreadable" not in state:
        differences = list(_differences_in_state(follower, state))
    return differences


def _differences_in_error(error: DeltaResolverError, expected: Mapping[str, Any]) -> list[str]:
    if expected["result"] == "ok":
        return [f"raised {error.code} {error.message}"]
    condition = expected.get("condition")
    if condition in ONLY_OF_SQL or error.delta_condition == condition:
        return []
    return [f"condition {error.delta_condition}, recorded {condition}"]


def _differences_in_state(follower: Follower, recorded: Mapping[str, Any]) -> Iterator[str]:
    snapshot = follower.table.snapshot()
    pairs = {
        "version": (snapshot.table_version, recorded["version"]),
        "protocol": (_sorted(snapshot.protocol.to_json()), _sorted(recorded["protocol"])),
        "properties": (_stable(snapshot.metadata.configuration), _stable(recorded["properties"])),
    }
    yield from _unequal(pairs)
    for commit in recorded["commits"]:
        if not commit.get("missing"):
            yield from _differences_in_commit(follower, commit)


def _differences_in_commit(follower: Follower, commit: Mapping[str, Any]) -> Iterator[str]:
    file = follower.location / "_delta_log" / f"{commit['version']:020}.json"
    if not file.is_file():
        yield f"commit {commit['version']} is missing"
        return
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    info = lines[0]["commitInfo"]
    pairs = {
        "operation": (info["operation"], commit["operation"]),
        "actions": (sorted(key for line in lines for key in line), sorted(commit["actions"])),
        "isolationLevel": (info["isolationLevel"], commit["isolationLevel"]),
        "isBlindAppend": (info["isBlindAppend"], commit["isBlindAppend"]),
        "tags": (info.get("tags") or {}, commit["tags"] or {}),
    }
    if info["operation"] != "WRITE":
        pairs["operationParameters"] = (
            _parameters(info["operationParameters"]),
            _parameters(commit["operationParameters"]),
        )
    yield from (f"commit {commit['version']} {difference}" for difference in _unequal(pairs))


def _unequal(pairs: Mapping[str, tuple[Any, Any]]) -> Iterator[str]:
    for name, (found, recorded) in pairs.items():
        if found != recorded:
            yield f"{name} {found}, recorded {recorded}"


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
