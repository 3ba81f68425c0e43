"""Errors of this library as code written for delta-spark catches and reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deltaresolver.errors import (
    DeltaResolverError,
    SqlUnsupportedError,
    StatementUnreadableError,
    StatementUnsupportedError,
    TableNotFoundError,
)

_kinds: dict[tuple[str, str], type[DeltaResolverError]] = {}


MISSING_TABLE = "DELTA_MISSING_DELTA_TABLE"
MISSING_ROWS = "DELTA_TABLE_NOT_FOUND"
"""Of what reads or changes rows; where there is not even a folder Spark misses that (`PATH_NOT_FOUND`)."""


@contextmanager
def told_as_spark(missing: str = MISSING_TABLE) -> Iterator[None]:
    """What delta-spark would raise as a class that PySpark has is one too, its condition in brackets.

    missing    the condition where there is no table
    """
    try:
        yield
    except DeltaResolverError as error:
        told = _as_spark(error, missing)
        if told is error:
            raise
        raise told from error


def _as_spark(error: DeltaResolverError, missing: str) -> DeltaResolverError:
    from pyspark.errors import PySparkException

    of_spark = None if isinstance(error, PySparkException) else _raised_by_spark(error)
    if of_spark is None:
        return error
    kind = _kind(type(error), of_spark)
    found = kind.__new__(kind)
    Exception.__init__(found, error.message)
    message, condition = error.message, error.delta_condition
    if isinstance(error, StatementUnreadableError):
        condition = condition or "PARSE_SYNTAX_ERROR"
    if isinstance(error, TableNotFoundError):
        location = error.details.get("location", "The location")
        message, condition = f"{location} is not a Delta table. {message}", missing
        if missing == MISSING_ROWS and error.details.get("found") == "missing":
            message, condition = f"Path does not exist: {location}. {message}", "PATH_NOT_FOUND"
    shown = f"[{condition}] {message}" if condition else message
    held: dict[str, Any] = {"message": shown, "_message": shown, "_errorClass": condition, "delta_condition": condition}
    found.__dict__.update({**error.__dict__, **held, "_messageParameters": {}, "_contexts": [], "_query_contexts": []})
    return found


def _raised_by_spark(error: DeltaResolverError) -> type[Exception] | None:
    """What PySpark makes of the class of the JVM that delta-spark raises; None for what it has no class for."""
    from pyspark import errors

    name = error.delta_class or ""
    if isinstance(error, StatementUnreadableError):
        name = "ParseException"
    elif isinstance(error, SqlUnsupportedError | StatementUnsupportedError):
        name = "AnalysisException"
    found = next((of_spark for endings, of_spark in _CAUGHT_AS.items() if name.endswith(endings)), None)
    return None if found is None else getattr(errors, found)


_CAUGHT_AS = {
    ("ParseException",): "ParseException",
    (
        "AnalysisException",
        "TableAlreadyExistsException",
        "CannotReplaceMissingTableException",
        "VersionNotFoundException",
        "TimestampEarlierThanCommitRetentionException",
        "TemporallyUnstableInputException",
    ): "AnalysisException",
    ("UnsupportedOperationException", "ColumnMappingUnsupportedException"): "UnsupportedOperationException",
    ("IllegalArgumentException",): "IllegalArgumentException",
    ("ArithmeticException",): "ArithmeticException",
    ("TableFeatureException",): "PySparkException",
}
"""Classes of the JVM, by how their names end, and the class of PySpark for them and what they are derived from."""


def _kind(kind: type[DeltaResolverError], of_spark: type[Exception]) -> type[DeltaResolverError]:
    """The class of an error that is one of Spark's too."""
    key = (kind.code, of_spark.__name__)
    if key not in _kinds:

        def reduced(self: DeltaResolverError) -> tuple[Any, ...]:
            # Another process makes the plain error of it.
            rebuild, (_, message, state) = kind.__reduce__(self)
            return rebuild, (kind, message, state)

        names = {"__module__": kind.__module__, "__reduce__": reduced}
        _kinds[key] = type(kind.__name__, (kind, of_spark), names)
    return _kinds[key]
