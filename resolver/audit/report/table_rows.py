"""The rows of an audit as a table: one for each table of the lake, flat, so that plain SQL shows trends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import pyarrow as pa

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_table import FeatureUse, TableAudit

_MOMENT = pa.timestamp("us", tz="UTC")
_NAMES = pa.list_(pa.string())
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

COLUMNS = pa.schema(
    [
        ("audit_id", pa.string()),
        ("audited_at", _MOMENT),
        ("location", pa.string()),
        ("name", pa.string()),
        ("table_id", pa.string()),
        ("table_version", pa.int64()),
        ("is_readable", pa.bool_()),
        ("error_code", pa.string()),
        ("error", pa.string()),
        ("reader_version", pa.int32()),
        ("writer_version", pa.int32()),
        ("lowest_reader_version", pa.int32()),
        ("lowest_writer_version", pa.int32()),
        ("locked_out_of_read", pa.int32()),
        ("locked_out_of_append", pa.int32()),
        ("severity", pa.string()),
        ("errors", pa.int32()),
        ("warnings", pa.int32()),
        ("infos", pa.int32()),
        ("commits", pa.int64()),
        ("commit_bytes", pa.int64()),
        ("commits_since_checkpoint", pa.int64()),
        ("last_commit_at", _MOMENT),
        ("raised_at", _MOMENT),
        ("raised_at_version", pa.int64()),
        ("raised_by", pa.string()),
        ("raised_operation", pa.string()),
        ("column_count", pa.int32()),
        ("next_step", pa.string()),
        ("next_command", pa.string()),
        ("features", _NAMES),
        ("enabled_features", _NAMES),
        ("unused_features", _NAMES),
        ("rules", _NAMES),
        ("blocked", _NAMES),
    ]
)
"""Scalars first: statistics are kept for the first columns of a table."""


def row_batches(tables: Iterable[TableAudit], audit_id: str, when_ms: int, size: int) -> Iterator[pa.RecordBatch]:
    """The rows, `size` at a time."""
    rest = iter(tables)
    while part := list(islice(rest, size)):
        yield pa.RecordBatch.from_pylist([_row(table, audit_id, when_ms) for table in part], schema=COLUMNS)


def _row(table: TableAudit, audit_id: str, when_ms: int) -> dict[str, Any]:
    grave = Counter(finding.severity for finding in table.findings)
    used = {use: [one.name for one in table.features if one.use is use] for use in FeatureUse}
    protocol, lowest, health, step = table.protocol, table.lowest_protocol, table.health, table.next_step
    return {
        "audit_id": audit_id,
        "audited_at": _moment(when_ms),
        "location": table.location,
        "name": table.name,
        "table_id": table.table_id,
        "table_version": table.table_version,
        "is_readable": table.is_readable,
        "error_code": table.error and table.error.code,
        "error": table.error and table.error.message,
        "reader_version": protocol and protocol.reader_version,
        "writer_version": protocol and protocol.writer_version,
        "lowest_reader_version": lowest and lowest.reader_version,
        "lowest_writer_version": lowest and lowest.writer_version,
        # For a table that cannot be read it is not known who could use it.
        "locked_out_of_read": table.locked_out_of_read if protocol else None,
        "locked_out_of_append": table.locked_out_of_append if protocol else None,
        "severity": max(grave).value if grave else None,
        "errors": grave[Severity.ERROR],
        "warnings": grave[Severity.WARNING],
        "infos": grave[Severity.INFO],
        "commits": health.commits,
        "commit_bytes": health.commit_bytes,
        "commits_since_checkpoint": health.commits_since_checkpoint,
        "last_commit_at": _moment(health.last_commit_ms),
        **_raised(table),
        "column_count": table.column_count if table.is_readable else None,
        "next_step": step and step.title,
        "next_command": step and step.command,
        "features": [one.name for one in table.features],
        "enabled_features": used[FeatureUse.ENABLED],
        "unused_features": used[FeatureUse.UNUSED],
        "rules": sorted({finding.rule for finding in table.findings}),
        "blocked": [f"{one.release} {one.act}" for one in table.blocked],
    }


def _raised(table: TableAudit) -> dict[str, Any]:
    """Who raised the protocol last, when, and by which operation."""
    event = next((event for event in table.history if event.raises), None)
    return {
        "raised_at": event and _moment(event.timestamp_ms),
        "raised_at_version": event and event.table_version,
        "raised_by": event and (event.user or event.engine),
        "raised_operation": event and event.operation,
    }


def _moment(timestamp_ms: int | None) -> datetime | None:
    """The moment, or None for a timestamp outside the calendar."""
    try:
        return None if timestamp_ms is None else _EPOCH + timedelta(milliseconds=timestamp_ms)
    except OverflowError:
        return None
