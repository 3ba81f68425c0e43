"""The commitInfo action: delta-spark's fields in delta-spark's order."""

from __future__ import annotations

import importlib.metadata
from functools import lru_cache
from typing import Any

from deltaresolver.model.actions import CommitInfo
from deltaresolver.model.operation import Operation
from deltaresolver.transaction.conflicts.isolation import IsolationLevel

_ORDER = (
    "inCommitTimestamp",
    "timestamp",
    "userId",
    "userName",
    "operation",
    "operationParameters",
    "readVersion",
    "isolationLevel",
    "isBlindAppend",
    "operationMetrics",
    "userMetadata",
    "tags",
    "engineInfo",
    "txnId",
)
_PLACE = {name: place for place, name in enumerate(_ORDER)}


@lru_cache(maxsize=1)
def default_engine_info() -> str:
    """Who wrote the commit: this library and its version."""
    try:
        return f"deltaresolver/{importlib.metadata.version('deltaresolver')}"
    except importlib.metadata.PackageNotFoundError:
        return "deltaresolver"


def build_commit_info(  # noqa: PLR0913 - one argument a field
    operation: Operation,
    *,
    now_ms: int,
    read_version: int | None,
    isolation: IsolationLevel,
    is_blind_append: bool,
    user_metadata: str | None,
    tags: dict[str, str],
    engine_info: str,
    transaction_id: str,
    with_metrics: bool = True,
) -> CommitInfo:
    """The commit info of a first attempt. `read_version` is None for a table's first commit."""
    fields: dict[str, Any] = {
        "timestamp": now_ms,
        "operation": operation.name,
        "operationParameters": dict(operation.parameters),
    }
    if read_version is not None:
        fields["readVersion"] = read_version
    fields["isolationLevel"] = isolation.value
    fields["isBlindAppend"] = is_blind_append
    if with_metrics:
        fields["operationMetrics"] = dict(operation.metrics)
    if user_metadata is not None:
        fields["userMetadata"] = user_metadata
    if tags:
        fields["tags"] = tags
    fields["engineInfo"] = engine_info
    fields["txnId"] = transaction_id
    return CommitInfo(fields)


def in_order(info: CommitInfo) -> CommitInfo:
    """The same fields as delta-spark orders them; fields it does not know come last."""
    return CommitInfo(dict(sorted(info.fields.items(), key=lambda item: _PLACE.get(item[0], len(_ORDER)))))
