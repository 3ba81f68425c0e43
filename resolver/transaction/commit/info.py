"""The commitInfo action: delta-spark's fields in delta-spark's order."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from deltaresolver.model.operation import Operation


@lru_cache(maxsize=1)
def default_engine_info() -> str:
    """Who wrote the commit: this library and its version."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"deltaresolver/{version('deltaresolver')}"
    except PackageNotFoundError:
        return "deltaresolver"


def commit_notes(  # noqa: PLR0913 - one argument a field
    operation: Operation,
    *,
    now_ms: int,
    read_version: int | None,
    user_metadata: str | None,
    tags: dict[str, str],
    engine_info: str,
    transaction_id: str,
    with_metrics: bool = True,
) -> dict[str, Any]:
    """What the commit info of a first attempt says besides what the draft holds.

    `read_version` is None for a table's first commit.
    """
    fields: dict[str, Any] = {
        "timestamp": now_ms,
        "operation": operation.name,
        "operationParameters": dict(operation.parameters),
    }
    if read_version is not None:
        fields["readVersion"] = read_version
    if with_metrics:
        fields["operationMetrics"] = dict(operation.metrics)
    if user_metadata is not None:
        fields["userMetadata"] = user_metadata
    if tags:
        fields["tags"] = tags
    fields["engineInfo"] = engine_info
    fields["txnId"] = transaction_id
    return fields
