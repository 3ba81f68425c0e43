"""Compare tables after a followed statement with the recorded ones; random values in both are masked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.facts.keys import CLUSTERING_DOMAIN, LENGTHS, TIMESTAMPS_SINCE_TIME
from deltaresolver.testing.conformance.recorded_ddl import PLACEHOLDERS, Follower

RANDOM = ("delta.rowTracking.materialized", TIMESTAMPS_SINCE_TIME)
"""Properties whose values are new each time."""
_RANDOM_NAME = re.compile(r"col-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FILES = frozenset({"add", "remove", "cdc"})
_COUNTED_TO = re.compile(r'("delta\.identity\.highWaterMark": )-?\d+')
_CONDITIONS = ("predicate", "matchedPredicates", "notMatchedPredicates", "notMatchedBySourcePredicates")
LENGTH_NOTES = "notes of CHAR and VARCHAR in nested columns"


def differences_in_tables(follower: Follower, recorded: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The differences between the followed tables and the recorded ones; every table is recorded."""
    for name in PLACEHOLDERS:
        state = recorded.get(name)
        is_here = (follower.location(name) / "_delta_log").is_dir()
        if state is None and is_here:
            yield f"there is a {name}, recorded none"
        # A table that could not be read during the recording, such as one that a catalog manages, has no more facts.
        if state is None or "unreadable" in state:
            continue
        if not is_here:
            yield f"there is no {name}, recorded version {state['version']}"
        else:
            yield from _differences(follower, name, state)


def _differences(follower: Follower, name: str, recorded: Mapping[str, Any]) -> Iterator[str]:
    snapshot = follower.table(name).snapshot()
    metadata = snapshot.metadata
    pairs = {
        "version": (snapshot.table_version, recorded["version"]),
        "protocol": (_sorted(snapshot.protocol.to_json()), _sorted(recorded["protocol"])),
        "properties": (_stable(metadata.configuration), _stable(recorded["properties"])),
    }
    if "schema" in recorded:
        schemas = (_masked(json.loads(str(metadata.schema_string))), _masked(recorded["schema"]))
        if follower.is_engine:
            schemas = (_uncounted(schemas[0]), _uncounted(schemas[1]))
        same_but_for_notes = _without_notes(schemas[0]) == _without_notes(schemas[1])
        pairs[LENGTH_NOTES if same_but_for_notes else "schema"] = schemas
    if "partitionColumns" in recorded:
        pairs["partition columns"] = (list(metadata.partition_columns), recorded["partitionColumns"])
    if "clusteringColumns" in recorded:
        pairs["clustering columns"] = (_masked(_clustering(snapshot)), _masked(recorded["clusteringColumns"]))
    yield from _unequal(pairs)
    for commit in recorded["commits"]:
        if not commit.get("missing"):
            yield from _differences_in_commit(follower, name, commit)


def _clustering(snapshot: Snapshot) -> list[str] | None:
    domain = snapshot.domains.get(CLUSTERING_DOMAIN)
    if domain is None or domain.removed:
        return None
    return [".".join(path) for path in json.loads(domain.configuration)["clusteringColumns"]]


def _differences_in_commit(follower: Follower, name: str, commit: Mapping[str, Any]) -> Iterator[str]:
    file = follower.location(name) / "_delta_log" / f"{commit['version']:020}.json"
    if not file.is_file():
        yield f"commit {commit['version']} is missing"
        return
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    info = lines[0]["commitInfo"]
    domains = [line["domainMetadata"] for line in lines if "domainMetadata" in line]
    pairs = {
        "operation": (info["operation"], commit["operation"]),
        "actions": (
            _actions([key for line in lines for key in line], follower),
            _actions(commit["actions"], follower),
        ),
        "isolationLevel": (info["isolationLevel"], commit["isolationLevel"]),
        "isBlindAppend": (info["isBlindAppend"], commit["isBlindAppend"]),
        "tags": (info.get("tags") or {}, commit["tags"] or {}),
    }
    if "domainMetadata" in commit:
        pairs["domains"] = (_masked(domains), _masked(commit["domainMetadata"]))
    if info["operation"] != "WRITE":
        pairs["operationParameters"] = (
            _parameters(info["operationParameters"], follower),
            _parameters(commit["operationParameters"], follower),
        )
    yield from (f"commit {commit['version']} {difference}" for difference in _unequal(pairs))


def _actions(kinds: Sequence[str], follower: Follower) -> list[str]:
    """The kinds of actions. The number of files is left out for an engine, which may write any number."""
    if not follower.is_engine:
        return sorted(kinds)
    return sorted([*(kind for kind in kinds if kind not in _FILES), *(_FILES & {*kinds})])


def _unequal(pairs: Mapping[str, tuple[Any, Any]]) -> Iterator[str]:
    for name, (found, recorded) in pairs.items():
        if found != recorded:
            yield f"{name} {found}, recorded {recorded}"


def _sorted(protocol: Mapping[str, Any]) -> dict[str, Any]:
    return {key: sorted(value) if isinstance(value, list) else value for key, value in protocol.items()}


def _stable(properties: Mapping[str, str]) -> dict[str, str]:
    return {key: "*" if key.startswith(RANDOM) else value for key, value in properties.items()}


def _masked(value: Any) -> Any:
    """The value, with the random ids in physical names masked."""
    return json.loads(_RANDOM_NAME.sub("col-*", json.dumps(value)))


def _uncounted(value: Any) -> Any:
    """The value without the high-water marks of identity columns: an engine's tasks may skip numbers."""
    return json.loads(_COUNTED_TO.sub(r'\1"*"', json.dumps(value)))


def _without_notes(schema: dict[str, Any]) -> list[Any]:
    """The columns, without the notes of nested columns about CHAR and VARCHAR in them."""
    return [
        {**field, "metadata": {key: value for key, value in field["metadata"].items() if key != LENGTHS}}
        if isinstance(field["type"], dict)
        else field
        for field in schema["fields"]
    ]


def _parameters(parameters: Mapping[str, Any], follower: Follower) -> dict[str, Any]:
    """Parameters with their JSON parsed and unordered lists sorted, without whether a catalog manages the table.

    This library writes conditions as the user wrote them, and Spark writes resolved ones with numbers that are new
    each time; so for an engine's own statements only the existence of a condition is compared.
    """
    told = {key: value for key, value in parameters.items() if key != "isManaged"}
    if follower.is_engine:
        told = {key: bool(value) if key in _CONDITIONS else value for key, value in told.items()}
        if "catalogTable" in told:  # in a database of the run, and recorded under a placeholder
            told["catalogTable"] = str(told["catalogTable"]).rpartition(".")[2].replace("{", "").replace("}", "")
    for key, value in told.items():
        if isinstance(value, str) and value[:1] in "[{" and value:
            told[key] = json.loads(value)
    protocol = told.get("newProtocol")
    if protocol is not None:
        told["newProtocol"] = _sorted(protocol)
    if isinstance(told.get("properties"), dict):
        told["properties"] = _stable(told["properties"])
    columns = told.get("columns")
    if isinstance(columns, list) and all(isinstance(one, dict) and "name" in one for one in columns):
        # Several columns changed at once are in the order of a hash map.
        told["columns"] = sorted(columns, key=lambda one: str(one["name"]))
    masked: dict[str, Any] = _uncounted(_masked(told)) if follower.is_engine else _masked(told)
    return masked
