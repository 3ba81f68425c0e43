"""DESCRIBE HISTORY: the commits of a table as rows, in the columns delta-spark gives."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from deltaresolver.log.history import HistoryEntry

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = (  # a session may take `timestamp` for the type without a zone
    "version bigint, timestamp timestamp_ltz, userId string, userName string, operation string, "
    "operationParameters map<string,string>, "
    "job struct<jobId:string,jobName:string,jobRunId:string,runId:string,jobOwnerId:string,triggerType:string>, "
    "notebook struct<notebookId:string>, clusterId string, readVersion bigint, isolationLevel string, "
    "isBlindAppend boolean, operationMetrics map<string,string>, userMetadata string, engineInfo string"
)
_JOB = ("jobId", "jobName", "jobRunId", "runId", "jobOwnerId", "triggerType")


def history_rows(spark: SparkSession, entries: Iterable[HistoryEntry]) -> DataFrame:
    """One row for each commit, in `COLUMNS`, in the order of the entries."""
    return spark.createDataFrame([_row(entry) for entry in entries], COLUMNS)


def _row(entry: HistoryEntry) -> tuple[Any, ...]:
    info = entry.info
    blind = info.fields.get("isBlindAppend")
    return (
        entry.table_version,
        datetime.datetime.fromtimestamp(entry.timestamp_ms / 1000, datetime.UTC),
        info.find_text("userId"),
        info.find_text("userName"),
        entry.operation,
        _texts(entry.parameters),
        _struct(info.fields.get("job"), _JOB),
        _struct(info.fields.get("notebook"), ("notebookId",)),
        info.find_text("clusterId"),
        info.find_whole("readVersion"),
        info.find_text("isolationLevel"),
        blind if isinstance(blind, bool) else None,
        _texts(info.fields.get("operationMetrics")),
        info.find_text("userMetadata"),
        info.find_text("engineInfo"),
    )


def _texts(values: object) -> dict[str, str | None] | None:
    return {key: _text(value) for key, value in values.items()} if isinstance(values, Mapping) else None


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _struct(value: object, names: Iterable[str]) -> tuple[str | None, ...] | None:
    return tuple(_text(value.get(name)) for name in names) if isinstance(value, Mapping) else None
