"""Compare the result of a transaction with the recorded one: a commit field by field, an error by its condition."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.facts.keys import TIMESTAMPS_SINCE_TIME

_EXPRESSION_NUMBER = re.compile(r"#\d+L?")
_CLOCK = (1_780_000_000_000, 1_800_000_000_000)
"""The times between the first recording and the clock of the runner."""
_FILES = ("add", "remove", "cdc")


def differences_in_error(error: DeltaResolverError, outcome: Mapping[str, Any]) -> list[str]:
    """How an error differs from the recorded outcome. Without a recorded condition, failing is enough."""
    shown = f"{type(error).__name__} {error.delta_class} {error.delta_condition}: {error.message}"
    if outcome["result"] != "error":
        return [f"raised {shown}, recorded {outcome['result']}"]
    condition = outcome.get("condition")
    if condition is None:
        return []
    recorded_class = str(outcome.get("exception", ""))
    if error.delta_condition != condition or error.delta_class != recorded_class:
        return [f"raised {shown}, recorded {recorded_class} {condition}"]
    return []


def differences_in_commit(
    table_version: int, written: Sequence[Mapping[str, Any]], outcome: Mapping[str, Any], transaction_id: str
) -> list[str]:
    """How a commit file differs from the recorded one: version, lines in order, fields in order."""
    if table_version != outcome["version"]:
        return [f"version {table_version}, recorded {outcome['version']}"]
    ours = [_comparable(action, transaction_id) for action in written]
    recorded = [_comparable(action, transaction_id) for action in outcome["commit"]]
    if len(ours) != len(recorded):
        return [f"{len(ours)} lines {[_kind(each) for each in ours]}, recorded {[_kind(each) for each in recorded]}"]
    return [
        f"line {number}: {_differ(mine, theirs)}"
        for number, (mine, theirs) in enumerate(zip(ours, recorded, strict=True), start=1)
        if _ordered(mine) != _ordered(theirs)
    ]


def _kind(action: Mapping[str, Any]) -> str:
    return next(iter(action), "")


def _comparable(wrapped: Mapping[str, Any], transaction_id: str) -> dict[str, Any]:
    ((kind, value),) = wrapped.items()
    value = dict(value)
    if kind == "commitInfo":
        _leave_out_what_is_of_one_run(value, transaction_id)
    elif kind == "metaData":
        # Key order inside a schema string and among properties carries no meaning.
        value["schemaString"] = _sorted(json.loads(value["schemaString"])) if value.get("schemaString") else None
        value["configuration"] = dict(sorted(value["configuration"].items()))
        if _is_of_the_clock(value["configuration"].get(TIMESTAMPS_SINCE_TIME)):
            value["configuration"][TIMESTAMPS_SINCE_TIME] = "*"
    elif kind == "protocol":
        for key in ("readerFeatures", "writerFeatures"):
            if key in value:
                value[key] = sorted(value[key])
    elif kind in _FILES:
        _leave_out_empty(kind, value)
    return {kind: value}


def _leave_out_what_is_of_one_run(info: dict[str, Any], transaction_id: str) -> None:
    """Remove what differs from run to run: times, the id, numbers of expressions, and the order of tags."""
    info["timestamp"] = 0
    if _is_of_the_clock(info.get("inCommitTimestamp")):
        info["inCommitTimestamp"] = "*"
    if info.get("txnId") == transaction_id:
        info["txnId"] = "{txnId}"
    info["operationParameters"] = json.loads(_EXPRESSION_NUMBER.sub("", json.dumps(info.get("operationParameters"))))
    if info.get("tags"):
        info["tags"] = dict(sorted(info["tags"].items()))


def _leave_out_empty(kind: str, value: dict[str, Any]) -> None:
    """Remove empty tags and needless empty partition values, which delta-spark writes where there are none."""
    if not value.get("tags"):
        value.pop("tags", None)
    if kind == "remove" and not value.get("partitionValues") and not value.get("extendedFileMetadata"):
        value.pop("partitionValues", None)


def _is_of_the_clock(moment: Any) -> bool:
    """Whether this time was read from a clock during the recording or the run, and is not one made up by the case."""
    return moment is not None and _CLOCK[0] <= int(moment) <= _CLOCK[1]


def _sorted(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _ordered(value: Any) -> str:
    return json.dumps(value, sort_keys=False)


def _differ(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    if _kind(mine) != _kind(theirs):
        return f"{_kind(mine)}, recorded {_kind(theirs)}"
    kind = _kind(mine)
    left, right = mine[kind], theirs[kind]
    differing = [
        f"{key} {left.get(key)!r}, recorded {right.get(key)!r}"
        for key in dict.fromkeys((*left, *right))
        if left.get(key, "absent") != right.get(key, "absent")
    ]
    return f"{kind} {'; '.join(differing)}" if differing else f"{kind} keys {list(left)}, recorded {list(right)}"
